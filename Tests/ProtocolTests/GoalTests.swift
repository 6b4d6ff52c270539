import Expectations
import IDX
import IDXClassicAuth
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Goals with every protocol that supports them.
struct GoalTests {
  @Test("A handler can choose a different form than the goal's", arguments: SignInProtocol.changing)
  func otherWay(signInProtocol: SignInProtocol) async throws {
    let org = SharedSignIn.org(.recoverAndUnlock)
    var handlers = Handlers()
    handlers.on(.identify) { step in
      .choose(try require(step.alternatives.first { $0.name == .unlockAccount }))
    }
    handlers.on(.unlockAccount) { _ in .submit([:]) }
    handlers.on(.selectAuthenticatorUnlockAccount) { _ in .cancel }
    let outcome = try await FlowCoordinator(
      client: await signInProtocol.client(of: org), handlers: handlers
    )
    .run(org.configuration, goal: .recover)
    expect(outcome.isCancelled)
  }

  @Test("An org that begins with the profile of a new account fulfills the goal to register")
  func profileFirst() async throws {
    let profile = Wire.form("enroll-profile", [["name": "email", "required": true]])
    let server = StubServer(document: Wire.document([profile])) { _ in
      .json(Wire.document([], [("messages", Wire.messages("done", kind: "INFO"))]))
    }
    var handlers = Handlers()
    handlers.on(.enrollProfile) { _ in .submit(["email": "ada@example.com"]) }
    try await expect(server.run(handlers, goal: .register).end != nil)
  }

  @Test(
    "After an unlock without a sign-in, the person can sign in", arguments: SignInProtocol.changing)
  func unlocked(signInProtocol: SignInProtocol) async throws {
    let org = SharedSignIn.org(OrgScenario["unlock"])
    let client = await signInProtocol.client(of: org)
    var handlers = Handlers()
    handlers.on(.unlockAccount) { _ in .submit([:]) }
    handlers.on(.selectAuthenticatorUnlockAccount) { _ in
      .submit(["identifier": .text(SharedSignIn.login), "authenticator": .authenticator(.email)])
    }
    handlers.on(.challengeAuthenticator, .email) { _ in
      let mail = await org.mailbox.messages.last
      let link = mail?.text.split(separator: " ").last { $0.contains("://") }
      return .submit([
        "credentials.passcode": .text(link.map(String.init) ?? mail?.code ?? "")
      ])
    }
    let outcome = try await FlowCoordinator(client: client, handlers: handlers)
      .run(org.configuration, goal: .unlock)
    let state = try require(outcome.end)
    expect(state.response.messages.allSatisfy { !$0.isError } && !state.isSignedIn)
    let credential = try await SharedSignIn(signInProtocol, to: org).credential()
    expectEqual(credential.username, SharedSignIn.login)
  }
}

extension OrgScenario {
  fileprivate static let recoverAndUnlock: OrgScenario = {
    var scenario = OrgScenario["recover"]
    scenario.policy.accounts.unlock = OrgScenario["unlock"].policy.accounts.unlock
    return scenario
  }()
}
