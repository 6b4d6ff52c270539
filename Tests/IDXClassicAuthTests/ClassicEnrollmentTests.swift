import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import Testing

/// Classic enrollment of second factors.
struct ClassicEnrollmentTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]

  /// A push that is being set up with a QR code.
  private static let push = JSONValue.factor(
    "push", id: "f1",
    embedded: ["activation": ["_links": ["qrcode": ["href": "https://org.example/qr/1"]]]])

  @Test("The number of a phone is asked for before a request")
  func phone() async throws {
    var signIn = try await ClassicSignIn.afterPassword(.mfaEnroll(.factor("sms")), .success)
    try await signIn.enroll(.authenticator(.phone))
    await expectEqual(signIn.server.requests.count, 1)
    try await signIn.submit(
      .authenticatorEnrollmentData, ["authenticator.phoneNumber": "+15551234567"])
    let body = try await require(signIn.server.requests.last?.body)
    expect(body["profile"]?["phoneNumber"] == "+15551234567" && body["factorType"] == "sms")
  }

  @Test("A code can be sent again over each channel")
  func resendChannels() async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaEnrollActivate(
        .factor("sms", id: "f1"),
        resend: [
          .link("/factors/f1/lifecycle/resend", "sms"),
          .link("/factors/f1/lifecycle/resend/call", "call"),
        ]),
      .success)
    let names = signIn.response.currentAuthenticator?.actions.map(\.name.rawValue)
    expectEqual(names, ["resend-sms", "resend-call"])
    try await signIn.submit("resend-call")
    await expectEqual(signIn.server.lines.last?.hasSuffix("/resend/call"), true)
  }

  @Test(
    "A security question is chosen from the server's list, or its key is typed if the list is lost")
  func question() async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaEnroll(.questionFactor),
      .json([["question": "first_pet", "questionText": "Your first pet?"]]), .success)
    try await signIn.enroll(.authenticator(.securityQuestion))
    let field = signIn.response[.enrollAuthenticator]?["credentials.questionKey"]
    expectEqual(field?.options.map(\.label), ["Your first pet?"])
    try await signIn.submit(
      .enrollAuthenticator,
      ["credentials.questionKey": "first_pet", "credentials.answer": "Rex the dog"])
    let requests = await signIn.server.requests
    expectEqual(requests[1].line, "GET /api/v1/authn/questions")
    expectEqual(requests[2].body["profile"], ["question": "first_pet", "answer": "Rex the dog"])
    var lost = try await ClassicSignIn.afterPassword(.mfaEnroll(.questionFactor), .lost)
    try await lost.enroll(.authenticator(.securityQuestion))
    expectEqual(lost.response[.enrollAuthenticator]?["credentials.questionKey"]?.isRequired, true)
  }

  @Test("The image of a QR code is fetched once, as an image")
  func qrCode() async throws {
    let waiting = ScriptedServer.Response.mfaEnrollActivate(
      Self.push, next: "poll", result: "WAITING")
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaEnroll(.factor("push")), waiting, ScriptedServer.Response(body: Self.png + [1, 2]),
      waiting, .success)
    try await signIn.enroll(.authenticator(.oktaVerify))
    expectEqual(signIn.response.currentAuthenticator?.qrCode?.bytes, Self.png + [1, 2])
    await expectEqual(signIn.server.headers["Accept"]?.contains("image/png"), true)
    try await signIn.poll()
    expectEqual(signIn.response.currentAuthenticator?.qrCode?.bytes, Self.png + [1, 2])
    try await signIn.poll()
    expect(signIn.state.isSignedIn)
    await expectEqual(signIn.server.lines.count { $0 == "GET /qr/1" }, 1)
  }

  @Test("A state contains the image once, however many forms there are")
  func largeImage() async throws {
    let resend = (0..<50).map { JSONValue.link("/factors/f1/lifecycle/resend", "way\($0)") }
    let image = Self.png + [UInt8](repeating: 1, count: 100_000)
    let waiting = ScriptedServer.Response.mfaEnrollActivate(
      Self.push, next: "poll", resend: .array(resend))
    var signIn = try await ClassicSignIn.afterPassword(
      waiting, ScriptedServer.Response(body: image), waiting)
    for _ in 0..<2 {
      expectEqual(signIn.response.currentAuthenticator?.qrCode?.bytes, image)
      try expect(signIn.state.snapshot().count < 500_000)
      if await !signIn.server.isUsedUp { try await signIn.poll() }
    }
    await expect(signIn.server.isUsedUp)
  }

  @Test("A QR code that was not scanned in time can be requested again, or sent as a link")
  func lateScan() async throws {
    let sends: JSONValue = [
      .link("/factors/f1/lifecycle/activate/email", "email"),
      .link("/factors/f1/lifecycle/activate/sms", "sms"),
    ]
    func push(_ result: String, sends: JSONValue = []) -> JSONValue {
      let activation: JSONValue = ["factorResult": .string(result), "_links": ["send": sends]]
      return .factor("push", id: "f1", embedded: ["activation": activation])
    }
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaEnrollActivate(push("TIMEOUT"), result: "TIMEOUT"),
      .mfaEnrollActivate(push("WAITING", sends: sends), next: "poll", result: "WAITING"),
      .mfaEnrollActivate(push("WAITING"), next: "poll", result: "WAITING"))
    expect(signIn.response.says("api.authn.poll.error.push_timeout"))
    expectEqual(UnsupportedStep(try require(signIn.step)), nil)
    try await signIn.submit(.enrollAuthenticator)
    await expectEqual(signIn.server.lines.last, "POST /api/v1/authn/factors/f1/lifecycle/activate")
    await expectEqual(signIn.server.requests.last?.body, ["stateToken": "st-1"])
    expectEqual(signIn.names, [.enrollPoll])
    let names = signIn.response.currentAuthenticator?.actions.map(\.name.rawValue)
    expectEqual(names, ["send-email", "send-sms"])
    try await signIn.submit("send-sms", ["phoneNumber": "+15551234567"])
    let request = try await require(signIn.server.requests.last)
    expectEqual(request.line, "POST /api/v1/authn/factors/f1/lifecycle/activate/sms")
    expectEqual(request.body["profile"]?["phoneNumber"], "+15551234567")
    // Only the transaction says that it timed out.
    var other = try await ClassicSignIn.afterPassword(
      .mfaEnrollActivate(.factor("push", id: "f1"), result: "TIMEOUT"),
      .mfaEnrollActivate(.factor("push", id: "f1"), next: "poll", result: "WAITING"))
    try await other.submit(.enrollAuthenticator)
    expectEqual(other.names, [.enrollPoll])
  }

  @Test(
    "A hardware token is set up with its ID and its codes",
    arguments: [
      ("token:hardware/YUBICO", ["passcode": "passCode"], nil),
      ("token/RSA", ["passcode": "passCode", "credentialId": "credentialId"], "ada"),
      ("token/RSA", ["passcode": "passCode", "credentialId": "credentialId"], nil),
      (
        "token/SYMANTEC",
        [
          "passcode": "passCode", "nextPasscode": "nextPassCode", "credentialId": "credentialId",
        ], nil
      ),
    ] as [(String, [String: String], String?)])
  func hardwareToken(kind: String, fields: [String: String], known: String?) async throws {
    let parts = kind.split(separator: "/").map(String.init)
    let profile: JSONValue = known.map { ["credentialId": .string($0)] } ?? [:]
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaEnroll(.factor(parts[0], parts[1], profile: profile)),
      .error("E0000068", "Invalid Passcode/Answer"), .success)
    try await signIn.enroll(.option(0))
    await expectEqual(signIn.server.requests.count, 1)
    let form = try require(signIn.response[.enrollAuthenticator])
    expectEqual(Set(form["credentials"]?.form?.fields.map(\.name) ?? []), Set(fields.keys))
    expectEqual(form["credentials.credentialId"]?.value?.string, known)
    var answers = Answers()
    for name in fields.keys { answers["credentials.\(name)"] = .text("value of \(name)") }
    for _ in 0..<2 { try await signIn.submit(.enrollAuthenticator, answers) }
    expect(signIn.state.isSignedIn)
    let body = try await require(signIn.server.requests.last?.body)
    for (field, member) in fields {
      let sent = member == "credentialId" ? body["profile"]?[member] : body[member]
      expectEqual(sent?.string, "value of \(field)")
    }
    expect(body["factorType"]?.string == parts[0] && body["provider"]?.string == parts[1])
  }

  @Test("A factor that is set up is not offered again, unless the policy allows several")
  func alreadySetUp() async throws {
    func factor(_ type: String, _ more: JSONValue) -> JSONValue {
      let members = (JSONValue.factor(type).object?.members ?? []) + (more.object?.members ?? [])
      return .object(JSONValue.Object(members))
    }
    let several: JSONValue = ["enrollment": ["enrolled": 1, "maximum": 2]]
    let signIn = try await ClassicSignIn.afterPassword(
      .mfaEnroll(
        factor("question", ["status": "ACTIVE"]),
        factor("webauthn", ["status": "ACTIVE", "policy": several]),
        factor("token:software:totp", ["status": "NOT_SETUP"]),
        links: ["skip": .link("/skip", "skip")]))
    expectEqual(signIn.names, [.selectAuthenticatorEnroll, .skip])
    let options = signIn.response[.selectAuthenticatorEnroll]?["authenticator"]?.options ?? []
    expectEqual(options.map(\.label), ["Passkey or security key", "Okta Verify, by code"])
    expectEqual(options.map(\.authenticator?.key), [.webAuthn, .oktaVerify])
    let enrolled = signIn.response.authenticators(in: .authenticatorEnrollments)
    expectEqual(enrolled.map(\.key), [.securityQuestion, .webAuthn])
  }
}
