import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSystem
import IDXSimulatedOrg

/// A sign-in with handlers that do not depend on the protocol, and the states that it received.
struct SharedSignIn: Sendable {
  static let login = SimulatedUser.demo.login
  static let password = SimulatedUser.demo.password.revealed
  static let newPassword = "Difference-1846"

  /// Time passes only while the sign-in polls, so that nothing expires on a busy machine.
  private static let moment = Date(timeIntervalSince1970: 1_800_000_000)

  let signInProtocol: SignInProtocol
  let org: SimulatedOrg
  private let passwords: Locked<[String]>
  private let codes: Locked<[String?]>
  private let states = Locked<[FlowState]>([])

  /// Creates a sign-in with these passwords and codes, in order; nil means the correct code. After the last
  /// password, the person cancels.
  init(
    _ signInProtocol: SignInProtocol, to org: SimulatedOrg, passwords: [String] = [password],
    codes: [String?] = []
  ) {
    self.signInProtocol = signInProtocol
    self.org = org
    self.passwords = Locked(passwords)
    self.codes = Locked(codes)
  }

  static func org(_ scenario: OrgScenario, shape: ResponseShape = []) -> SimulatedOrg {
    SimulatedOrg(scenario, shape: shape, seed: 1, clock: { moment })
  }

  /// The received states, in order.
  var received: [FlowState] { states.withLock { $0 } }

  /// The numbers that were shown for a push.
  var numbers: Set<String> {
    Set(received.compactMap(\.response.currentAuthenticator?.numberChallenge))
  }

  /// Whether an error was shown.
  var showedError: Bool {
    received.contains { $0.response.allMessages.contains(where: \.isError) }
  }

  /// Runs the sign-in from the start, or from a state.
  func run(from state: FlowState? = nil) async throws -> Outcome {
    let coordinator = FlowCoordinator(
      client: await signInProtocol.client(of: org), handlers: handlers,
      sleep: { org.advance(by: $0 / .seconds(1)) },
      observe: { event in
        if case .received(let state) = event { states.withLock { $0.append(state) } }
      })
    if let state { return try await coordinator.run(from: state) }
    return try await coordinator.run(org.configuration)
  }

  /// Runs the sign-in until it has tokens.
  func credential(from state: FlowState? = nil) async throws -> Credential {
    let outcome = try await run(from: state)
    guard case .signedIn(let signIn) = outcome else { throw Ended(outcome: outcome) }
    return signIn.credential
  }

  struct Ended: Error {
    let outcome: Outcome
  }

  private var handlers: Handlers {
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(Self.login)]) }
    handlers.on(.challengeAuthenticator, .password) { _ in
      let next = passwords.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return next.map { .submit(["credentials.passcode": .text($0)]) } ?? .cancel
    }
    for name in [Remediation.Name.challengeAuthenticator, .enrollAuthenticator] {
      handlers.on(name, .googleAuthenticator) { _ in
        let next: String? = codes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        let right = await org.authenticatorCode(for: Self.login) ?? ""
        return .submit(["credentials.passcode": .text(next ?? right)])
      }
    }
    handlers.on(.selectAuthenticatorAuthenticate) { _ in
      .submit(["authenticator": .authenticator(.oktaVerify)])
    }
    handlers.on(.selectAuthenticatorEnroll) { _ in
      .submit(["authenticator": .authenticator(.googleAuthenticator)])
    }
    handlers.on(.authenticatorVerificationData, .oktaVerify) { _ in
      .submit(["authenticator.methodType": "push"])
    }
    handlers.on(.challengePoll) { _ in .poll() }
    handlers.on(.reenrollAuthenticator) { step in
      var answers: Answers = ["credentials.passcode": .text(Self.newPassword)]
      if step.remediation["credentials.oldPassword"] != nil {
        answers["credentials.oldPassword"] = .text(Self.password)
      }
      return .submit(answers)
    }
    return handlers
  }
}
