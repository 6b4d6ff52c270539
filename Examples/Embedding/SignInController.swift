import IDXFlow

/// Signs a person in with an app's own views.
///
/// A step without a handler here ends the sign-in with an error that names it.
struct SignInController {
  /// What a view asks for.
  struct Question: Sendable {
    enum Subject: Sendable, Equatable {
      case username, password
      case code(authenticator: String)
    }

    let subject: Subject
    /// The authenticator app that is set up, with its key and QR code.
    var app: AuthenticatorApp?
    /// Why the last answer was refused.
    let refusals: [String]
  }

  let client: any FlowClient
  let configuration: FlowConfiguration
  /// Shows a question; nil cancels the sign-in.
  let ask: @Sendable (Question) async -> String?
  /// Shows the names of authenticators; nil skips the choice.
  let choose: @Sendable ([String]) async -> Int?

  /// Signs in; `FlowPhase(outcome).message` says why if nobody is signed in.
  func signIn() async throws -> Outcome {
    try await FlowCoordinator(client: client, handlers: handlers).run(configuration)
  }

  private var handlers: Handlers {
    var handlers = Handlers()
    handlers.on(.identify) { step in
      guard let username = await answer(.username, at: step) else { return .cancel }
      var answers: Answers = ["identifier": .text(username)]
      // Some orgs ask for both at once.
      if step.remediation["credentials.passcode"] != nil {
        guard let password = await answer(.password, at: step) else { return .cancel }
        answers["credentials.passcode"] = .text(password)
      }
      return .submit(answers)
    }
    for name in [Remediation.Name.challengeAuthenticator, .enrollAuthenticator] {
      handlers.on(name) { step in
        let isPassword = step.authenticator?.key == .password
        let name = step.authenticator?.displayName ?? ""
        let text = await answer(isPassword ? .password : .code(authenticator: name), at: step)
        return text.map { .submit(["credentials.passcode": .text($0)]) } ?? .cancel
      }
    }
    handlers.on(.selectAuthenticatorEnroll) { step in
      let choices = step.remediation["authenticator"]?.choices ?? []
      if let choice = await choose(choices.map { $0.label ?? "" }) {
        return .submit(["authenticator": .option(choice)])
      }
      // The next form is the one to skip, if the org offers that.
      return step.response[.skip] == nil ? .cancel : .decline
    }
    handlers.on(.skip) { _ in .submit([:]) }
    return handlers
  }

  private func answer(_ subject: Question.Subject, at step: Step) async -> String? {
    await ask(Question(subject: subject, app: step.authenticatorApp, refusals: step.refusals))
  }
}
