import IDXBase
import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

@Suite("A sign-in by the classic API, request by request")
struct ClassicAuthClientTests {
  static let cancel: JSONValue = .link("/cancel", "cancel")
  static let prev: JSONValue = .link("/previous", "prev")
  static let user: JSONValue = ["user": ["id": "00u1", "profile": ["login": "ada@shop.example"]]]
  static let success = AuthnServer.Answer.json([
    "status": "SUCCESS", "sessionToken": "session-1", "expiresAt": "2027-01-15T08:05:00.000Z",
    "_embedded": user,
  ])

  func configuration() throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: JSONValue.origin + "/oauth2/default", clientID: "0oa1",
      redirectURI: "com.example.app:/callback", scopes: ["profile"])
  }

  /// A sign-in before its password, and the server that it will be sent to.
  func begin(
    _ answers: [AuthnServer.Answer], returning result: ClassicAuthClient.Result = .tokens
  ) async throws -> (ClassicAuthClient, AuthnServer, FlowState) {
    let server = AuthnServer(answers)
    let client = ClassicAuthClient(transport: server, returning: result)
    let state = try await client.start(try configuration())
    return (
      client, server,
      try await client.proceed(.identify, ["identifier": "ada@shop.example"], from: state)
    )
  }

  /// The same after its password.
  func pass(
    _ answers: [AuthnServer.Answer], returning result: ClassicAuthClient.Result = .tokens
  ) async throws -> (ClassicAuthClient, AuthnServer, FlowState) {
    let (client, server, state) = try await begin(answers, returning: result)
    return (
      client, server, try await client.proceed(.challengeAuthenticator, code("pw"), from: state)
    )
  }

  func code(_ text: String) -> Answers { ["credentials.passcode": .text(text)] }

  func required(_ factors: JSONValue...) -> AuthnServer.Answer {
    .state(
      "MFA_REQUIRED", links: ["cancel": Self.cancel],
      embedded: ["user": Self.user["user"] ?? .null, "factors": .array(factors)])
  }

  func challenge(
    _ factor: JSONValue, next: String, result: String = "CHALLENGE"
  ) -> AuthnServer.Answer {
    .state(
      "MFA_CHALLENGE",
      links: [
        "next": .link("/factors/f1/verify", next), "prev": Self.prev, "cancel": Self.cancel,
        "resend": [.link("/factors/f1/verify/resend", "sms")],
      ], embedded: ["factor": factor], ["factorResult": .string(result)])
  }

  @Test("The name and the password are asked one after the other and sent together")
  func password() async throws {
    let (_, server, state) = try await pass([Self.success])
    #expect(state.isSignedIn && state.sessionToken == "session-1")
    let request = try #require(await server.requests.last)
    #expect(request.line == "POST /api/v1/authn")
    #expect(request.body["username"] == "ada@shop.example" && request.body["password"] == "pw")
    #expect(request.body["options"]?["warnBeforePasswordExpired"] == true)
  }

  @Test("A wrong password is asked for again, with what the server says")
  func wrongPassword() async throws {
    let (client, server, state) = try await pass([
      .error("E0000004", "Authentication failed", status: 401), Self.success,
    ])
    #expect(state.response.says(.authenticationFailed) && state.status == 401)
    #expect(state.response.remediations.first?.name == .challengeAuthenticator)
    #expect(try await client.proceed(.challengeAuthenticator, code("pw2"), from: state).isSignedIn)
    #expect(await server.isUsedUp)
  }

  @Test("A code of an app is typed at once, and sent to the factor's link")
  func appCode() async throws {
    let (client, server, state) = try await pass([
      required(.factor("token:software:totp", "GOOGLE", id: "f1"), .factor("sms", id: "f2")),
      .error("E0000068", "Invalid Passcode/Answer"), Self.success,
    ])
    let choice = try #require(state.response[.selectAuthenticatorAuthenticate])
    #expect(
      choice["authenticator"]?.options.map(\.label) == ["Google Authenticator", "Phone, by SMS"])
    var next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.googleAuthenticator)],
      from: state)
    #expect(await server.requests.count == 1)
    next = try await client.proceed(.challengeAuthenticator, code("000000"), from: next)
    #expect(next.response.says(.passcodeInvalid))
    #expect(next.response.currentAuthenticator?.key == .googleAuthenticator)
    next = try await client.proceed(.challengeAuthenticator, code("123456"), from: next)
    #expect(next.isSignedIn)
    let request = try #require(await server.requests.last)
    #expect(request.line == "POST /api/v1/authn/factors/f1/verify")
    #expect(request.body["passCode"] == "123456" && request.body["stateToken"] == "st-1")
  }

  @Test("The only factor begins by itself where something is to be sent, and can be gone back from")
  func onlyFactor() async throws {
    let sms = JSONValue.factor("sms", id: "f1", profile: ["phoneNumber": "+1 XXX-XXX-1337"])
    let (client, server, state) = try await pass([
      required(sms), challenge(sms, next: "verify"), challenge(sms, next: "verify"), required(sms),
    ])
    #expect(state.response.remediations.map(\.name) == [.challengeAuthenticator])
    #expect(state.response.currentAuthenticator?.phoneNumber == "+1 XXX-XXX-1337")
    #expect(state.response.actions.map(\.name) == [.previous, .cancel])
    let again = try await client.proceed(.resend, from: state)
    let back = try await client.proceed(.previous, from: again)
    #expect(back.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
    #expect(
      await server.lines == [
        "POST /api/v1/authn", "POST /api/v1/authn/factors/f1/verify",
        "POST /api/v1/authn/factors/f1/verify/resend", "POST /api/v1/authn/previous",
      ])
  }

  @Test("A push shows the number to pick, is polled, and can be sent again once it was rejected")
  func push() async throws {
    let push = JSONValue.factor("push", id: "f1", profile: ["name": "Ada's phone"])
    let totp = JSONValue.factor("token:software:totp", id: "f2")
    let numbered = JSONValue.factor(
      "push", id: "f1", profile: ["name": "Ada's phone"],
      embedded: ["challenge": ["correctAnswer": 42]])
    let (client, server, state) = try await pass([
      required(push), challenge(numbered, next: "poll", result: "WAITING"),
      challenge(push, next: "verify", result: "REJECTED"), required(push, totp),
      challenge(push, next: "poll", result: "WAITING"), Self.success,
    ])
    #expect(state.response.currentAuthenticator?.numberChallenge == "42")
    #expect(state.response.currentAuthenticator?.nickname == "Ada's phone")
    #expect(state.response[.challengePoll]?.refresh == .seconds(4))
    var next = try await client.poll(state)
    #expect(next.response.says("api.authn.poll.error.push_rejected"))
    let ways = next.response[.selectAuthenticatorAuthenticate]?["authenticator"]?.options
    #expect(ways?.map(\.label) == ["Okta Verify, by push", "Okta Verify, by code"])
    #expect(await server.lines.last == "POST /api/v1/authn/previous")
    next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.oktaVerify)], from: next)
    #expect(try await client.poll(next).isSignedIn)
    #expect(await server.lines.suffix(2).allSatisfy { $0.hasSuffix("/factors/f1/verify") })
  }

  @Test("Several factors of one kind are told apart")
  func severalOfAKind() async throws {
    let (client, server, state) = try await pass([
      required(
        .factor("sms", id: "f1", profile: ["phoneNumber": "+1 XXX-XXX-1111"]),
        .factor("sms", id: "f2", profile: ["phoneNumber": "+1 XXX-XXX-2222"]),
        .factor("token:software:totp", "GOOGLE", id: "f3"),
        .factor("token:software:totp", "GOOGLE", id: "f4")),
      challenge(.factor("sms", id: "f2"), next: "verify"),
    ])
    let options = state.response[.selectAuthenticatorAuthenticate]?["authenticator"]?.options ?? []
    #expect(
      options.map(\.label) == [
        "Phone, by SMS", "Phone, by SMS", "Google Authenticator, number 1",
        "Google Authenticator, number 2",
      ])
    #expect(options.map { $0.authenticator?.phoneNumber?.suffix(4) } == ["1111", "2222", nil, nil])
    _ = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
    #expect(await server.lines.last == "POST /api/v1/authn/factors/f2/verify")
  }

  @Test("A passkey is told what to sign, and its answer goes where the server says")
  func passkey() async throws {
    let key = JSONValue.factor("webauthn", "FIDO", id: "f1", profile: ["credentialId": "Y3JlZA"])
    let asked = JSONValue.factor(
      "webauthn", "FIDO", id: "f1", profile: ["credentialId": "Y3JlZA"],
      embedded: ["challenge": ["challenge": "Y2g", "userVerification": "preferred"]])
    let (client, server, state) = try await pass([
      required(key), challenge(asked, next: "verify"), Self.success,
    ])
    let data = state.response.currentAuthenticator?.webAuthnChallenge
    #expect(data?["challenge"] == "Y2g" && data?["allowCredentials"]?[0]?["id"] == "Y3JlZA")
    let answers: Answers = [
      "credentials.authenticatorData": "YQ", "credentials.clientData": "Yg",
      "credentials.signatureData": "Yw",
    ]
    #expect(try await client.proceed(.challengeAuthenticator, answers, from: state).isSignedIn)
    let body = try #require(await server.requests.last?.body)
    #expect(body["signatureData"] == "Yw" && body["clientData"] == "Yg")
  }
}
