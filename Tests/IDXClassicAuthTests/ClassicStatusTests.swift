import IDXBase
import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

@Suite("What the classic API says becomes steps that handlers know")
struct ClassicStatusTests {
  /// A sign-in after its password was answered with the first of these.
  private func pass(
    _ answers: AuthnServer.Answer...
  ) async throws -> (ClassicAuthClient, AuthnServer, FlowState) {
    var visit = try await AuthnVisit(answers)
    try await visit.pass()
    return (visit.client, visit.server, visit.state)
  }

  @Test("Consent is given to the scopes that are named, until the state ends")
  func consent() async throws {
    let (client, server, state) = try await pass(
      .state(
        "CONSENT_REQUIRED", links: ["next": .link("/consent", "consent")],
        embedded: ["scopes": [["name": "email", "displayName": "View your mail address"]]]),
      ClassicAuthClientTests.success)
    #expect(state.response.messages.first?.text?.contains("View your mail address") == true)
    #expect(try await client.proceed(.consent, from: state).isSignedIn)
    #expect(
      await server.requests.last?.body["consent"] == [
        "scopes": ["email"], "expiresAt": "2027-01-15T08:05:00.000Z",
      ])
  }

  @Test("The code of a device is typed and sent")
  func device() async throws {
    let (client, server, state) = try await pass(
      .state("DEVICE_ACTIVATE", links: ["next": .link("/device/activate", "deviceActivate")]),
      ClassicAuthClientTests.success)
    _ = try await client.proceed(.userCode, ["userCode": "ABCD-EFGH"], from: state)
    #expect(await server.requests.last?.line == "POST /api/v1/authn/device/activate")
    #expect(await server.requests.last?.body["userCode"] == "ABCD-EFGH")
  }

  @Test("The token of a link that activates an account begins there, with name and password")
  func unauthenticated() async throws {
    var options = StartOptions()
    options.activationToken = "act-1"
    options.loginHint = "ada@shop.example"
    var visit = try await AuthnVisit(
      [
        .state("UNAUTHENTICATED", links: ["next": .link("/auth", "authenticate")]),
        ClassicAuthClientTests.success,
      ], options)
    let server = visit.server
    #expect(await server.requests.last?.body == ["token": "act-1"])
    let field = try #require(visit.state.response[.identify]?["identifier"])
    #expect(field.value == "ada@shop.example")
    try await visit.submit(.identify)
    try await visit.submit(.challengeAuthenticator, ["credentials.passcode": "pw"])
    #expect(visit.state.isSignedIn)
    let request = try #require(await server.requests.last)
    #expect(request.line == "POST /api/v1/authn/auth" && request.body["stateToken"] == "st-1")
  }

  @Test("What was sent can be sent again on each channel that the server names")
  func channels() async throws {
    let sms = JSONValue.factor("sms", id: "f1")
    let (client, server, state) = try await pass(
      .state(
        "MFA_ENROLL_ACTIVATE",
        links: [
          "next": .link("/factors/f1/lifecycle/activate", "activate"),
          "resend": [
            .link("/factors/f1/lifecycle/resend", "sms"),
            .link("/factors/f1/lifecycle/resend/call", "call"),
          ],
        ], embedded: ["factor": sms]),
      ClassicAuthClientTests.success)
    let names = state.response.currentAuthenticator?.actions.map(\.name.rawValue)
    #expect(names == ["resend-sms", "resend-call"])
    _ = try await client.proceed("resend-call", from: state)
    #expect(await server.requests.last?.line.hasSuffix("/resend/call") == true)
  }

  @Test(
    "What was asked for again too soon is told, and the code that came is still taken",
    arguments: ["E0000109", "E0000118", "E0000133"])
  func tooSoon(code: String) async throws {
    let links: JSONValue = [
      "next": .link("/factors/f1/verify", "verify"),
      "resend": .link("/factors/f1/verify/resend", "sms"),
    ]
    let (client, server, state) = try await pass(
      .state("MFA_CHALLENGE", links: links, embedded: ["factor": .factor("sms", id: "f1")]),
      .error(code, "It was sent recently. Wait 30 seconds.", status: 429),
      .error("E0000047", "API call exceeded rate limit", status: 429),
      ClassicAuthClientTests.success)
    let refused = try await client.proceed(.resend, from: state)
    #expect(refused.response.messages.map(\.text) == ["It was sent recently. Wait 30 seconds."])
    let error = await #expect(throws: FlowError.self) {
      _ = try await client.proceed(.resend, from: refused)
    }
    #expect(error?.code == .rateLimited)
    let done = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "123456"], from: refused)
    #expect(done.isSignedIn)
    #expect(await server.isUsedUp)
  }

  @Test("Where the server stands elsewhere than thought, it is asked where")
  func elsewhere() async throws {
    let question = JSONValue.factor("question", id: "f1", profile: ["questionText": "Your pet?"])
    let required = AuthnServer.Answer.state(
      "MFA_REQUIRED", embedded: ["factors": [question, .factor("sms", id: "f2")]])
    let (client, server, state) = try await pass(
      required, .error("E0000079", "This operation is not allowed"), required)
    let next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
    #expect(next.response[.selectAuthenticatorAuthenticate] != nil)
    #expect(await server.requests.last?.body == ["stateToken": "st-1"])
    let asked = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.securityQuestion)],
      from: next)
    #expect(asked.response[.challengeAuthenticator]?["credentials.answer"]?.isSecret == true)
  }

  @Test(
    "How a push or a code came to nothing is said in words",
    arguments: [
      ("TIMEOUT", "api.authn.poll.error.push_timeout"),
      ("REJECTED", "api.authn.poll.error.push_rejected"), ("CANCELLED", nil), ("FAILED", nil),
      ("ERROR", nil), ("NOVELTY", nil),
      ("TIME_WINDOW_EXCEEDED", "api.authn.error.PASSCODE_INVALID"),
      ("PASSCODE_REPLAYED", "authfactor.challenge.soft_token.used_passcode"),
    ] as [(String, String?)])
  func results(result: String, key: String?) async throws {
    let push = JSONValue.factor("push", id: "f1")
    let (_, _, state) = try await pass(
      .state(
        "MFA_CHALLENGE", links: ["next": .link("/factors/f1/verify", "verify")],
        embedded: ["factor": push], ["factorResult": .string(result)]))
    let message = try #require(state.response.messages.first)
    #expect(message.isError && message.key?.rawValue == key && message.text?.isEmpty == false)
    #expect(state.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
  }

  @Test(
    "What only a page can prove is named as an unsupportedStep", arguments: ["web/DUO", "u2f/FIDO"])
  func unsupportedStep(kind: String) async throws {
    let parts = kind.split(separator: "/").map(String.init)
    let factor = JSONValue.factor(parts[0], parts[1], id: "f1")
    let (_, _, state) = try await pass(
      .state(
        "MFA_CHALLENGE", links: ["next": .link("/factors/f1/verify", "verify")],
        embedded: ["factor": factor]))
    let form = try #require(state.response.remediations.first)
    #expect(UnsupportedStep(Step(form, state: state)) != nil)
  }

  @Test(
    "An account that its wrong answers have locked ends the sign-in; giving up tells the server")
  func lockedAndCancelled() async throws {
    let required = AuthnServer.Answer.state(
      "MFA_REQUIRED", links: ["cancel": ClassicAuthClientTests.cancel],
      embedded: ["factors": [.factor("sms", id: "f1"), .factor("call", id: "f2")]])
    let (client, server, state) = try await pass(
      required, .error("E0000069", "User is locked"), .json([:]))
    let locked = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(0)], from: state)
    #expect(locked.isAtEnd && locked.response.messages.first?.text == "User is locked")
    let anew = try await client.cancel(state)
    #expect(anew.response.remediations.first?.name == .identify)
    #expect(await server.requests.last?.line == "POST /api/v1/authn/cancel")
    #expect(await server.isUsedUp)
  }

  @Test("Nothing that a server sends makes it fail otherwise than by an error")
  func nonsense() async throws {
    let nonsense: [JSONValue] = [
      ["status": "MFA_CHALLENGE"], ["status": "MFA_REQUIRED", "_embedded": ["factors": [1, []]]],
      ["status": "MFA_ENROLL", "_embedded": ["factors": [["factorType": "sms"]]]],
      ["status": "MFA_ENROLL_ACTIVATE", "_embedded": ["factor": ["factorType": 7]]],
      ["status": "PASSWORD_EXPIRED", "_links": ["next": ["href": 5]]], ["status": ""],
      ["status": "RECOVERY", "_embedded": ["user": ["recovery_question": []]]],
      ["status": "SUCCESS", "sessionToken": 5], ["status": "LOCKED_OUT", "_links": []],
      ["status": "MFA_REQUIRED", "_embedded": ["factors": [["factorType": "push"]]]],
    ]
    for json in nonsense {
      let (client, _, state) = try await pass(.json(json))
      #expect(state.response.original == json)
      for form in state.response.allForms {
        let answers = form.form.inputs().isEmpty ? Answers() : ["authenticator": .option(0)]
        do { _ = try await client.proceed(Submission(form, answers), from: state) } catch {
          #expect(error is FlowError)
        }
      }
    }
  }
}
