import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
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

  @Test(
    "A push is approved, also with a number to choose on the device, or after one that failed",
    arguments: SignInProtocol.all, ["push", "push-number", "push-rejected", "push-timeout"])
  func push(signInProtocol: SignInProtocol, scenario: String) async throws {
    let signIn = SharedSignIn(signInProtocol, to: SharedSignIn.org(OrgScenario[scenario]))
    _ = try await signIn.credential()
    expectEqual(signIn.numbers.count, scenario == "push-number" ? 1 : 0)
    expectEqual(signIn.showedError, ["push-rejected", "push-timeout"].contains(scenario))
  }

  @Test(
    "After too many wrong answers, the sign-in ends",
    arguments: [SignInProtocol.direct, .classic])
  func tooOften(signInProtocol: SignInProtocol) async throws {
    let signIn = SharedSignIn(
      signInProtocol, to: SharedSignIn.org(OrgScenario["google"]),
      codes: Array(repeating: "000000", count: 9))
    let state = try await require(signIn.run().end)
    expect(state.response.messages.contains { $0.isError && $0.text?.contains("too many") == true })
  }

  @Test(
    "After an expired password is replaced, or Google Authenticator is set up, it works with every protocol",
    arguments: SignInProtocol.changing)
  func changed(signInProtocol: SignInProtocol) async throws {
    let expired = SharedSignIn.org(OrgScenario["password-expired"])
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
    let first = SharedSignIn(signInProtocol, to: org, passwords: ["Wrong-1843"])
    try await expect(first.run().isCancelled)
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
      try FlowState(snapshot: state.snapshot(), for: org.configuration)
    }
    var state = try saved(try await client.start(org.configuration))
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
