import IDXBase
import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

@Suite("What a server of the classic API may send beside what is expected")
struct HostileAuthnTests {
  private static let success = ClassicAuthClientTests.success

  private func visit(_ answers: AuthnServer.Answer...) async throws -> AuthnVisit {
    var visit = try await AuthnVisit(answers)
    try await visit.pass()
    return visit
  }

  @Test("A push to set up that nobody answered in time is begun anew")
  func lateEnrolment() async throws {
    let activate: JSONValue = .link("/factors/f1/lifecycle/activate", "activate")
    let factor = JSONValue.factor("push", id: "f1")
    var visit = try await visit(
      .state(
        "MFA_ENROLL_ACTIVATE", links: ["next": activate], embedded: ["factor": factor],
        ["factorResult": "TIMEOUT"]),
      .state(
        "MFA_ENROLL_ACTIVATE",
        links: ["next": .link("/factors/f1/lifecycle/activate/poll", "poll")],
        embedded: ["factor": factor], ["factorResult": "WAITING"]))
    let form = try #require(visit.state.response.remediations.first)
    #expect(UnsupportedStep(Step(form, state: visit.state)) == nil)
    try await visit.submit(form.name)
    #expect(
      await visit.server.requests.last?.line == "POST /api/v1/authn/factors/f1/lifecycle/activate")
    #expect(await visit.server.requests.last?.body == ["stateToken": "st-1"])
    #expect(visit.state.response.remediations.map(\.name) == [.enrollPoll])
  }

  @Test("Any of several passkeys answers one challenge")
  func passkeys() async throws {
    let keys = ["YQ", "Yg"].map { id in
      JSONValue.factor("webauthn", "FIDO", id: "f-\(id)", profile: ["credentialId": .string(id)])
    }
    let visit = try await visit(
      .state(
        "MFA_CHALLENGE", links: ["next": .link("/factors/webauthn/verify", "verify")],
        embedded: ["factors": .array(keys), "challenge": ["challenge": "Y2g"]]))
    let data = visit.state.response.currentAuthenticator?.webAuthnChallenge
    #expect(data?["challenge"] == "Y2g")
    #expect(data?["allowCredentials"]?.array?.compactMap { $0["id"] } == ["YQ", "Yg"])
    #expect(
      visit.state.response[.challengeAuthenticator]?.href?.hasSuffix("webauthn/verify") == true)
  }

  @Test("What is set up already is not offered to be set up, unless more of it may be")
  func setUpAlready() async throws {
    func factor(_ type: String, _ more: JSONValue) -> JSONValue {
      let members = (JSONValue.factor(type).object?.members ?? []) + (more.object?.members ?? [])
      return .object(JSONValue.Object(members))
    }
    let visit = try await visit(
      .state(
        "MFA_ENROLL",
        embedded: [
          "factors": [
            factor("question", ["status": "ACTIVE"]),
            factor(
              "webauthn",
              ["status": "ACTIVE", "policy": ["enrollment": ["enrolled": 1, "maximum": 2]]]),
            factor("token:software:totp", ["status": "NOT_SETUP"]),
          ]
        ]))
    let options = visit.state.response[.selectAuthenticatorEnroll]?["authenticator"]?.options ?? []
    #expect(options.map(\.label) == ["Passkey or security key", "Okta Verify, by code"])
    #expect(options.map(\.authenticator?.key) == [.webAuthn, .oktaVerify])
    let enrolled = visit.state.response.authenticators(in: .authenticatorEnrollments)
    #expect(enrolled.map(\.key) == [.securityQuestion, .webAuthn])
  }

  @Test(
    "Where nothing can be done, it says so",
    arguments: [
      ["status": "MFA_REQUIRED"], ["status": "MFA_CHALLENGE"], ["status": "MFA_ENROLL"],
      ["status": "MFA_ENROLL_ACTIVATE"],
      ["status": "MFA_REQUIRED", "_embedded": ["factors": [["factorType": "push", "id": "1"]]]],
      ["status": "MFA_CHALLENGE", "_embedded": ["factor": ["factorType": "sms", "id": "1"]]],
      ["status": "PASSWORD_EXPIRED"], ["status": "CONSENT_REQUIRED"], ["status": "DEVICE_ACTIVATE"],
      ["status": "RECOVERY"],
    ] as [JSONValue])
  func nothingToDo(json: JSONValue) async throws {
    let visit = try await visit(.json(json))
    #expect(visit.state.response.remediations.isEmpty)
    #expect(visit.state.response.messages.contains { $0.isError && $0.text?.isEmpty == false })
  }

  @Test("Thousands of factors take no more than a moment", .timeLimit(.minutes(5)))
  func manyFactors() async throws {
    let factors = (0..<7_000).map { JSONValue.factor("sms", id: "f\($0)") }
    let clock = ContinuousClock()
    let time = try await clock.measure {
      let visit = try await visit(
        .state("MFA_REQUIRED", embedded: ["factors": .array(factors)]))
      _ = visit.state.response.remediations.count
    }
    #expect(time < .seconds(25))
  }

  @Test("An image is carried once, however many forms there are")
  func image() async throws {
    let activation: JSONValue = [
      "activation": ["_links": ["qrcode": ["href": "https://org.example/qr/1"]]]
    ]
    let resend = (0..<50).map { JSONValue.link("/factors/f1/lifecycle/resend", "way\($0)") }
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 1, count: 100_000)
    let waiting = AuthnServer.Answer.state(
      "MFA_ENROLL_ACTIVATE",
      links: [
        "next": .link("/factors/f1/lifecycle/activate/poll", "poll"), "resend": .array(resend),
      ], embedded: ["factor": .factor("push", id: "f1", embedded: activation)])
    var visit = try await visit(waiting, AuthnServer.Answer(body: png), waiting)
    for _ in 0..<2 {
      #expect(visit.state.response.currentAuthenticator?.qrCode?.bytes == png)
      #expect(try JSONEncoder().encode(visit.state).count < 500_000)
      if await !visit.server.isUsedUp { visit.state = try await visit.client.poll(visit.state) }
    }
    #expect(await visit.server.isUsedUp)
  }

  @Test("An image is asked for as an image")
  func imageType() async throws {
    let activation: JSONValue = [
      "activation": ["_links": ["qrcode": ["href": "https://org.example/qr/1"]]]
    ]
    let visit = try await visit(
      .state(
        "MFA_ENROLL_ACTIVATE", links: ["next": .link("/poll", "poll")],
        embedded: ["factor": .factor("push", id: "f1", embedded: activation)]),
      AuthnServer.Answer(body: []))
    #expect(await visit.server.headers["Accept"]?.contains("image/png") == true)
  }

  @Test("Where the list of questions gets lost, the question's key is typed")
  func lostQuestions() async throws {
    var question = JSONValue.factor("question").object ?? JSONValue.Object()
    question["_links"] = ["enroll": .link("/factors"), "questions": .link("/questions")]
    var visit = try await visit(
      .state("MFA_ENROLL", embedded: ["factors": [.object(question)]]), .lost)
    try await visit.submit(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.securityQuestion)])
    #expect(
      visit.state.response[.enrollAuthenticator]?["credentials.questionKey"]?.isRequired == true)
  }

  @Test("Before there is a sign-in, a refusal of the state is told and not passed over")
  func elsewhereAtFirst() async throws {
    let visit = try await visit(.error("E0000079", "This operation is not allowed"))
    #expect(visit.state.isRefusal && visit.state.response.says("errors.E0000079"))
  }

  @Test(
    "A token that was handed out is set up with what stands on it and what it shows",
    arguments: [
      ("token:hardware/YUBICO", ["passcode"], ["passCode": "111111"]),
      (
        "token/SYMANTEC", ["credentialId", "passcode", "nextPasscode"],
        [
          "profile": ["credentialId": "VSMT1"], "passCode": "111111", "nextPassCode": "222222",
        ]
      ),
      (
        "token/RSA", ["credentialId", "passcode"],
        ["profile": ["credentialId": "VSMT1"], "passCode": "111111"]
      ),
    ] as [(String, [String], JSONValue)])
  func handedOut(kind: String, names: [String], sent: JSONValue) async throws {
    let parts = kind.split(separator: "/").map(String.init)
    var visit = try await visit(
      .state("MFA_ENROLL", embedded: ["factors": [.factor(parts[0], parts[1])]]),
      .error("E0000068", "Invalid Passcode/Answer"), Self.success)
    try await visit.submit(.selectAuthenticatorEnroll, ["authenticator": .option(0)])
    #expect(await visit.server.requests.count == 1)
    let texts = ["credentialId": "VSMT1", "passcode": "111111", "nextPasscode": "222222"]
    var answers = Answers()
    for name in names { answers["credentials.\(name)"] = .text(texts[name] ?? "") }
    for _ in 0..<2 { try await visit.submit(.enrollAuthenticator, answers) }
    #expect(visit.state.isSignedIn)
    let body = await visit.server.requests.last?.body
    for member in sent.object?.members ?? [] { #expect(body?[member.name] == member.value) }
    #expect(body?["factorType"]?.string == parts[0] && body?["provider"]?.string == parts[1])
  }

  @Test("Nothing that is printed on the way shows a secret")
  func dumps() async throws {
    let activation: JSONValue = [
      "activation": [
        "sharedSecret": "JBSWY3DPEHPK3PXP", "_links": ["qrcode": ["href": "https://org.example/q"]],
      ]
    ]
    let factor = JSONValue.factor("token:software:totp", "GOOGLE", id: "f1", embedded: activation)
    var visit = try await AuthnVisit([
      .state("MFA_ENROLL", embedded: ["factors": [.factor("token:software:totp", "GOOGLE")]]),
      .state(
        "MFA_ENROLL_ACTIVATE", links: ["next": .link("/activate", "activate")],
        embedded: ["factor": factor]),
      .error("E0000068", "The code 123456 for st-1-long-enough is wrong"), Self.success,
    ])
    let secrets = ["Corr3ct-Horse", "st-1", "JBSWY3DPEHPK3PXP", "123456", "session-1"]
    func check(_ value: Any) {
      var text = "\(value)" + String(reflecting: value)
      dump(value, to: &text)
      for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    }
    try await visit.name()
    let steps: [(Remediation.Name, Answers)] = [
      (.challengeAuthenticator, ["credentials.passcode": "Corr3ct-Horse"]),
      (.selectAuthenticatorEnroll, ["authenticator": .option(0)]),
      (.enrollAuthenticator, ["credentials.passcode": "123456"]),
      (.enrollAuthenticator, ["credentials.passcode": "123456"]),
    ]
    for (name, answers) in steps {
      let form = try #require(visit.state.response[name])
      check(Submission(form, answers))
      try await visit.submit(name, answers)
      check(visit.state)
      check(FlowPhase(visit.state))
      check(visit.state.response.allForms)
    }
    #expect(visit.state.isSignedIn)
    check(visit.client)
    let (client, state) = (visit.client, visit.state)
    let error = await #expect(throws: FlowError.self) { _ = try await client.redeem(state) }
    if let error { check(error) }
  }

  @Test("Who gives up starts over, also where the reply to that gets lost")
  func lostFarewell() async throws {
    var visit = try await visit(
      .state(
        "MFA_REQUIRED", links: ["cancel": ClassicAuthClientTests.cancel],
        embedded: ["factors": [.factor("sms", id: "1")]]), .lost, .lost)
    visit.state = try await visit.client.proceed(.cancel, from: visit.state)
    #expect(visit.state.response.remediations.first?.name == .identify)
  }

  @Test("A refusal without a word is said in some")
  func wordless() async throws {
    let visit = try await visit(
      .json(
        ["errorCode": "E0000004", "errorSummary": "", "errorCauses": [["errorSummary": ""]]],
        status: 401))
    #expect(visit.state.response.messages.allSatisfy { $0.text?.isEmpty == false })
  }
}
