import IDXBase
import IDX
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("The classic API in the simulated org: setting factors up")
struct ClassicEnrollmentTests {
  private let login = ClassicVisitor.login

  @Test("What is required is offered without a way around it")
  func required() async throws {
    let org = makeOrg(.required(.phone, .googleAuthenticator))
    let visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("MFA_ENROLL", ["cancel"])
    #expect(visitor.kinds == ["sms OKTA", "call OKTA", "token:software:totp GOOGLE"])
    for factor in visitor.factors {
      #expect(factor["status"] == "NOT_SETUP")
      #expect(factor["enrollment"] == "REQUIRED")
      #expect(factor["vendorName"] == factor["provider"])
      let link = factor["_links"]?["enroll"]
      #expect(link?["href"]?.string == ClassicVisitor.base + "/factors")
      #expect(link?["hints"]?["allow"] == ["POST"])
    }
  }

  @Test("What is optional can be skipped, and what cannot be set up here is left out")
  func optional() async throws {
    let org = makeOrg(.optional(.email, .webAuthn, .oktaVerify, .securityQuestion))
    var visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("MFA_ENROLL", ["skip", "cancel"])
    #expect(visitor.kinds == ["email OKTA", "push OKTA", "question OKTA"])
    #expect(visitor.factors[0]["enrollment"] == "OPTIONAL")
    try await visitor.follow("skip")
    try await visitor.expectTokens(["pwd"])
    visitor = try await .signedIn(makeOrg(.optional(.webAuthn)))
    visitor.expect("SUCCESS")
  }

  @Test(
    "After one that is optional more are offered, if the client wants it", arguments: [true, false])
  func more(isWanted: Bool) async throws {
    let org = makeOrg(.optional(.email, .securityQuestion))
    var visitor = try await ClassicVisitor.signedIn(
      org, ["multiOptionalFactorEnroll": .bool(isWanted)])
    try await visitor.enroll("question", "OKTA", ["question": "first_concert", "answer": "Satie"])
    guard isWanted else { return visitor.expect("SUCCESS") }
    visitor.expect("MFA_ENROLL", ["skip", "cancel"])
    #expect(visitor.kinds == ["email OKTA"])
  }

  @Test("Google Authenticator, whose secret stays while the user looks around")
  func google() async throws {
    let org = makeOrg(.required(.googleAuthenticator))
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.enroll("token:software:totp", "GOOGLE")
    visitor.expect("MFA_ENROLL_ACTIVATE", ["next activate", "prev", "cancel"])
    #expect(visitor.result == nil)
    let activation = visitor.factor?["_embedded"]?["activation"]
    let secret = try #require(activation?["sharedSecret"]?.string)
    #expect(activation?["timeStep"] == 30)
    #expect(activation?["encoding"] == "base32")
    #expect(activation?["keyLength"] == 6)
    try await visitor.follow("next", ["passCode": "000000"])
    visitor.expectError("E0000068", 403)
    try await visitor.post(path: "")
    try await visitor.follow("prev")
    visitor.expect("MFA_ENROLL", ["cancel"])
    try await visitor.enroll("token:software:totp", "GOOGLE")
    #expect(visitor.factor?["_embedded"]?["activation"]?["sharedSecret"]?.string == secret)
    let id = visitor.factor?["id"]
    let code = await org.authenticatorCode(for: login) ?? ""
    #expect(TOTPGenerator(base32: Secret(secret))?.code(at: org.now) == code)
    try await visitor.follow("next", ["passCode": .string(code)])
    try await visitor.expectTokens(["mfa", "otp", "pwd"])
    visitor = try await .signedIn(org)
    #expect(visitor.factors.map { $0["id"] } == [id])
    try await visitor.verify("token:software:totp", ["passCode": .string(code)])
    visitor.expectError("E0000068", 403)
  }

  @Test("The image to scan is at an address of its own, as long as it is needed")
  func image() async throws {
    let org = makeOrg(.required(.googleAuthenticator))
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.enroll("token:software:totp", "GOOGLE")
    let link = visitor.factor?["_embedded"]?["activation"]?["_links"]?["qrcode"]
    #expect(link?["type"] == "image/png")
    let address = try #require(link?["href"]?.string)
    #expect(!address.contains(visitor.stateToken))
    let url = try #require(URL(string: address))
    let open = visitor
    try await visitor.send(TransportRequest(method: "GET", url: url))
    #expect(visitor.response.status == 200)
    #expect(visitor.response.header("Content-Type") == "image/png")
    #expect(visitor.response.body.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
    try await visitor.send(TransportRequest(method: "POST", url: url))
    #expect(visitor.response.status == 405)
    visitor = open
    try await visitor.follow("cancel")
    for text in [address, address + "x", "https://demo.okta.example/api/v1/factors/qr/"] {
      try await visitor.send(TransportRequest(method: "GET", url: try #require(URL(string: text))))
      visitor.expectError("E0000007", 404)
    }
  }

  @Test(
    "A phone or an address, by a code that can be sent again",
    arguments: [("sms", "+15550100199"), ("call", "+15550100199"), ("email", "ada@shop.example")])
  func sentCode(type: String, recipient: String) async throws {
    let org = makeOrg(.required(type == "email" ? .email : .phone))
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.enroll(
      type, "OKTA", type == "email" ? nil : ["phoneNumber": .string(recipient)])
    visitor.expect("MFA_ENROLL_ACTIVATE", ["next activate", "resend \(type)", "prev", "cancel"])
    let shown = visitor.factor?["profile"]
    #expect((shown?["phoneNumber"] ?? shown?["email"])?.string == recipient)
    let open = visitor
    try await visitor.follow("resend")
    #expect(visitor.json == open.json)
    #expect(await org.mailbox.messages.map(\.recipient) == [recipient, recipient])
    let codes = await org.mailbox.messages.map(\.code)
    try await visitor.follow("next", ["passCode": .string(codes[0])])
    visitor.expectError("E0000068", 403)
    visitor = open
    try await visitor.follow("next", ["passCode": .string(codes[1])])
    visitor.expect("SUCCESS")
    visitor = try await .signedIn(org)
    #expect(visitor.kinds.contains("\(type) OKTA"))
  }

  @Test("Okta Verify, once the phone has done its part")
  func oktaVerify() async throws {
    let org = makeOrg(.required(.oktaVerify))
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.enroll("push")
    for _ in 0..<2 {
      visitor.expect("MFA_ENROLL_ACTIVATE", ["next poll", "prev", "cancel"])
      #expect(visitor.result == "WAITING")
      let activation = visitor.factor?["_embedded"]?["activation"]
      #expect(activation?["factorResult"] == "WAITING")
      #expect(activation?["expiresAt"] == visitor.json["expiresAt"])
      #expect(activation?["sharedSecret"] == nil)
      let address = try #require(activation?["_links"]?["qrcode"]?["href"]?.string)
      let image = try await org.send(
        TransportRequest(method: "GET", url: try #require(URL(string: address))))
      #expect(image.body.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
      try await visitor.follow()
    }
    await org.completeEnrollment(for: login)
    try await visitor.follow()
    try await visitor.expectTokens(["mfa", "pwd", "swk"])
    visitor = try await .signedIn(org)
    #expect(visitor.kinds == ["push OKTA", "token:software:totp OKTA"])
  }

  @Test("A question of the org's is set up, and no other")
  func question() async throws {
    let org = makeOrg(.required(.securityQuestion))
    var visitor = try await ClassicVisitor.signedIn(org)
    let list = try #require(visitor.factors[0]["_links"]?["questions"]?["href"]?.string)
    let answer = try await org.send(
      TransportRequest(
        url: try #require(URL(string: list)), headers: ["Accept": "application/json"]))
    let questions = try JSONValue(parsing: answer.body).array ?? []
    #expect(questions.count == 3 && questions[0]["questionText"]?.string?.isEmpty == false)
    let question = try #require(questions[0]["question"])
    let offer = visitor
    try await visitor.enroll("question", "OKTA", ["question": question, "answer": "abc"])
    visitor.expectError("E0000001", 400, naming: "answer")
    visitor = offer
    try await visitor.enroll("question", "OKTA", ["question": "Who?", "answer": "abcd"])
    visitor.expectError("E0000001", 400, naming: "question")
    visitor = offer
    try await visitor.enroll("question", "OKTA", ["question": question, "answer": "abcd"])
    visitor.expect("SUCCESS")
    visitor = try await .signedIn(org)
    #expect(visitor.factors[0]["profile"]?["question"] == question)
    try await visitor.verify("question", ["answer": "ABCD"])
    visitor.expect("SUCCESS")
  }

  @Test(
    "What is wrong with a set-up is said by name",
    arguments: [
      ([:], "E0000001", 400, "factorType"), (["factorType": "sms"], "E0000001", 400, "provider"),
      (["factorType": "sms", "provider": "GOOGLE"], "E0000079", 403, ""),
      (["factorType": "webauthn", "provider": "FIDO"], "E0000079", 403, ""),
      (["factorType": "sms", "provider": "OKTA"], "E0000001", 400, "profile"),
      (["factorType": "sms", "provider": "OKTA", "profile": [:]], "E0000001", 400, "phoneNumber"),
      (
        ["factorType": "sms", "provider": "OKTA", "profile": ["phoneNumber": "5550100"]],
        "E0000001", 400, "phoneNumber"
      ),
      (
        ["factorType": "email", "provider": "OKTA", "profile": ["email": "eve@shop.example"]],
        "E0000001", 400, "email"
      ),
      (
        [
          "factorType": "question", "provider": "OKTA",
          "profile": ["question": "q", "answer": "abcd", "hint": "x"],
        ], "E0000001", 400, "hint"
      ),
      (["factorType": "email", "provider": "OKTA", "x": 1], "E0000001", 400, "x"),
    ] as [(JSONValue, String, Int, String)])
  func refused(body: JSONValue, code: String, status: Int, name: String) async throws {
    let org = makeOrg(.required(.phone, .email, .securityQuestion))
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.post(path: "/factors", body)
    visitor.expectError(code, status, naming: name)
    #expect(await org.mailbox.messages.isEmpty)
    try await visitor.post(path: "")
    visitor.expect("MFA_ENROLL")
  }
}
