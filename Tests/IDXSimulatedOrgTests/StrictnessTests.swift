import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Requests that the simulated org refuses.
struct StrictnessTests {
  /// A request to answer the first form, which is written differently in one thing.
  struct Variant: Sendable, CustomTestStringConvertible {
    var method = "POST"
    var host = "demo.okta.example"
    var path = "/idp/idx/identify"
    var contentType: String? = "application/json"
    var accept: String? = "application/ion+json"
    /// The body; that of a right request by default.
    var body: String?
    /// The status of the response; nil if the org is not reached.
    var status: Int?

    var testDescription: String {
      "\(method) \(host)\(path), \(contentType ?? "-"), \(accept ?? "-"), \(body ?? "right body")"
    }

    static let all: [Variant] =
      ["GET", "PUT", "DELETE"].map { Variant(method: $0, status: 405) }
      + ["/idp/unheard-of", "/", "/api/v1/users"].map { Variant(path: $0, status: 404) }
      + [Variant(host: "demo.okta.example.evil.example")]
      + ["", "identifier=ada", "[1]", "{"].map { Variant(body: $0, status: 400) }
      + [
        "text/plain", "application/x-www-form-urlencoded", "application/json; okta-version=2.0.0",
        nil,
      ]
      .map { Variant(contentType: $0, status: 415) }
      + ["text/html", "application/ion+json; okta-version=9"].map {
        Variant(accept: $0, status: 406)
      }
      + [
        Variant(accept: nil, status: 200),
        Variant(
          contentType: "application/json; charset=UTF-8",
          accept: "application/ion+json; okta-version=1.0.0", status: 200),
        Variant(
          contentType: "application/ion+json;okta-version=1.0.0", accept: "application/json, */*",
          status: 200),
      ]
  }

  @Test(
    "Another method, host, address, media type or body than a JSON object is refused",
    arguments: Variant.all)
  func variants(_ variant: Variant) async throws {
    var client = try await OrgClient(makeOrg())
    let body: JSONValue = ["stateHandle": .string(client.stateHandle), "identifier": "ada"]
    var headers: [String: String] = [:]
    headers["content-type"] = variant.contentType
    headers["accept"] = variant.accept
    let request = TransportRequest(
      method: variant.method,
      url: try require(URL(string: "https://\(variant.host)\(variant.path)")),
      headers: headers, body: variant.body.map { Array($0.utf8) } ?? body.bytes)
    guard let status = variant.status else {
      let before = await client.org.requests
      let error = await #expect(throws: TransportError.self) { try await client.send(request) }
      expectEqual(error?.mayHaveArrived, false)
      return await expectEqual(client.org.requests, before)
    }
    try await client.send(request)
    expectEqual(client.status, status)
    if status == 405 { expectEqual(client.response.header("Allow"), "POST") }
    if status == 400 { expectEqual(client.messageKeys, ["simulated.body.notJSON"]) }
  }

  @Test(
    "Each missing, unknown, changed or wrong field is named",
    arguments: [
      (["credentials": ["passcode": "x"]], ["api.error.field_required identifier"]),
      (
        ["identifier": "", "credentials": ["passcode": "x"]],
        ["api.error.field_required identifier"]
      ),
      (["identifier": "ada"], ["api.error.field_required credentials"]),
      (
        ["identifier": "ada", "credentials": [:]],
        ["api.error.field_required credentials.passcode"]
      ),
      (["identifier": "ada", "credentials": "x"], ["simulated.field.wrongType credentials"]),
      (
        ["identifier": "ada", "credentials": ["passcode": 123456]],
        ["simulated.field.wrongType credentials.passcode"]
      ),
      (
        ["identifier": "ada", "credentials": ["passcode": "x", "totp": "1"]],
        ["simulated.field.unknown credentials.totp"]
      ),
      (
        ["identifier": "ada", "credentials": ["passcode": "x"], "extra": nil],
        ["simulated.field.unknown extra"]
      ),
      (
        ["identifier": "ada", "credentials": ["passcode": "x"], "rememberMe": "true"],
        ["simulated.field.wrongType rememberMe"]
      ),
      (
        ["identifier": "ada", "identifier": "eve", "credentials": ["passcode": "x"]],
        ["simulated.field.repeated identifier"]
      ),
      (
        ["extra": 1],
        [
          "simulated.field.unknown extra", "api.error.field_required identifier",
          "api.error.field_required credentials",
        ]
      ),
    ] as [(JSONValue, [String])])
  func fields(members: JSONValue, problems: [String]) async throws {
    var client = try await OrgClient(makeOrg(SignInPolicy(start: .withPassword)))
    let old = client
    try await client.post(
      "/idp/idx/identify", members.adding("stateHandle", .string(client.stateHandle)))
    expectEqual(client.status, 400)
    let found = client.json["messages"]?["value"]?.array?.map {
      "\($0["i18n"]?["key"]?.string ?? "") \($0["i18n"]?["params"]?[0]?.string ?? "")"
    }
    expectEqual(found, problems)
    // As in a recording of a bad request: no form, no cancel.
    expectEqual(
      client.json.object?.members.map(\.name).sorted(),
      ["expiresAt", "intent", "messages", "stateHandle", "version"])
    expectEqual(client.json["expiresAt"], old.json["expiresAt"])
    var again = old
    try await again.signIn()
    expect(again.isDone)
  }

  @Test(
    "A wrong value repeats the step with a message; one that is changed or no option is refused")
  func wrongValues() async throws {
    var client = try await OrgClient(makeOrg())
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    let step = client.json["remediation"]
    try await client.answer("wrong")
    expectEqual(client.status, 401)
    expectEqual(client.messageKeys, ["incorrectPassword"])
    expectEqual(client.json["remediation"], step)
    expect(client.form("cancel") != nil)

    client = try await OrgClient.signedIn(makeOrg(.demo))
    try await client.submit(
      "select-authenticator-enroll", ["authenticator": ["id": "autSomethingElse"]])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["simulated.field.fixed"])

    client = try await OrgClient.signedIn(makeOrg(.required(.phone)))
    try await client.choose(
      "Phone", in: "select-authenticator-enroll",
      ["methodType": "pigeon", "phoneNumber": "+15550100142"])
    expectEqual(client.messageKeys, ["simulated.field.notAnOption"])
  }

  @Test("A missing, wrong or unknown handle is refused")
  func handles() async throws {
    var client = try await OrgClient(makeOrg())
    try await client.post("/idp/idx/identify", ["identifier": "ada"])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["api.error.field_required"])
    expectEqual(client.json["messages"]?["value"]?[0]?["i18n"]?["params"], ["stateHandle"])

    for body: JSONValue in [
      [:], ["handle": "x"], ["interactionHandle": 1],
      ["interactionHandle": .string(client.interactionHandle), "more": 1],
    ] {
      try await client.post("/idp/idx/introspect", body)
      expectEqual(client.status, 400)
      expectEqual(client.messageKeys, ["simulated.introspect.handle"])
    }
    for (path, body) in [
      ("introspect", ["interactionHandle": "ih_unheard-of"]),
      ("identify", ["stateHandle": "02unheard-of", "identifier": "ada@shop.example"]),
    ] as [(String, JSONValue)] {
      try await client.post("/idp/idx/" + path, body)
      expectEqual(client.status, 401)
      expectEqual(client.messageKeys, ["idx.session.expired"])
    }
  }

  @Test(
    "A form that the last response does not have is refused",
    arguments: [
      "/challenge/answer", "/challenge", "/skip", "/credential/enroll", "/challenge/poll",
      "/consent", "/nowhere",
    ])
  func notOffered(path: String) async throws {
    var client = try await OrgClient(makeOrg())
    try await client.post("/idp/idx" + path, ["stateHandle": .string(client.stateHandle)])
    expectEqual(client.status, 400)
    if path == "/challenge/answer" {
      // As real orgs do, without a key.
      expectEqual(client.messageText, "Expected: IDENTIFY, Attempted: AUTHENTICATE")
    } else {
      expectEqual(client.messageKeys, ["simulated.request.notOffered"])
    }
  }

  @Test(
    "The first request needs all parameters of OAuth",
    arguments: [
      (["client_id": "0oaAnother"], "invalid_client"), (["client_id": nil], "invalid_client"),
      (["redirect_uri": "com.example.evil:/callback"], "invalid_request"),
      (["redirect_uri": nil], "invalid_request"),
      (["code_challenge_method": "plain"], "invalid_request"),
      (["code_challenge_method": nil], "invalid_request"),
      (["code_challenge": nil], "invalid_request"),
      (["code_challenge": "short"], "invalid_request"),
      (["state": nil], "invalid_request"),
      (["scope": nil], "invalid_scope"),
      (["scope": "openid everything"], "invalid_scope"),
      (["surprise": "1"], "invalid_request"),
    ] as [([String: String?], String)])
  func interact(changes: [String: String?], code: String) async throws {
    var client = try await OrgClient(makeOrg())
    try await client.interact(changes)
    expectEqual(client.status, (code == "invalid_client" ? 401 : 400))
    expectEqual(client.error, code)
  }

  @Test("An app that may not use the interaction code cannot begin")
  func interactionCodeDisabled() async throws {
    var client = try await OrgClient(makeOrg())
    await client.org.misconfigure(.interactionCodeDisabled)
    try await client.interact()
    expectEqual(client.status, 400)
    expectEqual(client.error, "unauthorized_client")
  }
}
