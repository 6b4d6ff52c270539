import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg

/// The classic API of the simulated org: setups.
struct ClassicEnrollmentTests {
  @Test(
    "Optional factors can be skipped, and after one, more are offered if the client asks"
  )
  func optional() async throws {
    let org = makeOrg(.optional(.email, .webAuthn, .oktaVerify, .securityQuestion))
    var client = try await ClassicClient.signedIn(org)
    client.expectStatus("MFA_ENROLL", ["skip", "cancel"])
    expectEqual(client.kinds, ["email OKTA", "push OKTA", "question OKTA"])
    expectEqual(client.factors[0]["enrollment"], "OPTIONAL")
    try await client.follow("skip")
    client.expectStatus("SUCCESS", [])
    client = try await .signedIn(makeOrg(.optional(.webAuthn)))
    client.expectStatus("SUCCESS")

    for isWanted in [true, false] {
      client = try await ClassicClient.signedIn(
        makeOrg(.optional(.email, .securityQuestion)),
        ["multiOptionalFactorEnroll": .bool(isWanted)])
      try await client.enroll("question", "OKTA", ["question": "first_concert", "answer": "Satie"])
      if isWanted {
        client.expectStatus("MFA_ENROLL", ["skip", "cancel"])
        expectEqual(client.kinds, ["email OKTA"])
      } else {
        client.expectStatus("SUCCESS")
      }
    }
  }

  @Test("The QR code has its own address during the setup")
  func image() async throws {
    let org = makeOrg(.required(.googleAuthenticator))
    var client = try await ClassicClient.signedIn(org)
    try await client.enroll("token:software:totp", "GOOGLE")
    let link = client.factor?["_embedded"]?["activation"]?["_links"]?["qrcode"]
    expectEqual(link?["type"], "image/png")
    let address = try require(link?["href"]?.string)
    expect(!address.contains(client.stateToken))
    let url = try require(URL(string: address))
    let open = client
    try await client.send(TransportRequest(method: "GET", url: url))
    expectEqual(client.response.status, 200)
    expectEqual(client.response.header("Content-Type"), "image/png")
    expectEqual(client.response.body.prefix(4), [0x89, 0x50, 0x4E, 0x47])
    try await client.send(TransportRequest(method: "POST", url: url))
    expectEqual(client.response.status, 405)
    client = open
    try await client.follow("cancel")
    for text in [address, address + "x", "https://demo.okta.example/api/v1/factors/qr/"] {
      try await client.send(TransportRequest(method: "GET", url: try require(URL(string: text))))
      client.expectError("E0000007", 404)
    }
  }

  @Test("Only a question of the org can be set up")
  func question() async throws {
    let org = makeOrg(.required(.securityQuestion))
    var client = try await ClassicClient.signedIn(org)
    let list = try require(client.factors[0]["_links"]?["questions"]?["href"]?.string)
    let answer = try await org.send(
      TransportRequest(
        url: try require(URL(string: list)), headers: ["Accept": "application/json"]))
    let questions = try JSONValue(parsing: answer.body).array ?? []
    expect(questions.count == 3 && questions[0]["questionText"]?.string?.isEmpty == false)
    let question = try require(questions[0]["question"])
    for (asked, answer, name) in [(question, "abc", "answer"), ("Who?", "abcd", "question")]
      as [(JSONValue, JSONValue, String)]
    {
      var wrong = client
      try await wrong.enroll("question", "OKTA", ["question": asked, "answer": answer])
      wrong.expectError("E0000001", 400, naming: name)
    }
    try await client.enroll("question", "OKTA", ["question": question, "answer": "abcd"])
    client.expectStatus("SUCCESS")
    client = try await .signedIn(org)
    expectEqual(client.factors[0]["profile"]?["question"], question)
    try await client.verify("question", ["answer": "ABCD"])
    client.expectStatus("SUCCESS")
  }

  @Test(
    "A problem with a setup is named",
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
    var client = try await ClassicClient.signedIn(org)
    try await client.post(path: "/factors", body)
    client.expectError(code, status, naming: name)
    await expectEmpty(org.mailbox.messages)
    try await client.post(path: "")
    client.expectStatus("MFA_ENROLL")
  }
}
