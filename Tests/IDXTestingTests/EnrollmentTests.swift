import IDXBase
import IDX
import IDXFlow
import IDXTesting
import IDXQRCode
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Setting up authenticators in the simulated org")
struct EnrollmentTests {
  private let enroll = "select-authenticator-enroll"

  @Test("The demo offers Google Authenticator, e-mail and to skip")
  func demo() async throws {
    let org = makeOrg(.demo)
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    #expect(visitor.remediations == [enroll, "skip"])
    #expect(visitor.options(of: enroll) == ["Google Authenticator", "Email"])
    try await visitor.submit("skip")
    #expect(visitor.isDone)
    #expect(await org.user("ada@shop.example")?.enrollments == [])
  }

  @Test("Google Authenticator is set up with the QR code's secret, which survives wrong codes")
  func googleAuthenticator() async throws {
    let org = makeOrg(.required(.googleAuthenticator))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    #expect(visitor.remediations == [enroll])
    #expect(await org.authenticatorCode(for: "ada@shop.example") == nil)
    try await visitor.choose("Google Authenticator", in: enroll)
    #expect(visitor.remediations == ["enroll-authenticator"])
    let secret = try #require(visitor.sharedSecret)
    #expect(secret.count == 16)
    #expect(Base32.decode(secret)?.count == 10)

    let uri =
      "otpauth://totp/demo.okta.example:ada%40shop.example?secret=\(secret)"
      + "&issuer=demo.okta.example"
    let image = Data(try QRCode(uri).png()).base64EncodedString()
    let qrCode = visitor.current?["contextualData"]?["qrcode"]
    #expect(qrCode?["href"]?.string == "data:image/png;base64,\(image)")
    #expect(qrCode?["method"] == "embedded")
    #expect(qrCode?["type"] == "image/png")

    let step = visitor.json
    try await visitor.answer("000000")
    #expect(visitor.status == 401)
    #expect(visitor.messageKeys == [])
    #expect(
      visitor.messageKeys(at: "credentials.passcode") == ["api.authn.error.PASSCODE_INVALID"])
    #expect(visitor.sharedSecret == secret)
    try await visitor.introspect()
    #expect(visitor.json == step)

    let code = try #require(await org.authenticatorCode(for: "ada@shop.example"))
    try await visitor.answer(code)
    #expect(visitor.isDone)
    #expect(
      await org.user("ada@shop.example")?.enrollments
        == [.googleAuthenticator(secret: Secret(secret))])
    #expect(await org.authenticatorCode(for: "ada@shop.example") == code)
  }

  @Test("The secret stays the same when the user looks at another authenticator and comes back")
  func secretStays() async throws {
    var visitor = try await Visitor(makeOrg(.demo))
    try await visitor.signIn()
    try await visitor.choose("Google Authenticator", in: enroll)
    let secret = visitor.sharedSecret
    #expect(secret != nil)
    #expect(visitor.remediations == ["enroll-authenticator", enroll, "skip"])
    #expect(visitor.options(of: enroll) == ["Email"])
    try await visitor.choose("Email", in: enroll)
    #expect(visitor.sharedSecret == nil)
    try await visitor.choose("Google Authenticator", in: enroll)
    #expect(visitor.sharedSecret == secret)
  }

  @Test("An e-mail address is set up by the code in the newest mail")
  func email() async throws {
    let org = makeOrg(.required(.email))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    #expect(await org.mailbox.messages.isEmpty)
    try await visitor.choose("Email", in: enroll)
    #expect(visitor.current?["profile"]?["email"] == "a***a@shop.example")
    let first = try #require(await org.mailbox.lastCode(to: "ada@shop.example"))
    try await visitor.submit("resend")
    #expect(visitor.status == 200)
    #expect(await org.mailbox.messages.count == 2)
    try await visitor.answer(first)
    #expect(visitor.status == 401)
    let second = try #require(await org.mailbox.lastCode(to: "ada@shop.example"))
    try await visitor.answer(second)
    #expect(visitor.isDone)
    #expect(await org.user("ada@shop.example")?.enrollments == [.email])
  }

  @Test("A phone is set up in two requests, or in one that says all", arguments: ["sms", "voice"])
  func phone(method: String) async throws {
    let org = makeOrg(.required(.phone))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    let atOnce: JSONValue = ["methodType": .string(method), "phoneNumber": "+15550100142"]
    var other = visitor
    try await visitor.choose("Phone", in: enroll)
    #expect(visitor.remediations == ["authenticator-enrollment-data"])
    let id = try #require(visitor.current?["id"])
    var data = try #require(atOnce.object)
    data["id"] = id
    try await visitor.submit("authenticator-enrollment-data", ["authenticator": .object(data)])
    #expect(visitor.remediations == ["enroll-authenticator"])
    let message = try #require(await org.mailbox.messages.last)
    #expect(message.method == IDXAuthenticator.Method(rawValue: method))
    #expect(message.text.contains(message.code))
    try await visitor.answer(message.code)
    #expect(visitor.isDone)
    #expect(await org.user("ada@shop.example")?.enrollments == [.phone("+15550100142")])

    other = try await Visitor(makeOrg(.required(.phone)))
    try await other.signIn()
    try await other.choose("Phone", in: enroll, atOnce)
    #expect(other.remediations == ["enroll-authenticator"])
  }

  @Test(
    "What is no telephone number is refused, and the step stays",
    arguments: ["", "5550100142", "+0155501001", "+1555", "+1 555 010 0142", "+15550100142000000"])
  func badNumber(number: String) async throws {
    let org = makeOrg(.required(.phone))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    try await visitor.choose("Phone", in: enroll)
    let id = try #require(visitor.current?["id"])
    try await visitor.submit(
      "authenticator-enrollment-data",
      ["authenticator": ["id": id, "methodType": "sms", "phoneNumber": .string(number)]])
    #expect(visitor.status == 400)
    #expect(
      visitor.messageKeys
        == [number.isEmpty ? "api.error.field_required" : "api.factors.error.sms.invalid_phone"])
    #expect(await org.mailbox.messages.isEmpty)
    try await visitor.introspect()
    #expect(visitor.remediations == ["authenticator-enrollment-data"])
  }

  @Test("A security question is one of the org's, or in the user's own words")
  func securityQuestion() async throws {
    let org = makeOrg(.required(.securityQuestion))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    try await visitor.choose("Security Question", in: enroll)
    let questions = visitor.current?["contextualData"]?["questions"]?.array ?? []
    #expect(questions.count == 3)
    try await visitor.submit(
      "enroll-authenticator",
      ["credentials": ["questionKey": "childhood_street", "answer": "ab"]])
    #expect(visitor.status == 400)
    #expect(
      visitor.messageKeys(at: "credentials.answer") == ["securityQuestion.answer.tooShort.arg"])
    var other = visitor
    try await visitor.submit(
      "enroll-authenticator",
      ["credentials": ["questionKey": "childhood_street", "answer": "Bleeker"]])
    #expect(visitor.isDone)

    let second = makeOrg(.required(.securityQuestion))
    other = try await Visitor(second)
    try await other.signIn()
    try await other.choose("Security Question", in: enroll)
    try await other.submit(
      "enroll-authenticator",
      [
        "credentials": [
          "questionKey": "custom", "question": "What runs?", "answer": "The Engine",
        ]
      ])
    #expect(other.isDone)
    #expect(
      await second.user("ada@shop.example")?.enrollments
        == [.securityQuestion(question: "What runs?", answer: "The Engine")])
  }

  @Test("Required authenticators come first and cannot be skipped; then the rest is offered")
  func requiredThenOptional() async throws {
    let policy = SignInPolicy(
      required: [.email, .securityQuestion], optional: [.googleAuthenticator, .phone])
    let org = makeOrg(policy)
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    #expect(visitor.remediations == [enroll])
    #expect(visitor.options(of: enroll) == ["Email", "Security Question"])
    try await visitor.choose("Email", in: enroll)
    #expect(visitor.remediations == ["enroll-authenticator", enroll])
    try await visitor.answer(try #require(await org.mailbox.lastCode(to: "ada@shop.example")))
    #expect(visitor.options(of: enroll) == ["Security Question"])
    let enrolled = visitor.json["authenticatorEnrollments"]?["value"]?.array ?? []
    #expect(enrolled.compactMap { $0["key"]?.string } == ["okta_password", "okta_email"])
    try await visitor.choose("Security Question", in: enroll)
    try await visitor.submit(
      "enroll-authenticator",
      ["credentials": ["questionKey": "first_concert", "answer": "Mendelssohn"]])
    #expect(visitor.remediations == [enroll, "skip"])
    #expect(visitor.options(of: enroll) == ["Google Authenticator", "Phone"])
    try await visitor.choose("Google Authenticator", in: enroll)
    try await visitor.answer(
      try #require(await org.authenticatorCode(for: "ada@shop.example")))
    #expect(visitor.options(of: enroll) == ["Phone"])
    try await visitor.submit("skip")
    #expect(visitor.isDone)
  }

  @Test("Once enough is set up, no more is offered")
  func enough() async throws {
    let org = makeOrg(.demo)
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    try await visitor.choose("Email", in: enroll)
    try await visitor.answer(try #require(await org.mailbox.lastCode(to: "ada@shop.example")))
    #expect(visitor.isDone)
  }

  @Test("Wrong codes while setting up lock the account too")
  func lockOut() async throws {
    let org = makeOrg(SignInPolicy(required: [.googleAuthenticator], attempts: 2))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    try await visitor.choose("Google Authenticator", in: enroll)
    try await visitor.answer("000000")
    try await visitor.answer("000000")
    #expect(visitor.status == 429)
    #expect(visitor.messageKeys == ["oie.tooManyRequests"])
    try await visitor.introspect()
    #expect(visitor.status == 200)
    try await visitor.answer(
      try #require(await org.authenticatorCode(for: "ada@shop.example")))
    #expect(visitor.status == 429)
  }
}
