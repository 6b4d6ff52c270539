import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXTesting

@Suite("The classic API in the simulated org: what it refuses")
struct ClassicRequestTests {
  private typealias D = DirectVisitor
  private let login = ClassicVisitor.login

  @Test(
    "A body that is not what is asked for is refused with the name of what is wrong",
    arguments: [
      ([:], "username"), (["username": "ada"], "password"), (["password": "x"], "username"),
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
    var visitor = ClassicVisitor(makeOrg())
    try await visitor.post(ClassicVisitor.base, body)
    if body == [:] {
      // Nothing tells which of the two bodies was meant.
      visitor.expectError("E0000001", 400)
    } else {
      visitor.expectError("E0000001", 400, naming: name)
      #expect(visitor.cause != nil)
    }
  }

  @Test("A request that is no POST of JSON is refused, and so is one to nowhere")
  func request() async throws {
    var visitor = ClassicVisitor(makeOrg())
    let url = try #require(URL(string: ClassicVisitor.base))
    let headers = ["Content-Type": "application/json", "Accept": "application/json"]
    try await visitor.send(TransportRequest(method: "GET", url: url, headers: headers))
    visitor.expectError("E0000022", 405)
    try await visitor.send(
      TransportRequest(
        method: "POST", url: url, headers: ["Content-Type": "text/plain", "Accept": "*/*"]))
    visitor.expectError("E0000021", 415)
    for body in ["", "[]", "{"] {
      try await visitor.send(
        TransportRequest(method: "POST", url: url, headers: headers, body: Array(body.utf8)))
      visitor.expectError("E0000003", 400)
    }
    for path in ["/nowhere", "/", "/factors//verify", "/factors/x", "x", "?a=b"] {
      try await visitor.post(path: path)
      visitor.expectError("E0000007", 404)
    }
  }

  @Test("Whatever needs a state token says so")
  func stateToken() async throws {
    var visitor = ClassicVisitor(makeOrg())
    for action in ClassicAction.allCases 
    where ![.begin, .recoverPassword, .unlock, .recoveryToken].contains(action) {
      try await visitor.post(ClassicVisitor.base + action.path("x"), [:])
      visitor.expectError("E0000001", 400, naming: "stateToken")
      for token in ["", "unknown", 7] as [JSONValue] {
        try await visitor.post(ClassicVisitor.base + action.path("x"), ["stateToken": token])
        visitor.expectError("E0000011", 401)
      }
    }
    visitor.stateToken = "unknown"
    try await visitor.post(path: "")
    visitor.expectError("E0000011", 401)
  }

  @Test("What a state does not link to is refused, and the state stays")
  func notOffered() async throws {
    let org = makeOrg(.required(.email), [.email, D.phone])
    var visitor = try await ClassicVisitor.signedIn(org)
    let phone = OrgSettings.id("mbl", login, "sms", "1")
    let id = try #require(visitor.factors[0]["id"]?.string)
    let token = visitor.stateToken
    let paths =
      ["/previous", "/skip", "/factors", "/recovery/answer", "/factors/\(phone)/verify"]
      + ["verify/resend", "lifecycle/activate", "lifecycle/resend"].map { "/factors/\(id)/\($0)" }
      + ["/credentials/change_password", "/credentials/reset_password"]
      + ["/recovery/factors/SMS/verify", "/recovery/factors/SMS/resend"]
    for path in paths {
      try await visitor.post(path: path)
      visitor.expectError("E0000079", 403)
    }
    try await visitor.post(path: "")
    visitor.expect("MFA_REQUIRED")
    try await visitor.verify("email")
    visitor.expect("MFA_CHALLENGE")
    for path in ["/skip", "/factors", "/factors/\(phone)/verify"] {
      try await visitor.post(path: path)
      visitor.expectError("E0000079", 403)
    }
    #expect(visitor.stateToken == token)
  }

  @Test("A factor takes what it asks for, and nothing else")
  func proofs() async throws {
    let org = makeOrg(.required(.phone), [D.phone])
    var visitor = try await ClassicVisitor.signedIn(org)
    let choice = visitor
    try await visitor.verify("sms", ["passCode": "123456"])
    visitor.expectError("E0000001", 400, naming: "passCode")
    visitor = choice
    try await visitor.verify("sms")
    let challenge = visitor
    for (body, name) in [([:], "passCode"), (["answer": "x"], "passCode")] as [(JSONValue, String)]
    {
      visitor = challenge
      try await visitor.follow("next", body)
      visitor.expectError("E0000001", 400)
      #expect(
        visitor.json["errorCauses"]?.array?.contains {
          $0["errorSummary"]?.string?.contains(name) == true
        } == true)
    }
    visitor = challenge
    try await visitor.follow("resend", ["passCode": "1"])
    visitor.expectError("E0000001", 400, naming: "passCode")
    #expect(await org.mailbox.messages.count == 1)
  }

  @Test("A sign-in of one API is none of the other's")
  func otherAPI() async throws {
    let org = makeOrg(.required(.email), [.email])
    let visitor = try await ClassicVisitor.signedIn(org)
    var other = try await Visitor(org)
    let handle = other.stateHandle
    let url = try #require(URL(string: "https://demo.okta.example/idp/idx/introspect"))
    for name in ["stateToken", "stateHandle"] {
      try await other.send(
        TransportRequest(
          method: "POST", url: url, headers: Visitor.ionHeaders,
          body: JSONValue.object(
            JSONValue.Object([JSONValue.Object.Member(name, .string(visitor.stateToken))])
          )
          .bytes))
      #expect(other.status == 401)
    }
    var mine = visitor
    mine.stateToken = handle
    try await mine.post(path: "")
    mine.expectError("E0000011", 401)
  }

  @Test("A user who is suspended on the way is let no further")
  func suspended() async throws {
    let org = makeOrg(.required(.email), [.email])
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.verify("email")
    var ada = try #require(await org.user(login))
    ada.status = .suspended
    await org.update(ada)
    let code = await org.mailbox.lastCode(to: login) ?? ""
    try await visitor.follow("next", ["passCode": .string(code)])
    visitor.expectError("E0000004", 401)
    try await visitor.post(path: "")
    visitor.expectError("E0000011", 401)
  }

  @Test("The same seed gives the same tokens, ids and codes")
  func deterministic() async throws {
    var documents: [JSONValue] = []
    for _ in 0..<2 {
      let org = makeOrg(.required(.email), [.email])
      var visitor = try await ClassicVisitor.signedIn(org)
      try await visitor.verify("email")
      documents.append(visitor.json)
      let code = await org.mailbox.lastCode(to: login) ?? ""
      try await visitor.follow("next", ["passCode": .string(code)])
      documents.append(visitor.json)
    }
    #expect(documents[0] == documents[2])
    #expect(documents[1] == documents[3])
  }
}
