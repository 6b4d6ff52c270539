import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXTesting

@Suite("The classic API in the simulated org: setting factors up")
struct ClassicEnrollmentTests {
  private let login = ClassicVisitor.login

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
