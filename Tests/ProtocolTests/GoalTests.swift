import IDXClassicAuth
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("A goal is reached by every protocol that can, or given up")
struct GoalTests {
  @Test("Who goes another way than the one to a goal gets there", arguments: Speech.changing)
  func otherWay(speech: Speech) async throws {
    let org = SharedSignIn.org(.recoverAndUnlock)
    let seen = SharedSignIn(speech, to: org)
    var handlers = Handlers()
    handlers.on(.identify) { step in
      .choose(try #require(step.alternatives.first { $0.name == .unlockAccount }))
    }
    handlers.on(.unlockAccount) { _ in .submit([:]) }
    handlers.on(.selectAuthenticatorUnlockAccount) { _ in .cancel }
    let outcome = try await FlowCoordinator(client: speech.client(of: org), handlers: handlers)
      .run(try seen.configuration, goal: .recover)
    guard case .cancelled = outcome else {
      Issue.record("It did not come to the form that unlocks.")
      return
    }
  }

  @Test(
    "Where unlocking signs nobody in, the person may go on to sign in", arguments: Speech.changing)
  func unlocked(speech: Speech) async throws {
    let org = SharedSignIn.org(.unlocking)
    let seen = SharedSignIn(speech, to: org)
    let client = speech.client(of: org)
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
      .run(try seen.configuration, goal: .unlock)
    guard case .ended(let state) = outcome else {
      Issue.record("It did not end.")
      return
    }
    #expect(state.response.messages.allSatisfy { !$0.isError } && !state.isSignedIn)
    let anew = try await SharedSignIn(speech, to: org).credential()
    #expect(anew.username == SharedSignIn.login)
  }
}

extension OrgScenario {
  fileprivate static let recoverAndUnlock: OrgScenario = {
    var scenario = OrgScenario.recovery
    scenario.policy.accounts.unlock = OrgScenario.unlocking.policy.accounts.unlock
    return scenario
  }()
}
