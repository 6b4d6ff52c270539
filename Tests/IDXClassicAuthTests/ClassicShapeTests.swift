import IDXBase
import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import Testing

@Suite("What orgs of the classic API send in more than one shape is understood")
struct ClassicShapeTests {
  /// A sign-in after its password was answered with the first of these.
  private func pass(
    _ answers: AuthnServer.Answer...
  ) async throws -> (ClassicAuthClient, AuthnServer, FlowState) {
    var visit = try await AuthnVisit(answers)
    try await visit.pass()
    return (visit.client, visit.server, visit.state)
  }

  @Test("Several passkeys have one challenge, and the link of their kind")
  func severalPasskeys() async throws {
    func key(_ id: String) -> JSONValue {
      [
        "id": .string(id), "factorType": "webauthn", "provider": "FIDO",
        "profile": ["credentialId": .string("Y3JlZA-\(id)")],
      ]
    }
    let kind: JSONValue = [
      "factorType": "webauthn", "_links": ["next": .link("/factors/webauthn/verify", "verify")],
    ]
    let (client, server, state) = try await pass(
      .state(
        "MFA_REQUIRED", embedded: ["factorTypes": [kind], "factors": [key("f1"), key("f2")]]),
      .state(
        "MFA_CHALLENGE", links: ["next": .link("/factors/webauthn/verify", "verify")],
        embedded: ["challenge": ["challenge": "Y2g"], "factors": [key("f1"), key("f2")]]))
    let next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
    #expect(await server.lines.last == "POST /api/v1/authn/factors/webauthn/verify")
    let challenge = next.response.currentAuthenticator?.webAuthnChallenge
    #expect(challenge?["challenge"] == "Y2g" && challenge?["allowCredentials"]?.array?.count == 2)
  }

  @Test("An app that was not scanned in time can be begun again, and its link sent instead")
  func pushSetUp() async throws {
    func state(_ result: String, next: String, sends: JSONValue = []) -> AuthnServer.Answer {
      let activation: JSONValue = [
        "activation": ["factorResult": .string(result), "_links": ["send": sends]]
      ]
      return .state(
        "MFA_ENROLL_ACTIVATE",
        links: ["next": .link("/factors/f1/lifecycle/activate/\(next)", next)],
        embedded: ["factor": .factor("push", id: "f1", embedded: activation)],
        ["factorResult": .string(result)])
    }
    let sends: JSONValue = [
      .link("/factors/f1/lifecycle/activate/email", "email"),
      .link("/factors/f1/lifecycle/activate/sms", "sms"),
    ]
    let (client, server, timeout) = try await pass(
      state("TIMEOUT", next: "activate"), state("WAITING", next: "poll", sends: sends),
      state("WAITING", next: "poll"))
    #expect(timeout.response.says("api.authn.poll.error.push_timeout"))
    let waiting = try await client.proceed(.enrollAuthenticator, from: timeout)
    #expect(waiting.response.remediations.first?.name == .enrollPoll)
    let names = waiting.response.currentAuthenticator?.actions.map(\.name.rawValue)
    #expect(names == ["send-email", "send-sms"])
    _ = try await client.proceed("send-sms", ["phoneNumber": "+15551234567"], from: waiting)
    let request = try #require(await server.requests.last)
    #expect(request.line == "POST /api/v1/authn/factors/f1/lifecycle/activate/sms")
    #expect(request.body["profile"]?["phoneNumber"] == "+15551234567")
  }

  @Test(
    "A token is set up by what it shows, and by what stands on it",
    arguments: [
      ("token:hardware/YUBICO", ["passcode": "passCode"], nil),
      ("token/RSA", ["passcode": "passCode", "credentialId": "credentialId"], "ada"),
      (
        "token/SYMANTEC",
        [
          "passcode": "passCode", "nextPasscode": "nextPassCode", "credentialId": "credentialId",
        ], nil
      ),
    ] as [(String, [String: String], String?)])
  func token(kind: String, fields: [String: String], known: String?) async throws {
    let parts = kind.split(separator: "/").map(String.init)
    let profile: JSONValue = known.map { ["credentialId": .string($0)] } ?? [:]
    let (client, server, state) = try await pass(
      .state("MFA_ENROLL", embedded: ["factors": [.factor(parts[0], parts[1], profile: profile)]]),
      ClassicAuthClientTests.success)
    let asked = try await client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .option(0)], from: state)
    let form = try #require(asked.response[.enrollAuthenticator])
    #expect(Set(form["credentials"]?.form?.fields.map(\.name) ?? []) == Set(fields.keys))
    #expect(form["credentials.credentialId"]?.value?.string == known)
    var answers = Answers()
    for name in fields.keys { answers["credentials.\(name)"] = .text("value of \(name)") }
    #expect(try await client.proceed(.enrollAuthenticator, answers, from: asked).isSignedIn)
    let body = try #require(await server.requests.last?.body)
    for (ours, theirs) in fields {
      let sent = body[theirs] ?? body["profile"]?[theirs]
      #expect(sent?.string == "value of \(ours)")
    }
  }

  @Test("A password that is changed elsewhere is no form", arguments: [true, false])
  func passwordElsewhere(isWarning: Bool) async throws {
    let (_, _, state) = try await pass(
      .state(
        isWarning ? "PASSWORD_WARN" : "PASSWORD_EXPIRED",
        links: [
          "next": [
            "name": "changePassword", "title": "Password desk",
            "href": "https://passwords.example.com/", "hints": ["allow": ["GET"]],
          ], "skip": .link("/skip", "skip"),
        ]))
    let form = try #require(state.response.remediations.first)
    #expect(UnsupportedStep(Step(form, state: state))?.kind == .passwordElsewhere)
    #expect(state.response.messages.first?.text?.contains("Password desk") == true)
    #expect(state.response.remediations.last?.name == .skip)
  }

  @Test(
    "A status without what it needs ends with a message and is no end without a word",
    arguments: [
      "MFA_CHALLENGE", "MFA_REQUIRED", "MFA_ENROLL", "MFA_ENROLL_ACTIVATE", "FACTOR_REQUIRED",
    ])
  func nothingToDo(status: String) async throws {
    let (_, _, state) = try await pass(.state(status))
    #expect(state.isAtEnd && state.response.messages.contains { $0.isError })
  }
}
