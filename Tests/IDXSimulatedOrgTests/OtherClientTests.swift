import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import Testing

@Suite("What clients of other libraries send to the simulated org, and need from it")
struct OtherClientTests {
  // MARK: Authentication

  @Test("A sign-in starts without the secret of the app, which the tokens need")
  func secretOnlyWithCode() async throws {
    var client = try await OrgClient(makeOrg(clientSecret: "s3cr3t"))
    try await client.signIn()
    let finished = client
    try await client.redeem()
    expectEqual(client.status, 401)
    expectEqual(client.error, "invalid_client")
    client = finished
    try await client.redeem(["client_secret": "s3cr3t"])
    expectEqual(client.status, 200)
  }

  @Test("A sign-in does not start with a wrong secret, or with one that the app does not have")
  func wrongSecret() async throws {
    for secret: Secret? in ["s3cr3t", nil] {
      var client = try await OrgClient(makeOrg(clientSecret: secret))
      try await client.interact(["client_secret": "wrong"])
      expectEqual(client.status, 401)
      expectEqual(client.error, "invalid_client")
    }
  }

  @Test("An app without a secret can send its ID in the header field for authentication")
  func headerWithoutSecret() async throws {
    let org = makeOrg()
    var client = try await OrgClient.withTokens(org)
    let token = client.accessToken
    func form(_ path: String, authorization: String) throws -> TransportRequest {
      var request = TransportRequest.form(try client.address(path), [("token", token)])
      request.headers["Authorization"] = "Basic " + Data(authorization.utf8).base64EncodedString()
      return request
    }
    try await client.send(form("/v1/introspect", authorization: org.clientID))
    expectEqual(client.json["active"], true)
    for wrong in ["0oaAnother", "\(org.clientID):s3cr3t", ""] {
      try await expectEqual(
        org.send(form("/v1/revoke", authorization: wrong)).status, 401, "\(wrong)")
    }
    try await expectEqual(
      org.send(form("/v1/revoke", authorization: org.clientID)).status, 200)
    try await client.send(form("/v1/introspect", authorization: org.clientID))
    expectEqual(client.json["active"], false)
  }

  @Test("An app with a secret is refused without it, also if its ID is in the header field")
  func headerLacksSecret() async throws {
    let org = makeOrg(clientSecret: "s3cr3t")
    var request = TransportRequest.form(
      org.issuer.appendingPathComponent("v1/revoke"), [("token", "x")])
    let id = Data(org.clientID.utf8).base64EncodedString()
    request.headers["Authorization"] = "Basic " + id
    try await expectEqual(org.send(request).status, 401)
  }

  // MARK: Header fields

  @Test("Every response says how many requests are allowed, and that it must not be stored")
  func commonFields() async throws {
    let org = makeOrg()
    for (path, status) in [
      ("/oauth2/default/.well-known/openid-configuration", 200), ("/oauth2/default/v1/keys", 200),
      ("/oauth2/default/v1/logout?id_token_hint=x", 200), ("/idp/idx/introspect", 405),
      ("/nowhere", 404),
    ] {
      let url = try require(URL(string: "https://demo.okta.example" + path))
      let response = try await org.send(TransportRequest(url: url))
      expectEqual(response.status, status)
      expectEqual(response.header("Cache-Control"), "no-cache, no-store", "\(path)")
      expectEqual(response.header("X-Rate-Limit-Limit"), "600", "\(path)")
      expectEqual(response.header("X-Rate-Limit-Remaining"), "599", "\(path)")
      // The clock shows 17:46:40.
      expectEqual(response.header("X-Rate-Limit-Reset"), "1900000020", "\(path)")
    }
  }

  // MARK: Forms

  @Test("The choice between texts is a text, unless the shape of the responses is another one")
  func typeOfChoices() async throws {
    for (shape, type) in [
      ([], "string"), (.untypedChoices, nil),
    ] as [(ResponseShape, JSONValue?)] {
      var client = try await OrgClient(
        makeOrg(.required(.phone, .oktaVerify, .securityQuestion), shape: shape))
      try await client.signIn()
      let options = client.choices(of: "select-authenticator-enroll")
      let fields = options.flatMap { $0["value"]?["form"]?["value"]?.array ?? [] }
      let choices = fields.filter { $0["options"] != nil }
      expectEqual(choices.compactMap { $0["name"]?.string }, ["methodType", "channel"])
      for choice in choices { expectEqual(choice["type"], type, "\(choice)") }
      expectEqual(client.form("select-authenticator-enroll")?["value"]?[0]?["type"], "object")
      try await client.choose("Security Question", in: "select-authenticator-enroll")
      let question = client.form("enroll-authenticator")?["value"]?[0]?["options"]?[0]
      expectEqual(question?["value"]?["form"]?["value"]?[0]?["name"], "questionKey")
      expectEqual(question?["value"]?["form"]?["value"]?[0]?["type"], type)
    }
  }

  @Test("The labels of a security question are those of Okta")
  func questionLabels() async throws {
    var client = try await OrgClient(makeOrg(.required(.securityQuestion)))
    try await client.signIn()
    try await client.choose("Security Question", in: "select-authenticator-enroll")
    let options = client.form("enroll-authenticator")?["value"]?[0]?["options"]?.array ?? []
    expectEqual(
      options.compactMap { $0["label"]?.string },
      ["Choose a security question", "Create my own security question"])
    let labels = options.flatMap { $0["value"]?["form"]?["value"]?.array ?? [] }
      .compactMap { $0["label"]?.string }
    expectEqual(
      labels, ["Choose a security question", "Answer", "Create a security question", "Answer"])
  }

  @Test(
    "Members that Okta's clients add to an authenticator are accepted, unless the rules are strict")
  func addedMembers() async throws {
    for isStrict in [true, false] {
      let org = makeOrg(.required(.phone))
      await org.changeRequests { $0.isStrict = isStrict }
      var client = try await OrgClient(org)
      try await client.signIn()
      try await client.choose(
        "Phone", in: "select-authenticator-enroll",
        [
          "key": "phone_number", "autoChallenge": true, "methodType": "sms",
          "phoneNumber": "+15550100142",
        ])
      expectEqual(client.status, isStrict ? 400 : 200)
      expectEqual(client.remediations.first, isStrict ? nil : "enroll-authenticator")
    }
  }

  @Test("Unknown parameters of OAuth are ignored, unless the rules are strict")
  func addedParameters() async throws {
    for isStrict in [true, false] {
      let org = makeOrg(.passwordOnly)
      await org.changeRequests { $0.isStrict = isStrict }
      var client = DirectClient(org)
      let added = ["audience": "api://default", "ui_locales": "de"]
      try await client.password("Analytical-1843", of: DirectClient.login, added)
      expectEqual(client.error, isStrict ? "invalid_request" : nil)
      // A parameter of another grant is unknown to this one.
      try await client.password("Analytical-1843", of: DirectClient.login, ["code": "ac_1"])
      expectEqual(client.error, isStrict ? "invalid_request" : nil)
    }
  }

  @Test("A query does not change the address, but must not have the secret of the client")
  func queries() async throws {
    let org = makeOrg()
    var client = DirectClient(org)
    try await client.post("token?audience=api", ["grant_type": "password"])
    expectEqual(client.words, "The parameter username is required.")
    try await client.post("token?client_secret=s", ["grant_type": "password"])
    expectEqual(client.words, "The client_secret must not be in the address.")
  }

  @Test("If the rules are not strict, a body that does not fit repeats the step with messages")
  func misfit() async throws {
    let org = makeOrg(SignInPolicy(start: .withPassword))
    await org.changeRequests { $0.isStrict = false }
    var client = try await OrgClient(org)
    let remediation = client.json["remediation"]
    // Only the authenticator has more members.
    try await client.submit("identify", ["identifier": "ada@shop.example", "key": "x"])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["simulated.field.unknown", "api.error.field_required"])
    expectEqual(client.json["remediation"], remediation)
    try await client.post("/idp/idx/skip", ["stateHandle": .string(client.stateHandle)])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["simulated.request.notOffered"])
    expectEqual(client.json["remediation"], remediation)
    try await client.submit("cancel")
    try await client.signIn()
    expect(client.isDone)
  }

  // MARK: Tokens

  @Test("An ID token has the first acr that was asked for, also after a refresh")
  func authenticationContext() async throws {
    let asked = "urn:okta:loa:2fa:any urn:okta:loa:1fa:any"
    var client = try await OrgClient.withTokens(makeOrg(), ["acr_values": asked])
    expectEqual(client.idToken?.claims["acr"], "urn:okta:loa:2fa:any")
    try await client.refresh(client.refreshToken)
    expectEqual(client.idToken?.claims["acr"], "urn:okta:loa:2fa:any")
    client = try await OrgClient.withTokens(makeOrg())
    expectEqual(client.idToken?.claims["acr"], nil)
  }

  // MARK: The session of the browser

  @Test("The browser has no session, which the API for sessions says")
  func session() async throws {
    let org = makeOrg()
    let url = try require(URL(string: "https://demo.okta.example/api/v1/sessions/me"))
    for (method, status, code) in [
      ("GET", 404, "E0000007"), ("DELETE", 404, "E0000007"), ("POST", 405, "E0000022"),
    ] {
      let response = try await org.send(TransportRequest(method: method, url: url))
      expectEqual(response.status, status)
      try expectEqual(JSONValue(parsing: response.body)["errorCode"]?.string, code)
      if status == 405 { expectEqual(response.header("Allow"), "GET, DELETE") }
    }
  }

  // MARK: Scripts from other origins

  private static let site = "http://localhost:3000"

  private func response(
    from origin: String?, method: String = "GET", _ path: String = "/oauth2/default/v1/keys",
    trusting: Set<String> = [site]
  ) async throws -> TransportResponse {
    let org = makeOrg()
    await org.changeRequests { $0.trustedOrigins = trusting }
    let url = try require(URL(string: "https://demo.okta.example" + path))
    var headers: [String: String] = [:]
    headers["origin"] = origin
    if method == "OPTIONS" { headers["Access-Control-Request-Method"] = "POST" }
    let request = TransportRequest(method: method, url: url, headers: headers)
    let api = SimulatedAPI(org, origin: "https://api.shop.example")
    return try await path.hasPrefix("/orders")
      ? api.send(
        .init(method: method, url: api.origin.appendingPathComponent(path), headers: headers))
      : org.send(request)
  }

  @Test(
    "Scripts of a trusted origin can read every response",
    arguments: ["/oauth2/default/v1/keys", "/idp/idx/identify", "/nowhere", "/orders"])
  func trustedOrigin(path: String) async throws {
    let response = try await response(from: Self.site, path)
    expectEqual(response.header("Access-Control-Allow-Origin"), Self.site)
    expectEqual(response.header("Access-Control-Allow-Credentials"), "true")
    expectEqual(response.header("Vary"), "Origin")
    let exposed = response.header("Access-Control-Expose-Headers") ?? ""
    expect(exposed.contains("DPoP-Nonce") && exposed.contains("X-Okta-Request-Id"))
  }

  @Test(
    "A browser may send the requests of Okta's JavaScript client from a trusted origin",
    arguments: [
      "/idp/idx/introspect", "/oauth2/default/v1/token", "/api/v1/sessions/me", "/orders",
    ])
  func preflight(path: String) async throws {
    let response = try await response(from: Self.site, method: "OPTIONS", path)
    expectEqual(response.status, 204)
    expectEqual(response.header("Access-Control-Allow-Origin"), Self.site)
    expectEqual(response.header("Access-Control-Allow-Credentials"), "true")
    expectEqual(response.header("Access-Control-Allow-Methods"), "GET, POST, DELETE")
    let allowed = response.header("Access-Control-Allow-Headers")?.lowercased() ?? ""
    for name in ["accept", "authorization", "content-type", "dpop", "x-okta-user-agent-extended"] {
      expectContains(allowed.components(separatedBy: ", "), name)
    }
    expectEqual(response.header("Set-Cookie"), nil)
  }

  @Test(
    "Scripts of other origins can read nothing",
    arguments: [
      nil, "null", "http://localhost:3001", "https://localhost:3000", "http://localhost:3000/", "*",
    ])
  func otherOrigin(origin: String?) async throws {
    for method in ["GET", "OPTIONS"] {
      let response = try await response(from: origin, method: method)
      expectEqual(response.status, method == "GET" ? 200 : 405)
      expect(!response.headers.keys.contains { $0.hasPrefix("Access-Control") })
    }
    let response = try await response(from: Self.site, trusting: [])
    expectEqual(response.header("Access-Control-Allow-Origin"), nil)
  }
}
