public import IDX

extension Handlers {
  /// The built-in handlers, which ask through a prompter: one for each of the five common steps, and
  /// ``FormHandler`` for all others.
  ///
  /// If the server offers nothing more and the sign-in failed, the person can start over.
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

/// A handler that only asks a person, and cannot do what a person cannot do at a prompt.
protocol PromptingHandler: StepHandler {}

extension FlowState {
  /// Whether the sign-in ended well without tokens, for example because it continues elsewhere.
  ///
  /// Nothing failed, and the server offers no way to start over.
  fileprivate var isDone: Bool { !isRefusal && response.actions.isEmpty }
}

/// Asks for the user name and, if the form has the field, for the password.
///
/// It does not ask for “Remember me”, because the cookie for that ends with the sign-in.
public struct IdentifyHandler: PromptingHandler {
  private let form: FormHandler

  /// Creates a handler that asks through a prompter.
  public init(prompter: any Prompter) {
    form = FormHandler(prompter: prompter, omittedFields: ["rememberMe"])
  }

  /// Asks for the user name.
  public func decide(_ step: Step) async throws -> Decision { try await form.decide(step) }

  /// The poll of the authenticator.
  public func poll(for step: Step) -> Remediation? { form.poll(for: step) }
}

/// Asks for the proof of an authenticator: a password, a code or an answer.
public struct ChallengeAuthenticatorHandler: PromptingHandler {
  private let form: FormHandler

  /// Creates a handler that asks through a prompter.
  public init(prompter: any Prompter) { form = FormHandler(prompter: prompter) }

  /// Asks for the code or the password.
  public func decide(_ step: Step) async throws -> Decision { try await form.decide(step) }

  /// The poll of the authenticator.
  public func poll(for step: Step) -> Remediation? { form.poll(for: step) }
}

/// Lets a person choose what to set up, or skip if that is allowed.
public struct SelectAuthenticatorEnrollHandler: PromptingHandler {
  private let form: FormHandler

  /// Creates a handler that asks through a prompter.
  public init(prompter: any Prompter) {
    form = FormHandler(prompter: prompter, omittedFields: [], offersSkip: true)
  }

  /// Asks which authenticator to set up.
  public func decide(_ step: Step) async throws -> Decision { try await form.decide(step) }

  /// The poll of the authenticator.
  public func poll(for step: Step) -> Remediation? { form.poll(for: step) }
}

/// Shows what to set up, such as the key of an authenticator app, and asks for the first code.
public struct EnrollAuthenticatorHandler: PromptingHandler {
  private let form: FormHandler

  /// Creates a handler that shows and asks through a prompter.
  public init(prompter: any Prompter) { form = FormHandler(prompter: prompter) }

  /// Shows what to set up and asks for the code.
  public func decide(_ step: Step) async throws -> Decision { try await form.decide(step) }

  /// The poll of the authenticator.
  public func poll(for step: Step) -> Remediation? { form.poll(for: step) }
}

/// Skips what is optional, without asking.
public struct SkipHandler: PromptingHandler {
  /// Creates a handler that skips.
  public init() {}

  /// Submits the form, which has nothing to fill in.
  public func decide(_ step: Step) async throws -> Decision { .submit([:]) }
}
