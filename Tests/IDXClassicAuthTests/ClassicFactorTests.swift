import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import IDXOAuth
import Testing

/// Classic second factors.
struct ClassicFactorTests {
  @Test("The code of an app is asked for without a request and sent to the factor's link")
  func appCode() async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaRequired(.factor("token:software:totp", "GOOGLE", id: "f1"), .factor("sms", id: "f2")),
      .error("E0000068", "Invalid Passcode/Answer"), .success)
    let choice = try require(signIn.response[.selectAuthenticatorAuthenticate])
    expectEqual(
      choice["authenticator"]?.options.map(\.label), ["Google Authenticator", "Phone, by SMS"])
    try await signIn.choose(.authenticator(.googleAuthenticator))
    await expectEqual(signIn.server.requests.count, 1)
    try await signIn.enter("000000")
    expect(signIn.response.says(.passcodeInvalid))
    expectEqual(signIn.response.currentAuthenticator?.key, .googleAuthenticator)
    try await signIn.enter("123456")
    expect(signIn.state.isSignedIn)
    let request = try await require(signIn.server.requests.last)
    expectEqual(request.line, "POST /api/v1/authn/factors/f1/verify")
    expect(request.body["passCode"] == "123456" && request.body["stateToken"] == "st-1")
  }

  @Test("A code is sent to the only factor without asking, and the person can go back")
  func onlyFactor() async throws {
    let sms = JSONValue.factor("sms", id: "f1", profile: ["phoneNumber": "+1 XXX-XXX-1337"])
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaRequired(sms), .mfaChallenge(sms), .mfaChallenge(sms), .mfaRequired(sms))
    expectEqual(signIn.names, [.challengeAuthenticator])
    expectEqual(signIn.response.currentAuthenticator?.phoneNumber, "+1 XXX-XXX-1337")
    expectEqual(signIn.response.actions.map(\.name), [.previous, .cancel])
    try await signIn.submit(.resend)
    try await signIn.submit(.previous)
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    await expectEqual(
      signIn.server.lines,
      [
        "POST /api/v1/authn", "POST /api/v1/authn/factors/f1/verify",
        "POST /api/v1/authn/factors/f1/verify/resend", "POST /api/v1/authn/previous",
      ])
  }

  @Test("If no code could be sent to the only factor, the person can choose it and try again")
  func unsentCode() async throws {
    let sms = JSONValue.factor("sms", id: "f1")
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaRequired(sms), .lost, .mfaChallenge(sms))
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    try await signIn.choose(.authenticator(.phone))
    expectEqual(signIn.names, [.challengeAuthenticator])
  }

  @Test("A push shows its number and is polled; after it was rejected, it can be sent again")
  func push() async throws {
    let push = JSONValue.factor("push", id: "f1", profile: ["name": "Ada's phone"])
    let totp = JSONValue.factor("token:software:totp", id: "f2")
    let numbered = JSONValue.factor(
      "push", id: "f1", profile: ["name": "Ada's phone"],
      embedded: ["challenge": ["correctAnswer": 42]])
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaRequired(push), .mfaChallenge(numbered, next: "poll", result: "WAITING"),
      .mfaChallenge(push, result: "REJECTED"), .mfaRequired(push, totp),
      .mfaChallenge(push, next: "poll", result: "WAITING"), .success)
    expectEqual(signIn.response.currentAuthenticator?.numberChallenge, "42")
    expectEqual(signIn.response.currentAuthenticator?.nickname, "Ada's phone")
    expectEqual(signIn.response[.challengePoll]?.refresh, .seconds(4))
    try await signIn.poll()
    expect(signIn.response.says("api.authn.poll.error.push_rejected"))
    let options = signIn.response[.selectAuthenticatorAuthenticate]?["authenticator"]?.options
    expectEqual(options?.map(\.label), ["Okta Verify, by push", "Okta Verify, by code"])
    await expectEqual(signIn.server.lines.last, "POST /api/v1/authn/previous")
    try await signIn.choose(.authenticator(.oktaVerify))
    try await signIn.poll()
    expect(signIn.state.isSignedIn)
    await expect(signIn.server.lines.suffix(2).allSatisfy { $0.hasSuffix("/factors/f1/verify") })
  }

  @Test(
    "The result of a push or a code has a message",
    arguments: [
      ("TIMEOUT", "api.authn.poll.error.push_timeout"),
      ("REJECTED", "api.authn.poll.error.push_rejected"), ("CANCELLED", nil), ("FAILED", nil),
      ("ERROR", nil), ("NOVELTY", nil),
      ("TIME_WINDOW_EXCEEDED", "api.authn.error.PASSCODE_INVALID"),
      ("PASSCODE_REPLAYED", "authfactor.challenge.soft_token.used_passcode"),
    ] as [(String, String?)])
  func results(result: String, key: String?) async throws {
    let signIn = try await ClassicSignIn.afterPassword(
      .state(
        "MFA_CHALLENGE", links: ["next": .link("/factors/f1/verify", "verify")],
        embedded: ["factor": .factor("push", id: "f1")], ["factorResult": .string(result)]))
    let message = try require(signIn.response.messages.first)
    expect(message.isError && message.key?.rawValue == key && message.text?.isEmpty == false)
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
  }

  @Test("Several factors of one kind can be distinguished")
  func severalOfOneKind() async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaRequired(
        .factor("sms", id: "f1", profile: ["phoneNumber": "+1 XXX-XXX-1111"]),
        .factor("sms", id: "f2", profile: ["phoneNumber": "+1 XXX-XXX-2222"]),
        .factor("token:software:totp", "GOOGLE", id: "f3"),
        .factor("token:software:totp", "GOOGLE", id: "f4"),
        .factor("push", "CUSTOM", id: "f5", profile: ["name": "Work phone"]),
        .factor("push", "CUSTOM", id: "f6", profile: ["name": "Tablet"]),
        .factor("webauthn", "FIDO", id: "f7", profile: ["authenticatorName": "YubiKey 5C"]),
        .factor("webauthn", "FIDO", id: "f8", profile: ["authenticatorName": "Touch ID"]),
        .factor("claims_provider", "CUSTOM", id: "f9"),
        .factor("claims_provider", "CUSTOM", id: "f10").adding("vendorName", "Partner"),
        .factor("token:hardware", "OTHER", id: "f12").adding("vendorName", "Other")),
      .mfaChallenge(.factor("sms", id: "f2")))
    let form = try require(signIn.response[.selectAuthenticatorAuthenticate])
    let options = form["authenticator"]?.options ?? []
    expectEqual(
      Step(form, state: signIn.state).inputs.first?.choices.map(\.label),
      [
        "Phone, by SMS (+1 XXX-XXX-1111)", "Phone, by SMS (+1 XXX-XXX-2222)",
        "Google Authenticator (1)", "Google Authenticator (2)",
        "Push notification (Work phone)", "Push notification (Tablet)",
        "Passkey or security key (YubiKey 5C)", "Passkey or security key (Touch ID)",
        "Another sign-in page", "Partner", "Hardware token",
      ])
    expectEqual(
      options.prefix(3).map { $0.authenticator?.phoneNumber?.suffix(4) }, ["1111", "2222", nil])
    try await signIn.choose(.option(1))
    await expectEqual(signIn.server.lines.last, "POST /api/v1/authn/factors/f2/verify")
  }

  @Test("A passkey signs the server's challenge")
  func passkey() async throws {
    let profile: JSONValue = ["credentialId": "Y3JlZA"]
    let challenge: JSONValue = ["challenge": ["challenge": "Y2g", "userVerification": "preferred"]]
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaRequired(.factor("webauthn", "FIDO", id: "f1", profile: profile)),
      .mfaChallenge(
        .factor("webauthn", "FIDO", id: "f1", profile: profile, embedded: challenge)),
      .success)
    let data = signIn.response.currentAuthenticator?.webAuthnChallenge
    expect(data?["challenge"] == "Y2g" && data?["allowCredentials"]?[0]?["id"] == "Y3JlZA")
    try await signIn.submit(
      .challengeAuthenticator,
      [
        "credentials.authenticatorData": "YQ", "credentials.clientData": "Yg",
        "credentials.signatureData": "Yw",
      ])
    expect(signIn.state.isSignedIn)
    let body = try await require(signIn.server.requests.last?.body)
    expect(body["signatureData"] == "Yw" && body["clientData"] == "Yg")
  }

  @Test("Several passkeys share one challenge and the link of their type")
  func severalPasskeys() async throws {
    let keys = ["YQ", "Yg"].map { id -> JSONValue in
      [
        "id": .string("f-\(id)"), "factorType": "webauthn", "provider": "FIDO",
        "profile": ["credentialId": .string(id)],
      ]
    }
    let link = JSONValue.link("/factors/webauthn/verify", "verify")
    let type: JSONValue = ["factorType": "webauthn", "_links": ["next": link]]
    var signIn = try await ClassicSignIn.afterPassword(
      .state("MFA_REQUIRED", embedded: ["factorTypes": [type], "factors": .array(keys)]),
      .state(
        "MFA_CHALLENGE", links: ["next": link],
        embedded: ["challenge": ["challenge": "Y2g"], "factors": .array(keys)]))
    try await signIn.choose(.option(1))
    await expectEqual(signIn.server.lines.last, "POST /api/v1/authn/factors/webauthn/verify")
    let data = signIn.response.currentAuthenticator?.webAuthnChallenge
    expectEqual(data?["challenge"], "Y2g")
    expectEqual(data?["allowCredentials"]?.array?.compactMap { $0["id"] }, ["YQ", "Yg"])
    expectEqual(signIn.response[.challengeAuthenticator]?.href?.hasSuffix("webauthn/verify"), true)
  }

  @Test(
    "If a code is requested again too soon, a message says so, and the first code still works",
    arguments: ["E0000109", "E0000118", "E0000133"])
  func tooSoon(code: String) async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaChallenge(.factor("sms", id: "f1")),
      .error(code, "It was sent recently. Wait 30 seconds.", status: 429),
      .error("E0000047", "API call exceeded rate limit", status: 429), .success)
    try await signIn.submit(.resend)
    expectEqual(signIn.response.messages.map(\.text), ["It was sent recently. Wait 30 seconds."])
    let refused = signIn
    let error = try await requireError(FlowError.self) {
      try await refused.client.proceed(.resend, from: refused.state)
    }
    expectEqual(error.code, .rateLimited)
    try await signIn.enter("123456")
    expect(signIn.state.isSignedIn)
    await expect(signIn.server.isUsedUp)
  }

  @Test(
    "A factor that needs a web page is an unsupported step", arguments: ["web/DUO", "u2f/FIDO"])
  func unsupportedFactor(kind: String) async throws {
    let parts = kind.split(separator: "/").map(String.init)
    let signIn = try await ClassicSignIn.afterPassword(
      .mfaChallenge(.factor(parts[0], parts[1], id: "f1")))
    expect(UnsupportedStep(try require(signIn.step)) != nil)
  }
}
