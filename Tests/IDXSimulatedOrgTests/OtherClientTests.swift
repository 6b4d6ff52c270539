import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import IDXTokenSigning
import Testing

/// What clients of other libraries send to the simulated org, and need from it.
struct OtherClientTests {
  // MARK: Authentication

  @Test(
    "A sign-in starts without the secret of the app, which the tokens need, but not with a wrong one"
  )
  func clientSecret() async throws {
    var client = try await OrgClient(makeOrg(clientSecret: "s3cr3t"))
    try await client.signIn()
    let finished = client
    try await client.redeem()
    expectEqual(client.status, 401)
    expectEqual(client.error, "invalid_client")
    client = finished
    try await client.redeem(["client_secret": "s3cr3t"])
    expectEqual(client.status, 200)

    for secret: Secret? in ["s3cr3t", nil] {
      var client = try await OrgClient(makeOrg(clientSecret: secret))
      try await client.interact(["client_secret": "wrong"])
      expectEqual(client.status, 401)
      expectEqual(client.error, "invalid_client")
    }
  }

  @Test("An app can send its ID in the header field for authentication, if it has no secret")
  func header() async throws {
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

    let secret = makeOrg(clientSecret: "s3cr3t")
    var request = TransportRequest.form(
      secret.issuer.appendingPathComponent("v1/revoke"), [("token", "x")])
    let id = Data(secret.clientID.utf8).base64EncodedString()
    request.headers["Authorization"] = "Basic " + id
    try await expectEqual(secret.send(request).status, 401)
  }

  @Test("An app proves itself with a JWT that is signed with its secret, or with its key")
  func assertions() async throws {
    let key = P256SigningKey.shared
    let keys = try JSONWebKeySet(parsing: (["keys": [key.jwk]] as JSONValue).bytes)
    let id: JSONValue = "0oaDemoApp0000000001"
    let claims: JSONValue = [
      "iss": id, "sub": id, "aud": "https://demo.okta.example/oauth2/default/v1/token",
      "exp": 1_900_000_300, "jti": "1",
    ]
    let input =
      Base64URL.encode((["alg": "HS256"] as JSONValue).bytes) + "." + Base64URL.encode(claims.bytes)
    func hmac(_ secret: String) -> String {
      let code = HashFunction.sha256.hmac(key: Array(secret.utf8), Array(input.utf8))
      return input + "." + Base64URL.encode(code)
    }
    func changed(_ name: String, _ value: JSONValue) -> JSONValue {
      var object = claims.object ?? JSONValue.Object()
      object[name] = value
      return .object(object)
    }
    func signed(_ claims: JSONValue, by key: any SigningKey = key) -> String {
      UnsignedToken(claims, naming: key).signed(by: key)
    }
    let attempts: [(secret: Secret?, assertion: String, isRight: Bool)] = [
      ("s3cr3t", hmac("s3cr3t"), true), ("s3cr3t", hmac("another"), false), (nil, hmac(""), false),
      (nil, signed(claims), true), (nil, signed(claims, by: RSASigningKey.unpublished), false),
      (nil, signed(changed("aud", "https://other.example/")), false),
      (nil, signed(changed("aud", ["x", "https://demo.okta.example/oauth2/default"])), true),
      (nil, signed(changed("exp", 1_900_000_000)), false),
      (nil, signed(changed("sub", "0oaOther")), false), (nil, "x", false),
    ]
    for (secret, assertion, isRight) in attempts {
      let org = makeOrg(clientSecret: secret)
      if secret == nil { await org.changeRequests { $0.clientKeys = keys } }
      var client = try await OrgClient(org)
      try await client.signIn()
      let signedIn = client
      try await client.redeem()
      expectEqual(client.error, "invalid_client")
      client = signedIn
      try await client.redeem([
        "client_assertion": assertion,
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      ])
      expectEqual(client.status, isRight ? 200 : 401)
      client = signedIn
      try await client.redeem([
        "client_assertion": assertion, "client_secret": "s3cr3t",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      ])
      expectEqual(client.error, "invalid_request")
    }
  }

  // MARK: Discovery

  @Test("Discovery has the names of both standards, and WebFinger names the issuer")
  func discovery() async throws {
    let org = makeOrg()
    for path in [
      "/oauth2/default/.well-known/openid-configuration?client_id=x",
      "/oauth2/default/.well-known/oauth-authorization-server",
      "/.well-known/oauth-authorization-server/oauth2/default",
    ] {
      let url = try require(URL(string: "https://demo.okta.example" + path))
      let json = try await JSONValue(parsing: org.send(TransportRequest(url: url)).body)
      expectEqual(json["issuer"]?.string, org.issuer.absoluteString, "\(path)")
    }
    let other = try require(
      URL(string: "https://demo.okta.example/.well-known/oauth-authorization-server/oauth2/other"))
    try await expectEqual(org.send(TransportRequest(url: other)).status, 404)

    for (resource, server) in [
      ("acct:ada@shop.example", org.issuer.absoluteString),
      ("okta:acct:ada@shop.example", "https://demo.okta.example"),
    ] {
      let url = try require(
        URL(string: "https://demo.okta.example/.well-known/webfinger?resource=\(resource)"))
      let json = try await JSONValue(parsing: org.send(TransportRequest(url: url)).body)
      expectEqual(json["subject"]?.string, resource)
      expectEqual(json["links"]?[0]?["href"]?.string, server)
    }
  }

  @Test("A person in a browser sees a page, and not JSON")
  func browserPage() async throws {
    let org = makeOrg()
    for path in ["/authorize?client_id=0oaOther", "/logout", "/nowhere"] {
      let url = try require(URL(string: org.issuer.absoluteString + "/v1" + path))
      let page = try await org.send(
        TransportRequest(url: url, headers: ["Accept": "text/html,*/*;q=0.8"]))
      expectEqual(page.header("Content-Type"), "text/html; charset=utf-8")
      let json = try await org.send(TransportRequest(url: url))
      let error = try JSONValue(parsing: json.body)
      let text = (error["error_description"] ?? error["errorSummary"])?.string ?? "?"
      expectContains(String(decoding: page.body, as: UTF8.self), "<p>\(text)</p>")
      expectEqual(json.status, page.status)
      expectEqual(json.header("Content-Type"), "application/json")
    }
  }

  // MARK: Sessions for a session token

  @Test("A session token gives a session in three ways, once")
  func sessions() async throws {
    let org = makeOrg()
    await org.changeRequests {
      $0.signInPage = OrgSignInPage()
      $0.samlApps = [.awsConsole]
    }
    let origin = "https://demo.okta.example"
    let app = origin + "/app/amazon_aws/exkDemoApp0000000001/sso/saml"
    var client = try await ClassicClient.signedIn(org)
    func get(_ address: String, sid: String? = nil) async throws -> TransportResponse {
      let url = try require(URL(string: address))
      return try await org.send(
        TransportRequest(url: url, headers: sid.map { ["Cookie": "sid=\($0)"] } ?? [:]))
    }
    func hasForm(_ response: TransportResponse) -> Bool {
      String(decoding: response.body, as: UTF8.self).contains("SAMLResponse")
    }
    let token = try require(client.sessionToken)
    try await client.post(origin + "/api/v1/sessions", ["sessionToken": .string(token)])
    let id = try require(client.json["id"]?.string)
    expect(client.json["status"] == "ACTIVE")
    try await expect(hasForm(get(app, sid: id)))
    let links = try await JSONValue(
      parsing: get(origin + "/api/v1/users/me/appLinks", sid: id).body)
    expect(links[0]?["label"] == "AWS Account Federation" && links[0]?["sortOrder"] == 0)
    let tabs = try await JSONValue(
      parsing: get(
        origin + "/api/v1/users/me/home/tabs?type=all&expand=items&expand=items.resource", sid: id
      ).body)
    expectEqual(tabs[0]?["_embedded"]?["items"]?[0]?["_embedded"]?["resource"], links[0])
    try await expect(
      get(require(links[0]?["linkUrl"]?.string), sid: id).header("Location")?.hasPrefix(app)
        == true)
    try await expectEqual(get(origin + "/api/v1/users/me/appLinks").status, 403)
    try await client.post(origin + "/api/v1/sessions", ["sessionToken": .string(token)])
    expectEqual(client.response.status, 401)

    client = try await ClassicClient.signedIn(org)
    let second = try require(client.sessionToken)
    let direct = try await get(
      origin + "/home/amazon_aws/exkDemoApp0000000001/272?onetimetoken=\(second)")
    try await expect(hasForm(get(require(direct.header("Location")))))
    try await expect(!hasForm(get(require(direct.header("Location")))))

    client = try await ClassicClient.signedIn(org)
    let third = try require(client.sessionToken)
    let redirect = origin + "/login/sessionCookieRedirect?checkAccountSetupComplete=true&token="
    try await expectEqual(
      get("\(redirect)\(third)&redirectUrl=https://evil.example/").status, 400)
    try await expectEqual(
      get("\(redirect)\(third)&redirectUrl=\(app)%0d%0aSet-Cookie:x").status, 400)
    let there = try await get("\(redirect)\(third)&redirectUrl=\(app)")
    expectEqual(there.header("Location"), app)
    expectContains(there.header("Set-Cookie") ?? "", "sid=")
    try await expectEqual(get("\(redirect)\(third)&redirectUrl=\(app)").status, 400)
    // The token is not needed any more if there is a session.
    try await expectEqual(get("\(redirect)\(third)&redirectUrl=\(app)", sid: id).status, 302)
  }

  // MARK: The classic API

  @Test("Clients of the classic API send members of their own, and name an answer as they like")
  func classicBodies() async throws {
    let org = makeOrg(
      .required(.googleAuthenticator), [.googleAuthenticator(secret: "JBSWY3DPEHPK3PXP")])
    let more: JSONValue = ["factorType": "token:software:totp", "rememberDevice": false]
    for isStrict in [true, false] {
      await org.changeRequests { $0.isStrict = isStrict }
      var client = try await ClassicClient.signedIn(org)
      let id = try require(client.factors.first?["id"]?.string)
      let code = try await require(org.code(of: .googleAuthenticator, for: ClassicClient.login))
      // Without an answer, the request only begins the challenge.
      try await client.post(path: "/factors/\(id)/verify?rememberDevice=false")
      expectEqual(client.status, "MFA_CHALLENGE")
      try await client.post(
        path: "/factors/\(id)/verify", more.adding("answer", .string(code)))
      if isStrict {
        expectEqual(client.error, "E0000001")
      } else {
        expectEqual(client.status, "SUCCESS")
      }
    }
  }

  @Test("An app with a secret needs no PKCE, but what it has sent is checked")
  func withoutPKCE() async throws {
    let org = makeOrg(clientSecret: "s3cr3t")
    for (challenge, verifier, isRight) in [
      (nil, nil, true), (nil, "another", false), ("right", "right", true), ("right", nil, false),
      ("right", "another", false),
    ] as [(String?, String?, Bool)] {
      var client = try await ClassicClient.signedIn(org)
      let changes: [String: String?] =
        challenge == nil ? ["code_challenge": nil, "code_challenge_method": nil] : [:]
      let code = try await client.authorize(changes)["code"]
      expect(code != nil)
      let sent = verifier == "right" ? client.pkce.verifier.revealed : verifier
      try await client.redeem(code, ["code_verifier": sent, "client_secret": "s3cr3t"])
      expectEqual(client.response.status, isRight ? 200 : 400)
    }
    var client = try await ClassicClient.signedIn(makeOrg())
    try await expectEqual(
      client.authorize(["code_challenge": nil, "code_challenge_method": nil])["error"],
      "invalid_request")
  }

  // MARK: Header fields

  @Test(
    "Every response has a request ID, says how many requests are allowed, and must not be stored")
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

    let client = try await OrgClient(makeOrg())
    let type = client.response.header("content-type")
    expectEqual(type, "application/ion+json; okta-version=1.0.0")
    expectEqual(client.response.header("X-Okta-Request-Id")?.isEmpty, false)
    expectEqual(client.json["version"], "1.0.0")
  }

  // MARK: Forms

  @Test(
    "Choices have the types and labels of Okta, unless the shape of the responses is another one")
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

  @Test("Members and parameters that Okta's clients add are accepted, unless the rules are strict")
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
    "Scripts of a trusted origin can send every request and read every response, and others none")
  func origins() async throws {
    for path in ["/oauth2/default/v1/keys", "/idp/idx/identify", "/nowhere", "/orders"] {
      let response = try await response(from: Self.site, path)
      expectEqual(response.header("Access-Control-Allow-Origin"), Self.site, "\(path)")
      expectEqual(response.header("Access-Control-Allow-Credentials"), "true")
      expectEqual(response.header("Vary"), "Origin")
      let exposed = response.header("Access-Control-Expose-Headers") ?? ""
      expect(exposed.contains("DPoP-Nonce") && exposed.contains("X-Okta-Request-Id"))
    }
    for path in [
      "/idp/idx/introspect", "/oauth2/default/v1/token", "/api/v1/sessions/me", "/orders",
    ] {
      let response = try await response(from: Self.site, method: "OPTIONS", path)
      expectEqual(response.status, 204, "\(path)")
      expectEqual(response.header("Access-Control-Allow-Origin"), Self.site)
      expectEqual(response.header("Access-Control-Allow-Credentials"), "true")
      expectEqual(response.header("Access-Control-Allow-Methods"), "GET, POST, DELETE")
      let allowed = response.header("Access-Control-Allow-Headers")?.lowercased() ?? ""
      // Those of Okta's JavaScript client.
      for name in ["accept", "authorization", "content-type", "dpop", "x-okta-user-agent-extended"]
      {
        expectContains(allowed.components(separatedBy: ", "), name)
      }
      expectEqual(response.header("Set-Cookie"), nil)
    }
    for origin in [
      nil, "null", "http://localhost:3001", "https://localhost:3000", "http://localhost:3000/", "*",
    ] {
      for method in ["GET", "OPTIONS"] {
        let response = try await response(from: origin, method: method)
        expectEqual(response.status, method == "GET" ? 200 : 405)
        expect(
          !response.headers.keys.contains { $0.hasPrefix("Access-Control") }, "\(origin ?? "-")")
      }
    }
    let response = try await response(from: Self.site, trusting: [])
    expectEqual(response.header("Access-Control-Allow-Origin"), nil)
  }
}
