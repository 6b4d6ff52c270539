import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// The same handlers sign in with every protocol.
struct EveryProtocolTests {
  @Test(
    "A wrong password and a wrong code, then the correct ones", arguments: SignInProtocol.all)
  func wrongThenRight(signInProtocol: SignInProtocol) async throws {
    let signIn = SharedSignIn(
      signInProtocol, to: SharedSignIn.org(OrgScenario["google"]),
      passwords: ["Wrong-1843", SharedSignIn.password], codes: ["000000", nil])
    _ = try await signIn.credential()
    let wrong = signIn.received.filter { $0.response.allMessages.contains(where: \.isError) }
    expectEqual(wrong.count, 2)
  }

  struct Push: CustomTestStringConvertible {
    let scenario: String
    var numbers = 0
    var showsError = false

    var testDescription: String { scenario }
  }

  static let pushes = [
    Push(scenario: "push"), Push(scenario: "push-number", numbers: 1),
    Push(scenario: "push-rejected", showsError: true),
    Push(scenario: "push-timeout", showsError: true),
  ]

  @Test(
    "A push is approved, also with a number to choose on the device, or after one that failed",
    arguments: SignInProtocol.all, pushes)
  func push(signInProtocol: SignInProtocol, push: Push) async throws {
    let signIn = SharedSignIn(signInProtocol, to: SharedSignIn.org(OrgScenario[push.scenario]))
    _ = try await signIn.credential()
    expectEqual(signIn.numbers.count, push.numbers)
    expectEqual(signIn.showedError, push.showsError)
  }

  @Test(
    "A locked user gets no tokens, even with the correct password",
    arguments: SignInProtocol.all)
  func locked(signInProtocol: SignInProtocol) async throws {
    let signIn = SharedSignIn(signInProtocol, to: SharedSignIn.org(whoseUserIs: .locked))
    guard case .cancelled = try await signIn.run() else {
      Issue.record("It did not ask for the password again.")
      return
    }
    expect(signIn.showedError)
  }

  @Test(
    "After too many wrong answers, the sign-in ends",
    arguments: [SignInProtocol.direct, .classic])
  func tooOften(signInProtocol: SignInProtocol) async throws {
    let signIn = SharedSignIn(
      signInProtocol, to: SharedSignIn.org(OrgScenario["google"]),
      codes: Array(repeating: "000000", count: 9))
    guard case .ended(let state) = try await signIn.run() else {
      Issue.record("The sign-in continued.")
      return
    }
    expect(state.response.messages.contains { $0.isError && $0.text?.contains("too many") == true })
  }

  @Test(
    "A user who is denied access after all factors gets no tokens",
    arguments: SignInProtocol.all)
  func denied(signInProtocol: SignInProtocol) async throws {
    let signIn = SharedSignIn(signInProtocol, to: SharedSignIn.org(OrgScenario["denied"]))
    do {
      if case .signedIn = try await signIn.run() { Issue.record("There are tokens.") }
    } catch let error as FlowError { expectEqual(error.code, .refused) }
  }

  @Test(
    "After an expired password is replaced, or Google Authenticator is set up, it works with every protocol",
    arguments: SignInProtocol.changing)
  func changed(signInProtocol: SignInProtocol) async throws {
    let expired = SharedSignIn.org(whoseUserIs: .passwordExpired)
    _ = try await SharedSignIn(signInProtocol, to: expired).credential()
    for other in SignInProtocol.all {
      _ = try await SharedSignIn(other, to: expired, passwords: [SharedSignIn.newPassword])
        .credential()
    }
    let org = SharedSignIn.org(OrgScenario["enroll-google"])
    let signIn = SharedSignIn(signInProtocol, to: org, codes: ["000000", nil])
    _ = try await signIn.credential()
    expect(signIn.showedError)
    let secrets = signIn.received.compactMap {
      $0.response.currentAuthenticator?.oneTimePassword?.sharedSecret
    }
    expectEqual(Set(secrets).count, 1)
    for other in SignInProtocol.all {
      org.advance(by: 30)
      _ = try await SharedSignIn(other, to: org).credential()
    }
  }

  @Test("After a sign-in is cancelled, another one works", arguments: SignInProtocol.all)
  func cancelled(signInProtocol: SignInProtocol) async throws {
    let org = SharedSignIn.org(OrgScenario["google"])
    guard
      case .cancelled = try await SharedSignIn(signInProtocol, to: org, passwords: ["Wrong-1843"])
        .run()
    else {
      Issue.record("It was not cancelled.")
      return
    }
    _ = try await SharedSignIn(signInProtocol, to: org).credential()
  }

  @Test(
    "A saved sign-in can be continued at each step, but only by the client of its protocol",
    .promise("state-owner"),
    arguments: SignInProtocol.all)
  func resumed(signInProtocol: SignInProtocol) async throws {
    let org = SharedSignIn.org(OrgScenario["google"])
    let signIn = SharedSignIn(signInProtocol, to: org)
    let client = await signInProtocol.client(of: org)
    func saved(_ state: FlowState) throws -> FlowState {
      try FlowState(snapshot: state.snapshot(), for: signIn.configuration)
    }
    var state = try saved(try await client.start(try signIn.configuration))
    state = try saved(
      try await client.proceed(
        .identify, ["identifier": .text(SharedSignIn.login)], from: state))
    state = try saved(
      try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(SharedSignIn.password)],
        from: state))
    let current = state
    for other in SignInProtocol.all where other != signInProtocol {
      let client = await other.client(of: org)
      let error = await #expect(throws: FlowError.self) { try await client.refresh(current) }
      expectEqual(error?.code, .unreadableState)
    }
    _ = try await signIn.credential(from: state)
  }

  @Test(
    "The tokens of a password work at the user info and revocation endpoints",
    arguments: SignInProtocol.all)
  func tokens(signInProtocol: SignInProtocol) async throws {
    let org = SharedSignIn.org(OrgScenario["password"])
    let credential = try await SharedSignIn(signInProtocol, to: org).credential()
    expectEqual(credential.username, SharedSignIn.login)
    let info = try await org.tokenClient.userInfo(credential)
    try expectEqual(info.subject, require(credential.id.subject))
    try await org.tokenClient.revoke(.access, of: credential)
    await #expect(throws: FlowError.self) { try await org.tokenClient.userInfo(credential) }
  }
}
