import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg

/// The classic API of the simulated org: refused requests.
struct ClassicRequestTests {
  private typealias D = DirectClient
  private let login = ClassicClient.login

  @Test(
    "A wrong body is refused, and the problem is named",
    arguments: [
      ([:], ""), (["username": "ada"], "password"), (["password": "x"], "username"),
      (["username": "ada", "password": ""], "password"),
      (["username": "ada", "password": 7], "password"),
      (["username": "ada", "password": "x", "token": "y"], "token"),
      (["username": "ada", "password": "x", "options": ["warn": true]], "options.warn"),
      (
        ["username": "a", "password": "x", "options": ["warnBeforePasswordExpired": "true"]],
        "options.warnBeforePasswordExpired"
      ),
      (["username": "ada", "password": "x", "context": ["device": "z"]], "context.device"),
      (
        [
          "username": "a", "password": "x",
          "context": ["deviceToken": .string(String(repeating: "z", count: 33))],
        ], "deviceToken"
      ),
      (["stateToken": "x", "relayState": "y"], "relayState"),
    ] as [(JSONValue, String)])
  func body(body: JSONValue, name: String) async throws {
    var client = ClassicClient(makeOrg())
    try await client.post(ClassicClient.base, body)
    client.expectError("E0000001", 400, naming: name)
    // If the body is empty, it is not clear which of two was meant.
    expect(body == [:] || client.cause != nil)
  }

  @Test("Requests must be POSTs of JSON to a known address")
  func request() async throws {
    var client = ClassicClient(makeOrg())
    let url = try require(URL(string: ClassicClient.base))
    let headers = ["Content-Type": "application/json", "Accept": "application/json"]
    try await client.send(TransportRequest(method: "GET", url: url, headers: headers))
    client.expectError("E0000022", 405)
    try await client.send(
      TransportRequest(
        method: "POST", url: url, headers: ["Content-Type": "text/plain", "Accept": "*/*"]))
    client.expectError("E0000021", 415)
    for body in ["", "[]", "{"] {
      try await client.send(
        TransportRequest(method: "POST", url: url, headers: headers, body: Array(body.utf8)))
      client.expectError("E0000003", 400)
    }
    for path in ["/nowhere", "/", "/factors//verify", "/factors/x", "x"] {
      try await client.post(path: path)
      client.expectError("E0000007", 404)
    }
    // A query does not change the address.
    try await client.post(path: "?a=b")
    client.expectError("E0000001", 400)
  }

  @Test("A missing or unknown state token, or that of another API, is refused")
  func stateToken() async throws {
    var client = ClassicClient(makeOrg())
    for action in ClassicPath.allCases
    where ![.begin, .recoverPassword, .unlock, .recoveryToken].contains(action) {
      try await client.post(ClassicClient.base + action.path("x"), [:])
      client.expectError("E0000001", 400, naming: "stateToken")
      for token in ["", "unknown", 7] as [JSONValue] {
        try await client.post(ClassicClient.base + action.path("x"), ["stateToken": token])
        client.expectError("E0000011", 401)
      }
    }
    client.stateToken = "unknown"
    try await client.post(path: "")
    client.expectError("E0000011", 401)

    let org = makeOrg(.required(.email), [.email])
    let signedIn = try await ClassicClient.signedIn(org)
    var other = try await OrgClient(org)
    let handle = other.stateHandle
    for name in ["stateToken", "stateHandle"] {
      try await other.post("/idp/idx/introspect", [name: .string(signedIn.stateToken)])
      expectEqual(other.status, 401)
    }
    client = signedIn
    client.stateToken = handle
    try await client.post(path: "")
    client.expectError("E0000011", 401)
  }

  @Test("A request without a link in the last response is refused, and the state stays")
  func notOffered() async throws {
    let org = makeOrg(.required(.email), [.email, D.phone])
    var client = try await ClassicClient.signedIn(org)
    let phone = OrgSettings.id("mbl", login, "sms", "1")
    let id = try require(client.factors[0]["id"]?.string)
    let token = client.stateToken
    let paths =
      ["/previous", "/skip", "/factors", "/recovery/answer", "/factors/\(phone)/verify"]
      + ["verify/resend", "lifecycle/activate", "lifecycle/resend"].map { "/factors/\(id)/\($0)" }
      + ["/credentials/change_password", "/credentials/reset_password"]
      + ["/recovery/factors/SMS/verify", "/recovery/factors/SMS/resend"]
    for path in paths {
      try await client.post(path: path)
      client.expectError("E0000079", 403)
    }
    try await client.post(path: "")
    client.expectStatus("MFA_REQUIRED")
    try await client.verify("email")
    client.expectStatus("MFA_CHALLENGE")
    for path in ["/skip", "/factors", "/factors/\(phone)/verify"] {
      try await client.post(path: path)
      client.expectError("E0000079", 403)
    }
    expectEqual(client.stateToken, token)
  }

  @Test("A factor accepts only its own members")
  func proofs() async throws {
    let org = makeOrg(.required(.phone), [D.phone])
    var client = try await ClassicClient.signedIn(org)
    let choice = client
    try await client.verify("sms", ["passCode": "123456"])
    client.expectError("E0000001", 400, naming: "passCode")
    client = choice
    try await client.verify("sms")
    let challenge = client
    for body in [[:], ["answer": "x"]] as [JSONValue] {
      client = challenge
      try await client.follow("next", body)
      client.expectError("E0000001", 400)
      expectContains(client.json["errorCauses"]?.text ?? "", "passCode")
    }
    client = challenge
    try await client.follow("resend", ["passCode": "1"])
    client.expectError("E0000001", 400, naming: "passCode")
    await expectEqual(org.mailbox.messages.count, 1)
  }

  @Test("A user who is suspended during the sign-in is refused")
  func suspended() async throws {
    let org = makeOrg(.required(.email), [.email])
    var client = try await ClassicClient.signedIn(org)
    try await client.verify("email")
    try await changeAda(org) { $0.status = .suspended }
    let code = await org.mailbox.lastCode(to: login) ?? ""
    try await client.follow("next", ["passCode": .string(code)])
    client.expectError("E0000004", 401)
    try await client.post(path: "")
    client.expectError("E0000011", 401)
  }
}
