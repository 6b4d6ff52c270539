// Signs in without prompts: registers handlers and runs the coordinator.
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting

@main
struct HeadlessSignIn {
  static func main() async throws {
    try await signInWithPassword()
    try await signInWithOktaVerify()
  }

  /// A password, and an email to set up.
  private static func signInWithPassword() async throws {
    // An org in memory stands in for a real one. A program would use HTTPTransport instead.
    let org = SimulatedOrg(
      users: [SimulatedUser(login: "ada@example.com", password: "Analytical-1843")],
      policy: .required(.email))
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": "ada@example.com"]) }
    handlers.on(.challengeAuthenticator, .password) { _ in
      .submit(["credentials.passcode": "Analytical-1843"])
    }
    handlers.on(.selectAuthenticatorEnroll) { _ in
      .submit(["authenticator": .authenticator(.email)])
    }
    handlers.on(.enrollAuthenticator, .email) { _ in
      let code = await org.mailbox.lastCode(to: "ada@example.com") ?? ""
      return .submit(["credentials.passcode": .text(code)])
    }
    handlers.on(.skip) { _ in .submit([:]) }

    let coordinator = FlowCoordinator(client: org.client, handlers: handlers)
    show(try await coordinator.run(org.configuration))
  }

  /// Okta Verify on this computer, then again on a device that the org knows, for a person elsewhere.
  private static func signInWithOktaVerify() async throws {
    let org = SimulatedOrg(OrgScenario["device-challenge"])
    // A program would pass challenges on over LoopbackTransport, after the person has agreed.
    let okta = LoopbackFastPass(
      transport: SimulatedOktaVerify(of: "ada@example.com", at: org))
    var handlers = Handlers()
    handlers.register(FastPassHandler(okta), for: .deviceChallengePoll)
    handlers.register(FastPassHandler(okta), for: .challengePoll)
    let context = try PersonContext(address: "203.0.113.7", app: "HeadlessSignIn/1.0")
    let coordinator = FlowCoordinator(client: org.client.acting(for: context), handlers: handlers)

    let first = try await coordinator.run(org.configuration)
    show(first)
    guard case .signedIn(let signIn) = first else { return }
    var options = StartOptions()
    options.cookies = signIn.state.cookies.device
    show(try await coordinator.run(org.configuration, options))
    let devices = Set(await org.contexts.compactMap(\.deviceToken))
    print("The org has seen \(devices.count) device at \(await org.contexts[0].address ?? "")")
  }

  private static func show(_ outcome: Outcome) {
    switch outcome {
    case .signedIn(let signIn):
      print("Signed in as \(signIn.user?.identifier ?? "an unnamed user")")
    case .ended(let state):
      print("Not signed in: \(state.response.allMessages.compactMap(\.text))")
    case .cancelled:
      print("Canceled")
    }
  }
}
