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
  @Test("Another method is not allowed", arguments: ["GET", "PUT", "DELETE"])
  func method(method: String) async throws {
    var client = try await OrgClient(makeOrg())
    let body: JSONValue = ["stateHandle": .string(client.stateHandle), "identifier": "ada"]
    try await client.post("/idp/idx/identify", body, method: method)
    expectEqual(client.status, 405)
    expectEqual(client.response.header("Allow"), "POST")
  }

  @Test(
    "The type of the body is required, and the accepted types must be correct",
    arguments: [
      ("text/plain", "application/ion+json", 415),
      ("application/x-www-form-urlencoded", "application/ion+json", 415),
      ("application/json; okta-version=2.0.0", "application/ion+json", 415),
      (nil, "application/ion+json", 415),
      ("application/json", "text/html", 406),
      ("application/json", "application/ion+json; okta-version=9", 406),
      ("application/json", nil, 200),
      ("application/json; charset=UTF-8", "application/ion+json; okta-version=1.0.0", 200),
      ("application/ion+json;okta-version=1.0.0", "application/json, */*", 200),
    ] as [(String?, String?, Int)])
  func mediaTypes(contentType: String?, accept: String?, status: Int) async throws {
    var client = try await OrgClient(makeOrg())
    var headers: [String: String] = [:]
    headers["content-type"] = contentType
    headers["accept"] = accept
    let body: JSONValue = ["stateHandle": .string(client.stateHandle), "identifier": "ada"]
    try await client.post("/idp/idx/identify", body, headers: headers)
    expectEqual(client.status, status)
  }

  @Test(
    "A body that is not a JSON object is refused", arguments: ["", "identifier=ada", "[1]", "{"])
  func notJSON(body: String) async throws {
    var client = try await OrgClient(makeOrg())
    let url = try require(URL(string: "https://demo.okta.example/idp/idx/identify"))
    try await client.send(
      TransportRequest(
        method: "POST", url: url, headers: OrgClient.ionHeaders, body: Array(body.utf8)))
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["simulated.body.notJSON"])
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
    let messages = client.json["messages"]?["value"]?.array ?? []
    let found = messages.map {
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

  @Test("A wrong value repeats the step, with a message")
  func wrongValue() async throws {
    var client = try await OrgClient(makeOrg())
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    let step = client
    try await client.submit("challenge-authenticator", ["credentials": ["passcode": "wrong"]])
    expectEqual(client.status, 401)
    expectEqual(client.messageKeys, ["incorrectPassword"])
    expectEqual(client.remediations, step.remediations)
    expectEqual(client.json["remediation"], step.json["remediation"])
    expect(client.form("cancel") != nil)
  }

  @Test("A fixed value that was changed is refused, also in an option")
  func fixedValue() async throws {
    var client = try await OrgClient(makeOrg(.demo))
    try await client.signIn()
    try await client.submit(
      "select-authenticator-enroll", ["authenticator": ["id": "autSomethingElse"]])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["simulated.field.fixed"])
  }

  @Test("A value that is not an option is refused")
  func notAnOption() async throws {
    var client = try await OrgClient(makeOrg(.required(.phone)))
    try await client.signIn()
    try await client.choose(
      "Phone", in: "select-authenticator-enroll",
      ["methodType": "pigeon", "phoneNumber": "+15550100142"])
    expectEqual(client.messageKeys, ["simulated.field.notAnOption"])
  }

  @Test("A request without a state handle is refused")
  func noStateHandle() async throws {
    var client = try await OrgClient(makeOrg())
    try await client.post("/idp/idx/identify", ["identifier": "ada"])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["api.error.field_required"])
    expectEqual(client.json["messages"]?["value"]?[0]?["i18n"]?["params"], ["stateHandle"])
  }

  @Test(
    "A form that the last response does not have is refused",
    arguments: [
      "/challenge/answer", "/challenge", "/skip", "/credential/enroll", "/challenge/poll",
    ])
  func notOffered(path: String) async throws {
    var client = try await OrgClient(makeOrg())
    try await client.post(
      "/idp/idx" + path, ["stateHandle": .string(client.stateHandle)])
    expectEqual(client.status, 400)
    if path == "/challenge/answer" {
      // As real orgs do, without a key.
      expectEqual(
        client.json["messages"]?["value"]?[0]?["message"],
        "Expected: IDENTIFY, Attempted: AUTHENTICATE")
    } else {
      expectEqual(client.messageKeys, ["simulated.request.notOffered"])
    }
  }

  @Test(
    "Other addresses do not exist", arguments: ["/idp/unheard-of", "/", "/api/v1/users"])
  func elsewhere(path: String) async throws {
    var client = try await OrgClient(makeOrg())
    try await client.post(path, ["stateHandle": .string(client.stateHandle)])
    expectEqual(client.status, 404)
  }

  @Test("Another host is not reached")
  func otherHost() async throws {
    let org = makeOrg()
    let url = try require(URL(string: "https://demo.okta.example.evil.example/idp/idx/introspect"))
    let error = await #expect(throws: TransportError.self) {
      try await org.send(TransportRequest(method: "POST", url: url))
    }
    expectEqual(error?.mayHaveArrived, false)
    await expectEmpty(org.requests)
  }

  @Test("Introspection takes one handle and nothing else")
  func introspection() async throws {
    var client = try await OrgClient(makeOrg())
    for body: JSONValue in [
      [:], ["handle": "x"], ["interactionHandle": 1],
      ["interactionHandle": .string(client.interactionHandle), "more": 1],
    ] {
      try await client.post("/idp/idx/introspect", body)
      expectEqual(client.status, 400)
      expectEqual(client.messageKeys, ["simulated.introspect.handle"])
    }
  }

  @Test(
    "The first request needs all parameters of OAuth",
    arguments: [
      (["client_id": "0oaAnother"], "invalid_client"),
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
    expectEqual(client.json["error"]?.string, code)
  }
}
