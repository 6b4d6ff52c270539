import IDX

extension Handlers {
  /// The built-in handlers, which ask through a prompter: ``FormHandler``, with what is special about the
  /// common steps, and ``SkipHandler``.
  ///
  /// If an answer is lost, the person sees why and can answer again. If the server offers nothing more and
  /// the sign-in failed, the person can start over.
  public static func asking(_ prompter: any Prompter) -> Handlers {
    var handlers = Handlers()
    let form = FormHandler(prompter: prompter)
    // The cookie for “Remember me” ends with the sign-in.
    let identify = FormHandler(prompter: prompter, omittedFields: ["rememberMe"])
    let select = FormHandler(prompter: prompter, offersSkip: true)
    handlers.register(identify, for: .identify)
    handlers.register(form, for: .challengeAuthenticator)
    handlers.register(select, for: .selectAuthenticatorEnroll)
    handlers.register(form, for: .enrollAuthenticator)
    handlers.register(SkipHandler(), for: .skip)
    handlers.fallback = form
    handlers.onFailure = { error, step in
      try await prompter.show(.problem(error.message))
      // If nothing has to be typed, nobody would notice that it is sent again.
      guard step.remediation.form.inputs().isEmpty else { return .choose(step.remediation) }
      return try await prompter.choice(at: step) ?? step.decision(toOpen: step.remediation)
    }
    handlers.atEnd = { state in
      // Without a failure and a way to start over, the sign-in continues elsewhere.
      let isDone = !state.isRefusal && state.response.actions.isEmpty
      guard !isDone, try await prompter.startsOver(after: state) else { return nil }
      let cancel = state.response.isExpired ? nil : state.response.action(.cancel)
      return cancel.map { .submit(Submission($0)) } ?? .restart
    }
    return handlers
  }
}

/// Skips what is optional, without asking.
public struct SkipHandler: StepHandler {
  /// Creates a handler that skips.
  public init() {}

  /// Submits the form, which has nothing to fill in.
  public func decide(_ step: Step) async throws -> Decision { .submit([:]) }
}
