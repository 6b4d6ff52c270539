public import IDX

extension Handlers {
  /// The built-in handlers, asking through a prompter: one for each of the five steps that sign-ins
  /// are made of, and ``FormHandler`` for any other.
  ///
  /// Where the server offers nothing more, the person may start over, unless all is done.
  public static func asking(_ prompter: any Prompter) -> Handlers {
    var handlers = Handlers()
    handlers.register(IdentifyHandler(prompter: prompter), for: .identify)
    handlers.register(
      ChallengeAuthenticatorHandler(prompter: prompter), for: .challengeAuthenticator)
    handlers.register(
      SelectAuthenticatorEnrollHandler(prompter: prompter), for: .selectAuthenticatorEnroll)
    handlers.register(EnrollAuthenticatorHandler(prompter: prompter), for: .enrollAuthenticator)
    handlers.register(SkipHandler(), for: .skip)
    handlers.fallback = FormHandler(prompter: prompter)
    handlers.atEnd = { state in
      guard !state.isDone, try await prompter.startsOver(after: state) else { return nil }
      let cancel = state.response.isExpired ? nil : state.response.action(.cancel)
      return cancel.map { .submit(Submission($0)) } ?? .restart
    }
    return handlers
  }
}

/// A handler that asks what a form wants and can do no more: what a person cannot fill in is beyond
/// it.
protocol FormAsking: StepHandler {}

extension FlowState {
  /// Whether the sign-in ended well without tokens, such as one that went on elsewhere.
  ///
  /// Nothing went wrong, and the server offers no way to start over.
  fileprivate var isDone: Bool { !isRefusal && response.actions.isEmpty }
}

/// Asks who signs in and, where the form wants it, for the password.
///
/// “Remember me” is not asked: it lives in a cookie, and cookies end with the flow.
public struct IdentifyHandler: StepHandler, FormAsking {
  private let form: FormHandler

  /// A handler that asks through a prompter.
  public init(prompter: any Prompter) {
    form = FormHandler(prompter: prompter, leavesOut: ["rememberMe"])
  }

  /// Asks for the user name.
  public func decide(_ step: Step) async throws -> Decision { try await form.decide(step) }

  /// The poll of the authenticator, where it has one.
  public func poll(for step: Step) -> Remediation? { form.poll(for: step) }
}

/// Asks for what proves an authenticator: a password, a code, an answer.
public struct ChallengeAuthenticatorHandler: StepHandler, FormAsking {
  private let form: FormHandler

  /// A handler that asks through a prompter.
  public init(prompter: any Prompter) { form = FormHandler(prompter: prompter) }

  /// Asks for the code or the password.
  public func decide(_ step: Step) async throws -> Decision { try await form.decide(step) }

  /// The poll of the authenticator, where it has one.
  public func poll(for step: Step) -> Remediation? { form.poll(for: step) }
}

/// Lets a person choose what to set up, or skip where that is allowed.
public struct SelectAuthenticatorEnrollHandler: StepHandler, FormAsking {
  private let form: FormHandler

  /// A handler that asks through a prompter.
  public init(prompter: any Prompter) {
    form = FormHandler(prompter: prompter, leavesOut: [], offersSkip: true)
  }

  /// Asks which authenticator to set up.
  public func decide(_ step: Step) async throws -> Decision { try await form.decide(step) }

  /// The poll of the authenticator, where it has one.
  public func poll(for step: Step) -> Remediation? { form.poll(for: step) }
}

/// Asks for what proves that an authenticator is set up, such as the first code of an app whose key
/// was shown.
public struct EnrollAuthenticatorHandler: StepHandler, FormAsking {
  private let form: FormHandler

  /// A handler that shows and asks through a prompter.
  public init(prompter: any Prompter) { form = FormHandler(prompter: prompter) }

  /// Shows what is to be set up, and asks for the code.
  public func decide(_ step: Step) async throws -> Decision { try await form.decide(step) }

  /// The poll of the authenticator, where it has one.
  public func poll(for step: Step) -> Remediation? { form.poll(for: step) }
}

/// Goes on without what is optional.
///
/// It asks nothing.
public struct SkipHandler: StepHandler, FormAsking {
  /// A handler that skips.
  public init() {}

  /// Submits the form, which has nothing to fill.
  public func decide(_ step: Step) async throws -> Decision { .submit([:]) }
}
