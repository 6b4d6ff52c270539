import Expectations
import Foundation
import IDX
import IDXDirectAuth
import IDXFlow
import IDXOAuth
import Testing

/// DirectAuth codes, pushes and challenges.
struct DirectAuthChallengeTests {
  /// A sign-in after the password, where the server asks for an out-of-band factor.
  private func afterPassword(
    _ answers: ScriptedServer.Response...
  ) async throws -> DirectAuthSignIn {
    var signIn = try await DirectAuthSignIn([.mfaRequired(DirectAuthSignIn.oob)] + answers)
    try await signIn.enterUsername()
    try await signIn.enter("secret-1")
    return signIn
  }

  @Test("A push with a number is polled at the server's interval until it is approved")
  func push() async throws {
    var signIn = try await DirectAuthSignIn.afterPassword(
      .mfaRequired("\(DirectAuthSignIn.otp) \(DirectAuthSignIn.oob)"),
      .json(
        #"{"oob_code":"oob-1","channel":"push","binding_method":"transfer","binding_code":"42","expires_in":300,"interval":2}"#
      ),
      .error("authorization_pending"), .error("slow_down"), .tokens)
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    try await signIn.choose(.authenticator(.oktaVerify))
    expectEqual(signIn.names.first, .challengePoll)
    expectEqual(signIn.state.response.remediations.first?.refresh, .seconds(2))
    expectEqual(signIn.state.response.currentAuthenticator?.numberChallenge, "42")
    try await signIn.poll()
    expectEqual(signIn.state.response.remediations.first?.refresh, .seconds(2))
    expectEqual(signIn.state.status, 200)
    try await signIn.poll()
    expectEqual(signIn.state.response.remediations.first?.refresh, .seconds(7))
    try await signIn.poll()
    expect(signIn.state.isSignedIn)
    let sent = await signIn.server.requests
    expectEqual(sent.map(\.endpoint), ["token", "challenge", "token", "token", "token"])
    expectEqual(
      sent[1].parameters,
      [
        "client_id": "app", "mfa_token": "mfa-token-1",
        "challenge_types_supported": DirectAuthSignIn.oob, "channel_hint": "push",
      ])
    expect(sent[2].parameters["oob_code"] == "oob-1" && sent[2].parameters["binding_code"] == nil)
  }

  @Test(
    "A code that is sent is typed, and can be sent again",
    arguments: [
      ("sms", #","binding_method":"prompt""#), ("voice", #","binding_method":"prompt""#),
      ("email", #","binding_method":"prompt""#),
      // Without a binding method, everything but a push is typed.
      ("sms", ""),
    ])
  func sentCode(channel: String, method: String) async throws {
    let sent = #"{"oob_code":"oob-N","channel":"\#(channel)"\#(method),"interval":5}"#
    var signIn = try await afterPassword(
      .json(sent), .json(sent.replacing("N", with: "2")), .tokens)
    let index = try require(["push", "sms", "voice", "email"].firstIndex(of: channel))
    try await signIn.choose(.option(index))
    expectEqual(signIn.names.first, .challengeAuthenticator)
    let key = signIn.state.response.currentAuthenticator?.key
    expectEqual(key, (channel == "email" ? .email : .phone))
    try await signIn.submit(.resend)
    try await signIn.enter("4711")
    expect(signIn.state.isSignedIn)
    let requests = await signIn.server.requests
    expectEqual(requests[1].parameters["channel_hint"], channel)
    expectEqual(requests.last?.parameters["oob_code"], "oob-2")
    expectEqual(requests.last?.parameters["binding_code"], "4711")
  }

  @Test("The number of an earlier push is not shown with the next one")
  func oldNumber() async throws {
    var signIn = try await afterPassword(
      .json(#"{"oob_code":"o","binding_method":"transfer","binding_code":"42"}"#),
      .json(#"{"oob_code":"p","binding_method":"none"}"#))
    try await signIn.choose(.option(0))
    expectEqual(signIn.state.response.currentAuthenticator?.numberChallenge, "42")
    try await signIn.submit(.resend)
    expectEqual(signIn.state.response.currentAuthenticator?.numberChallenge, nil)
    expectEqual(signIn.names.first, .challengePoll)
  }

  @Test(
    "After a push was denied or expired, the person chooses a factor again",
    arguments: ["access_denied", "oob_rejected", "expired_token"])
  func failedPush(code: String) async throws {
    var signIn = try await afterPassword(
      .json(#"{"oob_code":"o","binding_method":"none"}"#), .error(code, status: 403))
    func offered(_ signIn: DirectAuthSignIn) -> [String?] {
      let field = signIn.state.response[.selectAuthenticatorAuthenticate]?["authenticator"]
      return field?.options.map(\.label) ?? []
    }
    let before = offered(signIn)
    try await signIn.choose(.option(0))
    try await signIn.poll()
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    // What has just failed is not the first choice.
    expect(before.count > 1)
    expectEqual(offered(signIn), Array(before.dropFirst() + before.prefix(1)))
    expectEqual(signIn.state.response.messages.first?.isError, true)
  }

  @Test("A push that was already answered is not polled forever")
  func answeredPush() async throws {
    // Without a binding method, a push is polled.
    var signIn = try await afterPassword(
      .json(#"{"oob_code":"oob-1","channel":"push","interval":1}"#), .lost,
      .json("oops", status: 502),
      .error("invalid_grant", #","error_description":"It is unknown.""#))
    try await signIn.choose(.option(0))
    expectEqual(signIn.names.first, .challengePoll)
    let pushed = signIn
    for code in [FlowError.Code.network, .serverFailed] {
      let error = try await requireError(FlowError.self) {
        try await pushed.client.poll(pushed.state)
      }
      expectEqual(error.code, code)
      expectEqual(error.remediation, .challengePoll)
    }
    try await signIn.poll()
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    expectEqual(signIn.state.response.messages.map(\.text), ["It is unknown."])
    await expect(signIn.server.isUsedUp)
  }

  @Test("If the tokens of an approved push are lost, the sign-in ends with the server's message")
  func lostTokens() async throws {
    let refused = ScriptedServer.Response.error(
      "invalid_grant", #","error_description":"It was used.""#)
    let server = ScriptedServer([
      .mfaRequired(DirectAuthSignIn.oob), .json(#"{"oob_code":"oob-1","binding_method":"none"}"#),
      .error("authorization_pending"), .lost, refused, refused,
    ])
    let coordinator = FlowCoordinator(
      client: DirectAuthClient(transport: server), handlers: .simple, sleep: { _ in })
    guard case .ended(let state) = try await coordinator.run(DirectAuthSignIn.configuration) else {
      Issue.record("The sign-in did not end.")
      return
    }
    expectEqual(state.response.messages.map(\.text), ["It was used."])
    await expect(server.isUsedUp)
  }

  @Test("If a factor is not set up, the person is told and can choose another one")
  func notSetUp() async throws {
    var signIn = try await DirectAuthSignIn.afterPassword(
      .mfaRequired("\(DirectAuthSignIn.otp) \(DirectAuthSignIn.oob)"), .error("invalid_request"),
      .tokens)
    try await signIn.choose(.authenticator(.oktaVerify))
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    expectEqual(signIn.state.response.messages.first?.text?.contains("Okta Verify"), true)
    try await signIn.choose(.authenticator(.googleAuthenticator))
    try await signIn.enter("123456")
    expect(signIn.state.isSignedIn)
  }

  @Test(
    "A challenge ends the sign-in if the MFA token is no longer valid; a code without sense is thrown",
    arguments: [
      ("invalid_grant", true), ("expired_token", true), ("access_denied", true),
      ("authorization_pending", false), ("slow_down", false), ("mfa_required", false),
    ])
  func refusedChallenge(code: String, isEnd: Bool) async throws {
    var signIn = try await DirectAuthSignIn.afterPassword(
      .mfaRequired("\(DirectAuthSignIn.otp) \(DirectAuthSignIn.oob)"),
      .error(code, #","error_description":"It has expired.""#))
    guard isEnd else {
      let choice = signIn
      let error = try await requireError(FlowError.self) {
        var copy = choice
        try await copy.choose(.authenticator(.oktaVerify))
      }
      expectEqual(error.code, .refused)
      expectEqual(error.remediation, .selectAuthenticatorAuthenticate)
      return
    }
    try await signIn.choose(.authenticator(.oktaVerify))
    expect(signIn.state.isAtEnd)
    expectEqual(signIn.state.response.messages.map(\.text), ["It has expired."])
  }

  @Test(
    "After an unusable challenge, the person chooses a factor again",
    arguments: [
      #"{}"#, #"[]"#, #"{"oob_code":""}"#, #"{"oob_code":{"a":1}}"#, "<html>", "",
      #"{"oob_code":"o","binding_method":"transfer"}"#,
      #"{"oob_code":"o","binding_method":"transfer","binding_code":""}"#,
      #"{"oob_code":"o","binding_method":"transfer","binding_code":["42"]}"#,
    ])
  func unusableChallenge(body: String) async throws {
    var signIn = try await afterPassword(.json(body))
    try await signIn.choose(.option(0))
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    expectEqual(signIn.state.response.messages.first?.isError, true)
  }

  @Test(
    "An unusable passkey challenge is an error if there is no other factor",
    arguments: [#"{}"#, #"{"publicKey":"YWJj"}"#, #"{"publicKey":[1]}"#, #"{"publicKey":17}"#])
  func unusablePasskeyChallenge(body: String) async throws {
    let error = try await requireError(FlowError.self) {
      try await DirectAuthSignIn.afterPassword(.mfaRequired(DirectAuthSignIn.webAuthn), .json(body))
    }
    expect(error.code == .unexpectedResponse && !error.message.contains("another way"))
  }

  @Test("A deeply nested challenge is an error and not a crash")
  func deepChallenge() async throws {
    for depth in [30, 60, 120, 500, 5000] {
      let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let body = #"{"publicKey":{"challenge":"YWJj","extensions":\#(deep)}}"#
      do {
        let state = try await DirectAuthSignIn.afterPassword(
          .mfaRequired(DirectAuthSignIn.webAuthn), .json(body)
        ).state
        expect(state.response.currentAuthenticator?.webAuthnChallenge != nil)
      } catch let error as FlowError { expectEqual(error.code, .unexpectedResponse) }
    }
  }

  @Test(
    "The polling interval is kept between 1 and 60 seconds",
    arguments: [
      ("-7", 1), ("0", 1), ("2", 2), ("1000000000", 60), ("99999999999999999999", 5),
      ("true", 5), (#""3""#, 5), ("null", 5), ("[1]", 5),
    ])
  func interval(text: String, seconds: Int) async throws {
    let challenge = #"{"oob_code":"o","binding_method":"none","interval":\#(text)}"#
    var signIn = try await DirectAuthSignIn(
      [.mfaRequired(DirectAuthSignIn.oob), .json(challenge)]
        + Array(repeating: .error("slow_down"), count: 30))
    try await signIn.enterUsername()
    try await signIn.enter("secret-1")
    try await signIn.choose(.option(0))
    expectEqual(signIn.state.response.remediations.first?.refresh, .seconds(seconds))
    for _ in 0..<30 { try await signIn.poll() }
    expectEqual(signIn.state.response.remediations.first?.refresh, .seconds(60))
  }

  @Test(
    "An extreme interval in a saved state is limited too",
    arguments: ["9223372036854775807", "-9223372036854775808"])
  func savedInterval(number: String) async throws {
    var signIn = try await afterPassword(
      .json(#"{"oob_code":"o","binding_method":"none","interval":7}"#),
      .error("authorization_pending"), .error("slow_down"))
    try await signIn.choose(.option(0))
    let text = String(decoding: try signIn.state.snapshot(), as: UTF8.self)
      .replacing(#"\"interval\":7"#, with: #"\"interval\":\#(number)"#)
    expectContains(text, number)
    signIn.state = try FlowState(
      snapshot: Data(text.utf8), for: signIn.state.configuration)
    for _ in 0..<2 {
      try await signIn.poll()
      expect(signIn.state.response.remediations.first?.refresh ?? .zero <= .seconds(60))
    }
  }
}
