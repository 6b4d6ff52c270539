import IDXClassicAuth
import IDXFlow

/// Asks a person for what a ``ClassicCoordinator`` needs; nil cancels the sign-in.
protocol ClassicCoordinatorDelegate: Sendable {
  func chooseFactor(among names: [String]) async -> Int?
  func code(of factor: String, after refusals: [String]) async -> String?
  func newPassword(after refusals: [String]) async -> String?
}

/// Signs in to an org that does not have Identity Engine.
struct ClassicCoordinator {
  enum Result: Sendable {
    case signedIn(Credential)
    case lockedOut
    case refused(String)
    case cancelled
  }

  let client: ClassicAuthClient
  let configuration: FlowConfiguration
  let delegate: any ClassicCoordinatorDelegate

  func authenticate(username: String, password: String) async throws -> Result {
    // These answer what the delegate is not asked for, and end the sign-in after a wrong password.
    var handlers = Handlers.answering([
      "identifier": .text(username), "credentials.passcode": .text(password),
    ])
    handlers.on(.selectAuthenticatorAuthenticate) { [delegate] step in
      let names = step.remediation["authenticator"]?.choices.map { $0.label ?? "" } ?? []
      let choice = await delegate.chooseFactor(among: names)
      return choice.map { .submit(["authenticator": .option($0)]) } ?? .cancel
    }
    handlers.on(.challengeAuthenticator) { [delegate] step in
      guard let factor = step.authenticator, factor.key != .password else { return .decline }
      let code = await delegate.code(of: factor.displayName ?? "", after: step.refusals)
      return code.map { .submit(["credentials.passcode": .text($0)]) } ?? .cancel
    }
    handlers.on(.reenrollAuthenticator) { [delegate] step in
      guard let new = await delegate.newPassword(after: step.refusals) else { return .cancel }
      return .submit([
        "credentials.oldPassword": .text(password), "credentials.passcode": .text(new),
      ])
    }
    let outcome = try await FlowCoordinator(client: client, handlers: handlers).run(configuration)
    switch outcome {
    case .signedIn(let signIn): return .signedIn(signIn.credential)
    case .ended(let state) where state.response.says(.userLocked): return .lockedOut
    case .ended: return .refused(FlowPhase(outcome).message ?? "")
    case .cancelled: return .cancelled
    }
  }
}
