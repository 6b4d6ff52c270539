import Expectations
import Foundation
import IDX
import IDXDirectAuth
import IDXFlow
import IDXBase
import IDXOAuth
import Testing

/// DirectAuth errors and unexpected responses.
struct DirectAuthErrorTests {
  @Test(
    "A response that is not about the password is an error",
    arguments: [
      (.error("invalid_client", status: 401), .refused),
      (.error("invalid_grant", status: 429), .rateLimited),
      (.json("oops", status: 502), .serverFailed), (.json("<html>"), .unexpectedResponse),
      (.error("consent_required"), .refused), (.json("{}"), .unexpectedResponse),
      (.json("[]"), .unexpectedResponse), (.json("null"), .unexpectedResponse),
      (.json(""), .unexpectedResponse), (.json(#"{"access_token":""}"#), .unexpectedResponse),
      (.json(#"{"access_token":17}"#), .unexpectedResponse),
      (.json(#"{"token_type":"Bearer","id_token":"x.y.z"}"#), .unexpectedResponse),
      (.json(#"{"access_token":"a\r\nX-Evil: 1"}"#), .unexpectedResponse),
      (.json(#"{"error":"authorization_pending"}"#), .unexpectedResponse),
    ] as [(ScriptedServer.Response, FlowError.Code)])
  func errors(_ answer: ScriptedServer.Response, _ code: FlowError.Code) async throws {
    let error = try await requireError(FlowError.self) {
      try await DirectAuthSignIn.afterPassword(answer)
    }
    expectEqual(error.code, code)
  }

  @Test(
    "A denial, an unknown factor, or a missing MFA token ends the sign-in with a message",
    arguments: [
      .error("access_denied", status: 403), .mfaRequired("urn:something:else"),
      noToken(""), noToken(#","mfa_token":"""#), noToken(#","mfa_token":17"#),
      noToken(#","mfa_token":null"#),
    ] as [ScriptedServer.Response])
  func ends(answer: ScriptedServer.Response) async throws {
    let state = try await DirectAuthSignIn.afterPassword(answer).state
    expect(state.isAtEnd && state.response.messages.count == 1)
  }

  private static func noToken(_ more: String) -> ScriptedServer.Response {
    .error(
      "mfa_required", #","supported_challenge_types":"\#(DirectAuthSignIn.otp)""# + more)
  }

  @Test("Without challenge types, every second factor is offered")
  func noChallengeTypes() async throws {
    let types = #"["\#(DirectAuthSignIn.otp)","\#(DirectAuthSignIn.oob)"]"#
    let responses = [
      #","mfa_token":"mfa-token-1""#,
      #","mfa_token":"mfa-token-1","supported_challenge_types":null"#,
      #","mfa_token":"mfa-token-1","supported_challenge_types":\#(types)"#,
    ]
    for (response, count) in zip(responses, [6, 6, 5]) {
      let signIn = try await DirectAuthSignIn.afterPassword(.error("mfa_required", response))
      expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
      let enrollments = signIn.state.response.authenticators(in: .authenticatorEnrollments)
      expectEqual(enrollments.count, count)
    }
  }

  @Test(
    "If the server asks for second factors forever, the sign-in ends at the coordinator's limit",
    arguments: [DirectAuthSignIn.otp, DirectAuthSignIn.oob])
  func endlessFactors(type: String) async throws {
    let server = ScriptedServer(Array(repeating: .mfaRequired(type), count: 200))
    let coordinator = FlowCoordinator(
      client: DirectAuthClient(transport: server), handlers: .simple, sleep: { _ in })
    await #expect(throws: FlowError.self) {
      try await coordinator.run(DirectAuthSignIn.configuration)
    }
    await expect(!server.isUsedUp)
  }

  @Test("If the reply to a code is lost, the error says that the code may have arrived")
  func lostResponse() async throws {
    let signIn = try await DirectAuthSignIn.afterPassword(
      .mfaRequired(DirectAuthSignIn.otp), .lost, .error("invalid_grant"))
    let error = try await signIn.error(entering: "123456")
    expect(error.code == .network && error.message.contains("start again"))
    expectPrefix(error.message, "The answer was lost.")
    expectEqual((error.underlying as? TransportError)?.mayHaveArrived, true)
    // The code is not sent twice.
    await expectEqual(signIn.server.requests.count, 2)
  }

  @Test("A cancelled task throws CancellationError")
  func cancelled() async throws {
    let signIn = try await DirectAuthSignIn.afterPassword(
      .mfaRequired(DirectAuthSignIn.otp), .tokens)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var copy = signIn
      try await copy.enter("123456")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await expectEqual(signIn.server.requests.count, 1)
  }

  @Test("Of duplicate members, the last one is always used")
  func duplicateMembers() async throws {
    let twice = #","mfa_token":"first-1","mfa_token":"second-1","supported_challenge_types":"x""#
    var signIn = try await DirectAuthSignIn.afterPassword(
      .error("mfa_required", twice + #","supported_challenge_types":"\#(DirectAuthSignIn.oob)""#),
      .json(#"{"oob_code":"first-2","oob_code":"second-2","interval":1,"interval":2}"#), .tokens)
    try await signIn.choose(.option(0))
    expectEqual(signIn.state.response.remediations.first?.refresh, .seconds(2))
    try await signIn.poll()
    expect(signIn.state.isSignedIn)
    let sent = await signIn.server.requests.map(\.parameters)
    expectEqual(sent.dropFirst().map { $0["mfa_token"] }, ["second-1", "second-1"])
    expectEqual(sent.last?["oob_code"], "second-2")
  }

  @Test("A code, and the tokens sent with it, are removed from server messages and errors")
  func repeatedSecrets() async throws {
    let words = #","error_description":"mfa-token-1 oob-code-1 654321""#
    var signIn = try await DirectAuthSignIn.afterPassword(
      .mfaRequired(DirectAuthSignIn.oob),
      .json(#"{"oob_code":"oob-code-1","binding_method":"prompt"}"#),
      .error("invalid_grant", words), .error("consent_required", words, status: 401),
      .error("invalid_grant", words, status: 500))
    try await signIn.choose(.option(1))
    let sent = signIn
    try await signIn.enter("654321")
    var texts = [try require(signIn.state.response.messages.first?.text)]
    for _ in 0..<2 {
      texts.append(printedTexts(of: try await sent.error(entering: "654321")))
    }
    for text in texts {
      for secret in ["mfa-token-1", "oob-code-1", "654321"] { expect(!text.contains(secret)) }
    }
  }

  @Test("Terminal control sequences are removed from server messages")
  func controlSequences() async throws {
    let evil = #"\u001b]0;pwned\u0007\u001b[31mWrong\u202e\r\n"#
    let wrong = try await DirectAuthSignIn.afterPassword(
      .error("invalid_grant", #","error_description":"\#(evil)""#))
    let text = try require(wrong.state.response.messages.first?.text)
    expect(text.contains("Wrong") && !text.unicodeScalars.contains { $0.value < 0x20 })
    expect(!text.unicodeScalars.contains("\u{202e}"))
    let error = try await requireError(FlowError.self) {
      try await DirectAuthSignIn.afterPassword(
        .error(evil, #","error_description":"\#(evil)""#))
    }
    expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
  }
}
