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
    let finished = try await OrgClient.signedIn(makeOrg(clientSecret: "s3cr3t"))
    for (secret, status) in [(nil, 401), ("s3cr3t", 200)] as [(String?, Int)] {
      var client = finished
      try await client.redeem(["client_secret": secret])
      expectEqual(client.status, status)
      expectEqual(client.error, status == 401 ? "invalid_client" : nil)
    }
    for secret: Secret? in ["s3cr3t", nil] {
      var client = try await OrgClient(makeOrg(clientSecret: secret))
      try await client.interact(["client_secret": "wrong"])
      expectEqual(client.status, 401)
      expectEqual(client.error, "invalid_client")
    }
  }

  private func request(
    _ path: String, for token: String, by app: String, to org: SimulatedOrg
  ) -> TransportRequest {
    let url = org.issuer.appendingPathComponent("v1/" + path)
    var request = TransportRequest.form(url, [("token", token)])
    request.headers["Authorization"] = "Basic " + Data(app.utf8).base64EncodedString()
    return request
  }

  @Test("An app can send its ID in the header field for authentication, if it has no secret")
  func header() async throws {
    let org = makeOrg()
    var client = try await OrgClient.withTokens(org)
    let token = client.accessToken
    for wrong in ["0oaAnother", "\(org.clientID):s3cr3t", ""] {
      let response = try await org.send(request("revoke", for: token, by: wrong, to: org))
      expectEqual(response.status, 401, wrong)
    }
    for isActive in [true, false] {
      try await client.send(request("introspect", for: token, by: org.clientID, to: org))
      expectEqual(client.json["active"]?.bool, isActive)
      let response = try await org.send(request("revoke", for: token, by: org.clientID, to: org))
      expectEqual(response.status, 200)
    }

    let other = makeOrg(clientSecret: "s3cr3t")
    let response = try await other.send(request("revoke", for: "x", by: other.clientID, to: other))
    expectEqual(response.status, 401)
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
    func authenticated(by secret: String) -> String {
      var token = UnsignedToken(claims, naming: key)
      token.header = ["alg": "HS256"]
      let input = token.signingInput
      let code = HashFunction.sha256.hmac(key: Array(secret.utf8), Array(input.utf8))
      return input + "." + Base64URL.encode(code)
    }
    func signed(
      by key: any SigningKey = key, _ name: String = "jti", _ value: JSONValue = "1"
    ) -> String {
      var object = claims.object ?? JSONValue.Object()
      object[name] = value
      return UnsignedToken(.object(object), naming: key).signed(by: key)
    }
    let attempts: [(secret: Secret?, assertion: String, isRight: Bool)] = [
      ("s3cr3t", authenticated(by: "s3cr3t"), true),
      ("s3cr3t", authenticated(by: "another"), false), (nil, authenticated(by: ""), false),
      (nil, signed(), true), (nil, signed(by: RSASigningKey.unpublished), false),
      (nil, signed("aud", "https://other.example/"), false),
      (nil, signed("aud", ["x", "https://demo.okta.example/oauth2/default"]), true),
      (nil, signed("exp", 1_900_000_000), false), (nil, signed("sub", "0oaOther"), false),
      (nil, "x", false),
    ]
    for (secret, assertion, isRight) in attempts {
      let org = makeOrg(clientSecret: secret)
      if secret == nil { await org.changeRequests { $0.clientKeys = keys } }
      let signedIn = try await OrgClient.signedIn(org)
      let proof: [String: String?] = [
        "client_assertion": assertion,
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      ]
      for (form, error) in [
        ([:], "invalid_client"), (proof, isRight ? nil : "invalid_client"),
        (proof.merging(["client_secret": "s3cr3t"]) { $1 }, "invalid_request"),
      ] as [([String: String?], String?)] {
        var client = signedIn
        try await client.redeem(form)
        expectEqual(client.error, error)
        expectEqual(client.status == 200, error == nil)
      }
    }
  }

  // MARK: Discovery

  private func json(_ path: String, of org: SimulatedOrg) async throws -> JSONValue {
    let url = try require(URL(string: "https://demo.okta.example" + path))
    return try await JSONValue(parsing: org.send(TransportRequest(url: url)).body)
  }

  @Test("Discovery has every address by the names of both standards, and WebFinger has the issuer")
  func discovery() async throws {
    let org = makeOrg()
    let issuer = org.issuer.absoluteString
    for (path, name) in [
      ("/oauth2/default/.well-known/openid-configuration?client_id=x", issuer),
      ("/oauth2/default/.well-known/oauth-authorization-server", issuer),
      ("/.well-known/oauth-authorization-server/oauth2/default", issuer),
      ("/.well-known/oauth-authorization-server/oauth2/other", nil),
    ] as [(String, String?)] {
      try await expectEqual(json(path, of: org)["issuer"]?.string, name, path)
    }
    for (path, base) in [("", "/oauth2/v1/"), ("/oauth2/default", "/oauth2/default/v1/")] {
      let org = makeOrg(issuer: "https://demo.okta.example" + path)
      let document = try await json(path + "/.well-known/openid-configuration", of: org)
      for (name, end) in [
        "token_endpoint": "token", "jwks_uri": "keys", "userinfo_endpoint": "userinfo",
        "revocation_endpoint": "revoke", "introspection_endpoint": "introspect",
        "end_session_endpoint": "logout",
      ] {
        expectEqual(document[name]?.string, "https://demo.okta.example" + base + end)
      }
      expectContains(document["grant_types_supported"]?.array ?? [], "refresh_token")
    }
    for (resource, server) in [
      ("acct:ada@shop.example", issuer),
      ("okta:acct:ada@shop.example", "https://demo.okta.example"),
    ] {
      let found = try await json("/.well-known/webfinger?resource=\(resource)", of: org)
      expectEqual(found["subject"]?.string, resource)
      expectEqual(found["links"]?[0]?["href"]?.string, server)
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
  }

  // MARK: Header fields

  @Test(
    "Every response has a request ID, says how many requests are allowed, and must not be stored")
  func commonFields() async throws {
    let org = makeOrg()
    for (path, status) in [
      ("/oauth2/default/.well-known/openid-configuration", 200), ("/oauth2/default/v1/keys", 200),
      ("/oauth2/default/v1/logout?id_token_hint=x", 200), ("/idp/idx/introspect", 405),
      ("/api/v1/sessions/me", 404), ("/nowhere", 404),
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

  /// The fields of all choices of a form.
  private func fields(of name: String, in client: OrgClient) -> [JSONValue] {
    client.choices(of: name).flatMap { $0["value"]?["form"]?["value"]?.array ?? [] }
  }

  @Test(
    "Choices have the types and labels of Okta, unless the shape of the responses is another one",
    arguments: [([], "string"), (.untypedChoices, nil)] as [(ResponseShape, String?)])
  func typeOfChoices(shape: ResponseShape, type: String?) async throws {
    let (enroll, question) = ("select-authenticator-enroll", "enroll-authenticator")
    var client = try await OrgClient.signedIn(
      makeOrg(.required(.phone, .oktaVerify, .securityQuestion), shape: shape))
    let choices = fields(of: enroll, in: client).filter { $0["options"] != nil }
    expectEqual(choices.compactMap { $0["name"]?.string }, ["methodType", "channel"])
    for choice in choices { expectEqual(choice["type"]?.string, type) }
    expectEqual(client.form(enroll)?["value"]?[0]?["type"], "object")
    try await client.choose("Security Question", in: enroll)
    let (chosen, written) = ("Choose a security question", "Create my own security question")
    expectEqual(client.options(of: question), [chosen, written])
    let asked = fields(of: question, in: client)
    expectEqual(
      asked.compactMap { $0["label"]?.string },
      [chosen, "Answer", "Create a security question", "Answer"])
    expectEqual(asked.first?["name"], "questionKey")
    expectEqual(asked.first?["type"]?.string, type)
  }

  @Test("Members and parameters that Okta's clients add are accepted, unless the rules are strict")
  func addedMembers() async throws {
    for isStrict in [true, false] {
      let (org, plain) = (makeOrg(.required(.phone)), makeOrg())
      for org in [org, plain] { await org.changeRequests { $0.isStrict = isStrict } }
      var client = try await OrgClient.signedIn(org)
      try await client.choose(
        "Phone", in: "select-authenticator-enroll",
        [
          "key": "phone_number", "autoChallenge": true, "methodType": "sms",
          "phoneNumber": "+15550100142",
        ])
      expectEqual(client.status, isStrict ? 400 : 200)
      expectEqual(client.remediations.first, isStrict ? nil : "enroll-authenticator")

      var other = DirectClient(plain)
      // A parameter of another grant is unknown to this one.
      for added in [["audience": "api://default", "ui_locales": "de"], ["code": "ac_1"]] {
        try await other.password(adding: added)
        expectEqual(other.error, isStrict ? "invalid_request" : nil)
      }
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

  // MARK: Scripts from other origins

  private static let site = "http://localhost:3000"

  private func response(
    from origin: String?, method: String = "GET", _ path: String = "/oauth2/default/v1/keys",
    trusting: Set<String> = [site]
  ) async throws -> TransportResponse {
    let org = makeOrg()
    await org.changeRequests { $0.trustedOrigins = trusting }
    let api = SimulatedAPI(org, origin: "https://api.shop.example")
    let isOfAPI = path == "/orders"
    let base = isOfAPI ? api.origin : org.issuer
    var request = TransportRequest(
      method: method, url: try require(URL(string: path, relativeTo: base)).absoluteURL)
    request.headers["origin"] = origin
    if method == "OPTIONS" { request.headers["Access-Control-Request-Method"] = "POST" }
    return try await isOfAPI ? api.send(request) : org.send(request)
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
