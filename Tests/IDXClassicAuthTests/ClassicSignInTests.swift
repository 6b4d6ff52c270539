import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import IDXOAuth
import Testing

/// Classic sign-in: password, session token and tokens.
struct ClassicSignInTests {
  @Test("The username is sent with the password, which is asked for again if it is wrong")
  func wrongPassword() async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .error("E0000004", "Authentication failed", status: 401), .success)
    expect(signIn.response.says(.authenticationFailed) && signIn.state.status == 401)
    expectEqual(signIn.names.first, .challengeAuthenticator)
    try await signIn.enter("pw2")
    expect(signIn.state.isSignedIn && signIn.state.sessionToken == "session-1")
    let requests = await signIn.server.requests
    expectEqual(requests.map(\.line), ["POST /api/v1/authn", "POST /api/v1/authn"])
    expectEqual(requests.map { $0.body["username"] }, ["ada@shop.example", "ada@shop.example"])
    expectEqual(requests.map { $0.body["password"] }, ["pw", "pw2"])
    expectEqual(requests.last?.body["options"]?["warnBeforePasswordExpired"], true)
  }

  @Test(
    "A redirect for another sign-in or issuer, or with an error, returns no tokens and shows no secret",
    .promise("stolen-code"))
  func refusedTokens() async throws {
    let signIn = try await ClassicSignIn.afterPassword(.success)
    let state = signIn.state.redirectState.revealed
    await signIn.server.add(
      .redirect("code=c-1&state=other"),
      .redirect("code=c-1&state=\(state)&iss=https%3A%2F%2Fother.example%2Foauth2%2Fdefault"),
      .redirect("error=login_required&error_description=session-1+is+used&state=\(state)"),
      .json([:], status: 200))
    for _ in 0..<2 {
      let mismatch = try await requireError(FlowError.self) {
        try await signIn.client.redeem(signIn.state)
      }
      expectEqual(mismatch.code, .redirectMismatch)
      // The code is sent nowhere.
      await expectEqual(signIn.server.lines.last, "GET /oauth2/default/v1/authorize")
    }
    let refused = try await requireError(FlowError.self) {
      try await signIn.client.redeem(signIn.state)
    }
    expect(refused.code == .refused && !"\(refused)".contains("session-1"))
    expectEqual((refused.underlying as? OAuthError)?.explanation?.contains("session-1"), false)
    await #expect(throws: FlowError.self) { try await signIn.client.redeem(signIn.state) }
  }

  @Test("A client that returns the session token ends with it and requests no tokens")
  func sessionToken() async throws {
    let signIn = try await ClassicSignIn.afterPassword(.success, endingWith: .sessionToken)
    let state = signIn.state
    expect(state.isAtEnd && !state.isSignedIn && state.sessionToken == "session-1")
    expectEqual("\(FlowPhase(state))", "completed")
    await #expect(throws: FlowError.self) { try await signIn.client.redeem(state) }
    await expectEqual(signIn.server.requests.count, 1)
    for text in ["\(state)", String(reflecting: state), "\(state.response)"] {
      expect(!text.contains("session-1"))
    }
  }

  @Test("Only the status SUCCESS of this protocol with a session token signs in")
  func noSuccess() async throws {
    for (status, token) in [("SUCCESS", ""), ("MFA_REQUIRED", "session-1")] as [(String, String)] {
      let signIn = try await ClassicSignIn.afterPassword(
        .json(["status": .string(status), "sessionToken": .string(token)]))
      expect(!signIn.state.isSignedIn && signIn.state.sessionToken == nil, "\(status)")
      expect(!signIn.response.allMessages.isEmpty, "\(status)")
    }
    var draft = IDXResponse.Draft()
    draft.original = ["status": "SUCCESS", "sessionToken": "x"]
    let state = try FlowState(
      signInProtocol: .idx, configuration: ClassicSignIn.configuration, draft: draft)
    expectEqual(state.sessionToken, nil)
  }

  @Test("A saved state can be redeemed with its session token")
  func savedState() async throws {
    let signIn = try await ClassicSignIn.afterPassword(.success)
    let saved = try FlowState(
      snapshot: signIn.state.snapshot(), for: signIn.state.configuration)
    expect(saved == signIn.state && saved.isSignedIn)
    _ = try? await signIn.client.redeem(saved)
    await expectEqual(signIn.server.url?.query()?.contains("sessionToken=session-1"), true)
  }

  @Test("The maximum age still applies after a cancel, and if a restored sign-in starts over")
  func maximumAge() async throws {
    var options = StartOptions()
    options.maximumAge = 60
    var signIn = try await ClassicSignIn([.success], options)
    try await signIn.enterUsername()
    signIn.state = try await signIn.client.startOver(signIn.state)
    try await signIn.enterUsername()
    try await signIn.enter("pw")
    _ = try? await signIn.client.redeem(signIn.state)
    await expectEqual(signIn.server.url?.query()?.contains("max_age=60"), true)

    var restored = try await ClassicSignIn(
      [.error("E0000069", "User is locked"), .success], options)
    try await restored.enterUsername()
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": "ada"]) }
    handlers.on(.challengeAuthenticator) { _ in .submit(["credentials.passcode": "pw"]) }
    handlers.atEnd = { _ in .restart }
    let coordinator = FlowCoordinator(client: restored.client, handlers: handlers)
    _ = try? await coordinator.run(from: restored.state)
    await expectEqual(restored.server.url?.query()?.contains("max_age=60"), true)
  }

  @Test("acr_values are refused")
  func acrValues() async throws {
    var options = StartOptions()
    options.acrValues = ["urn:okta:loa:2fa:any"]
    let error = try await requireError(FlowError.self) { try await ClassicSignIn([], options) }
    expectEqual(error.code, .invalidConfiguration)
  }

  @Test("Cancelling tells the server and starts over, also if the reply is lost")
  func cancel() async throws {
    let factor = JSONValue.factor("sms", id: "f1")
    for reply in [ScriptedServer.Response.json([:]), .lost] {
      let signIn = try await ClassicSignIn.afterPassword(
        .mfaRequired(factor, .factor("call", id: "f2")), reply)
      let state = try await signIn.client.startOver(signIn.state)
      expectEqual(state.response.remediations.first?.name, .identify)
      await expectEqual(signIn.server.lines.last, "POST /api/v1/authn/cancel")
      await expect(signIn.server.isUsedUp)
    }
  }
}
