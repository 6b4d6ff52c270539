import Expectations
import Foundation
import IDX
import IDXFlow
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// A server that has its endpoints elsewhere than Okta, as its discovery says.
private actor MovedServer: Transport {
  private let org: SimulatedOrg
  private var place: String
  /// A member that its discovery does not have.
  private let missing: String
  private var tokenResponse: TransportResponse?
  private(set) var requests: [String] = []

  init(_ org: SimulatedOrg, at place: String, without missing: String = "") {
    (self.org, self.place, self.missing) = (org, place, missing)
  }

  func move(to place: String) { self.place = place }

  /// Answers at each token endpoint.
  func answerTokenRequests(with response: TransportResponse) { tokenResponse = response }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let okta = "https://demo.okta.example/oauth2/default/v1/"
    let address = request.url.absoluteString
    requests.append(request.url.path)
    if request.url.lastPathComponent == "token", let tokenResponse { return tokenResponse }
    guard !address.hasPrefix(okta) else { return TransportResponse(status: 405) }
    let isElsewhere = ["oidc", "second"].contains(request.url.pathComponents.dropFirst().first)
    guard !isElsewhere || address.hasPrefix(place) else { return TransportResponse(status: 404) }
    guard address.hasPrefix(place) else {
      var response = try await org.send(request)
      let text = String(decoding: response.body, as: UTF8.self)
      response.body = Array(
        text.replacingOccurrences(of: okta, with: place)
          .replacingOccurrences(of: "\"\(missing)\":", with: "\"other\":").utf8)
      return response
    }
    let path = address.dropFirst(place.count)
    return try await org.send(
      TransportRequest(
        method: request.method, url: try require(URL(string: okta + path)),
        headers: request.headers, body: request.body))
  }
}

/// Token requests to the simulated org.
struct TokenClientTests {
  private static let scopes = ["openid", "profile", "email", "offline_access"]

  private let test: TestSignIn
  private var client: TokenClient { test.tokens }

  init() throws { test = try TestSignIn(scopes: Self.scopes) }

  /// A credential that no sign-in created.
  private func makeCredential(
    _ tokens: Tokens, issuer: URL? = nil, subject: String? = nil
  ) -> Credential {
    Credential(
      id: Credential.ID(
        issuer: issuer ?? test.configuration.issuer, clientID: "c", subject: subject),
      tokens: tokens, receivedAt: TestSignIn.now)
  }

  @Test("If the server sends no username or no scopes, the credential has those of the request")
  func omitted() async throws {
    let configuration = try FlowConfiguration(
      issuer: test.org.issuer.absoluteString, clientID: "0oaShop", scopes: ["profile", "email"])
    for (granted, scopes) in [([], ["profile", "email"]), (["email"], ["email"])] {
      let credential = try await client.credential(
        for: Tokens(accessToken: "at", scopes: granted), of: configuration, nonce: nil,
        maximumAge: nil, username: "ada")
      expect(credential.username == "ada" && credential.id.subject == nil)
      expectEqual(credential.scopes, scopes)
    }
  }

  @Test("The endpoints of another server are learned once, from what it says about itself")
  func movedEndpoints() async throws {
    let credential = try await test.credential()
    let server = MovedServer(test.org, at: "https://demo.okta.example/oidc/")
    let client = TokenClient(transport: server, now: { TestSignIn.now })
    let renewed = try await client.refresh(credential)
    _ = try await client.userInfo(renewed)
    try await expect(client.isActive(.access, of: renewed))
    try await client.revoke(.refresh, of: renewed)
    try await expect(!client.isActive(.access, of: renewed))
    let requests = await server.requests
    expectEqual(requests.count { $0.hasSuffix("/openid-configuration") }, 1)
    // Only the first request went where Okta has its endpoint.
    expectEqual(
      requests.filter { $0.hasPrefix("/oauth2/default/v1/") }, ["/oauth2/default/v1/keys"])
    expectEqual(
      requests.suffix(5),
      ["/oidc/token", "/oidc/userinfo", "/oidc/introspect", "/oidc/revoke", "/oidc/introspect"])
  }

  @Test("No token is sent to an endpoint at another origin", .promise("origin-only"))
  func foreignEndpoints() async throws {
    let credential = try await test.credential()
    let server = MovedServer(test.org, at: "https://other.example/")
    let client = TokenClient(transport: server, now: { TestSignIn.now })
    let error = try await requireError(FlowError.self) { try await client.userInfo(credential) }
    expectEqual(error.status, 405)
    await expectEqual(
      server.requests,
      ["/oauth2/default/v1/userinfo", "/oauth2/default/.well-known/openid-configuration"])
  }

  @Test(
    "A request that the server has read is not sent to another endpoint", .promise("safe-retry"),
    arguments: [(404, #"{"error":"invalid_grant"}"#), (405, #"{"error":"invalid_client"}"#)])
  func readRequest(status: Int, body: String) async throws {
    let credential = try await test.credential()
    let server = MovedServer(test.org, at: "https://demo.okta.example/oidc/")
    await server.answerTokenRequests(
      with: TransportResponse(status: status, body: Array(body.utf8)))
    let client = TokenClient(transport: server, now: { TestSignIn.now })
    _ = try await requireError(FlowError.self) { try await client.refresh(credential) }
    await expectEqual(server.requests.count { $0.hasSuffix("/token") }, 1)
    await expectEqual(server.requests.last, "/oidc/token")
  }

  @Test("A server without an endpoint is not asked at Okta's address")
  func missingEndpoint() async throws {
    let credential = try await test.credential()
    let server = MovedServer(
      test.org, at: "https://demo.okta.example/oidc/", without: "introspection_endpoint")
    let client = TokenClient(transport: server, now: { TestSignIn.now })
    let renewed = try await client.refresh(credential)
    let error = try await requireError(FlowError.self) {
      try await client.isActive(.access, of: renewed)
    }
    expectEqual(error.message, "The server has no endpoint for that (introspection_endpoint).")
    await expectEqual(server.requests.last, "/oidc/token")
  }

  @Test("A server is asked once a minute where its endpoints are, and an endpoint can move again")
  func askedOnce() async throws {
    let credential = try await test.credential()
    let time = Locked(TestSignIn.now)
    let server = MovedServer(test.org, at: "https://demo.okta.example/oidc/")
    let client = TokenClient(transport: server, now: { time.withLock { $0 } })
    try await expect(client.isActive(.access, of: credential))
    await server.move(to: "https://demo.okta.example/second/")
    for _ in 0..<3 {
      _ = try await requireError(FlowError.self) {
        try await client.isActive(.access, of: credential)
      }
    }
    await expectEqual(server.requests.count { $0.hasSuffix("/openid-configuration") }, 1)
    time.withLock { $0 += 60 }
    try await expect(client.isActive(.access, of: credential))
    await expectEqual(server.requests.count { $0.hasSuffix("/openid-configuration") }, 2)
  }

  @Test("A server that gives tokens but answers no questions about them is no mistake of the setup")
  func refusedIntrospection() async throws {
    let credential = try await test.credential()
    for (path, code) in [("/introspect", "unauthorized_client"), ("/revoke", "invalid_client")] {
      await test.org.inject(.refused(code), at: path)
      let error = try await requireError(FlowError.self) {
        if path == "/revoke" {
          try await client.revoke(.refresh, of: credential)
        } else {
          _ = try await client.isActive(.access, of: credential)
        }
      }
      expectEqual(error.code, .refused)
      expectPrefix(error.message, "The server does not let this app ")
      expectEqual(SetupProblem(error, of: test.configuration), nil)
    }
  }

  @Test("An ID token in ES256 is accepted")
  func elliptic() async throws {
    await test.org.changeTokens { $0.signsWithES256 = true }
    let credential = try await test.credential()
    let header = try require(credential.tokens.idToken?.revealed.split(separator: ".").first)
    try expectEqual(JSONValue(parsing: require(Base64URL.decode(String(header))))["alg"], "ES256")
    try await expectEqual(client.refresh(credential).id, credential.id)
  }

  @Test("A refresh returns new tokens of the same user, with a new time")
  func refresh() async throws {
    let old = try await test.credential()
    test.org.advance(by: 3000)
    let new = try await client.refresh(old)
    expect(new.id == old.id && new.username == old.username && new.scopes == old.scopes)
    expect(new.tokens.accessToken != old.tokens.accessToken)
    expect(new.tokens.refreshToken != old.tokens.refreshToken)
    expectEqual(new.receivedAt, TestSignIn.now.addingTimeInterval(3000))
    expect(new.authenticatedAt == old.authenticatedAt && new.nonce == old.nonce)
    let sent = try await require(test.transport.requests.last)
    expectEqual(
      sent.parameters,
      [
        "grant_type": "refresh_token", "client_id": test.org.clientID,
        "refresh_token": old.tokens.refreshToken?.revealed ?? "",
      ])
    // A nonce may be missing or the same.
    await test.org.changeTokens { $0.repeatsNonce = true }
    try await expectEqual(client.refresh(new).id, old.id)
  }

  @Test(
    "If a refresh returns no new refresh token, the old one is kept",
    arguments: [OrgTokenRules.RefreshRotation.fixed, .unmentioned])
  func rotation(rotation: OrgTokenRules.RefreshRotation) async throws {
    await test.org.changeTokens { $0.refreshRotation = rotation }
    let old = try await test.credential()
    let new = try await client.refresh(old)
    expectEqual(new.tokens.refreshToken, old.tokens.refreshToken)
    try await expectEqual(client.refresh(new).tokens.refreshToken, old.tokens.refreshToken)
  }

  @Test(
    "The ID token of a refresh is checked", .promise("refresh-person"),
    arguments: [
      (IDTokenFlaw.wrongSubject, IDTokenError.Code.subject), (.changedSignature, .signature),
      (.wrongAudience, .audience), (.expired, .expired), (.oldAuthentication, .authenticationTime),
      (.wrongAccessTokenHash, .accessTokenHash), (.wrongNonce, .nonce),
    ])
  func checks(flaw: IDTokenFlaw, check: IDTokenError.Code) async throws {
    let credential = try await test.credential()
    await test.org.changeTokens { $0.idTokenFlaw = flaw }
    let error = try await requireError(FlowError.self) { try await client.refresh(credential) }
    expectEqual(error.code, .invalidToken)
    expectEqual((error.underlying as? IDTokenError)?.code, check)
  }

  @Test(
    "Without a valid refresh token, a new sign-in is needed, and nothing is sent if there is none")
  func noRefreshToken() async throws {
    let credential = try await test.credential()
    test.org.advance(by: 8 * 24 * 3600)
    let error = try await requireError(FlowError.self) { try await client.refresh(credential) }
    expect(error.code == .signInNeeded && error.status == 400)
    expectEqual((error.underlying as? OAuthError)?.code, .invalidGrant)
    expectContains(error.message, "Sign in again.")

    let other = try TestSignIn()
    let bare = try await other.credential()
    let count = await other.transport.requests.count
    let missing = try await requireError(FlowError.self) { try await other.tokens.refresh(bare) }
    expectEqual(missing.code, .signInNeeded)
    expectContains(missing.message, "offline_access")
    await expectEqual(other.transport.requests.count, count)
  }

  @Test(
    "Other errors are thrown unchanged, and the refresh can be repeated",
    arguments: [
      (Fault.refused("invalid_client"), FlowError.Code.refused), (.serverError, .serverFailed),
      (.rateLimited(seconds: 7), .rateLimited), (.unreachable, .network),
    ])
  func refusals(fault: Fault, code: FlowError.Code) async throws {
    let credential = try await test.credential()
    await test.org.inject(fault, at: "/token")
    let error = try await requireError(FlowError.self) { try await client.refresh(credential) }
    expectEqual(error.code, code)
    try await expectEqual(client.refresh(credential).id, credential.id)
  }

  @Test(
    "Revoking the refresh token revokes both tokens; an ID token or a missing token is not revoked")
  func revocation() async throws {
    let first = try await test.credential()
    try await client.revoke(.access, of: first)
    let sent = try await require(test.transport.requests.last)
    expectEqual(sent.parameters["token_type_hint"], "access_token")
    try await expectEqual(
      requireError(FlowError.self) { try await client.userInfo(first) }.code, .signInNeeded)
    let second = try await client.refresh(first)
    try await expectEqual(client.userInfo(second).username, TestSignIn.login)

    try await client.revoke(.refresh, of: second)
    try await expectEqual(
      requireError(FlowError.self) { try await client.refresh(second) }.code, .signInNeeded)
    try await expectEqual(
      requireError(FlowError.self) { try await client.userInfo(second) }.code, .signInNeeded)
    let credential = try await test.credential()
    let count = await test.transport.requests.count
    try await client.revoke(.id, of: credential)
    try await client.revoke(.refresh, of: makeCredential(Tokens(accessToken: "a")))
    await expectEqual(test.transport.requests.count, count)
  }

  @Test("The user info is requested with the access token, and its time of change is in seconds")
  func userInfo() async throws {
    let credential = try await test.credential()
    let info = try await client.userInfo(credential)
    expectEqual(info.subject, credential.id.subject)
    expect(info.username == TestSignIn.login && info.email == TestSignIn.login)
    let sent = try await require(test.transport.requests.last)
    expect(sent.method == "GET" && sent.body.isEmpty)
    expectEqual(sent.headers["Authorization"], "Bearer \(credential.tokens.accessToken.revealed)")
    for (value, time) in [(1_800_000_000, TestSignIn.now), ("yesterday", nil), (nil, nil)]
      as [(JSONValue?, Date?)]
    {
      let claims = (["sub": "00u1"] as JSONValue).adding("updated_at", value)
      try expectEqual(require(UserInfo(claims: claims)).updatedAt, time)
    }
  }

  @Test("Claims about another user are refused, and subjects are compared byte by byte")
  func otherUser() async throws {
    let credential = try await test.credential()
    let other = makeCredential(credential.tokens, subject: "00uOther")
    let similar = makeCredential(Tokens(accessToken: "a"), subject: "ren\u{e9}")
    let stub = TokenClient(
      transport: StubServer(document: [:]) { _ in .json(["sub": "ren\u{65}\u{301}"]) })
    for (client, credential) in [(client, other), (stub, similar)] {
      let error = try await requireError(FlowError.self) { try await client.userInfo(credential) }
      expectEqual(error.code, .unexpectedResponse)
      expectContains(error.message, "somebody else")
    }
  }

  @Test(
    "If one of the new tokens cannot be used, those that can be sent are revoked",
    .promise("lost-tokens"),
    arguments: [
      (#""access_token": "a\nb", "refresh_token": "r2""#, ["r2"]),
      (#""access_token": "a2", "refresh_token": "r\n2""#, ["a2"]),
      (#""access_token": "a2", "refresh_token": "r2", "id_token": "\u0001""#, ["r2", "a2"]),
      (#""access_token": "a2", "refresh_token": "r2", "token_type": "\n""#, ["r2", "a2"]),
      (#""refresh_token": "r2""#, ["r2"]), (#""access_token": """#, []),
    ])
  func unusable(members: String, revoked: [String]) async throws {
    let requests = Locked<[TransportRequest]>([])
    let server = StubServer(document: [:]) { request in
      requests.withLock { $0.append(request) }
      return request.url.path.hasSuffix("/token")
        ? TransportResponse(status: 200, body: Array("{\(members)}".utf8))
        : TransportResponse(status: 200)
    }
    let credential = makeCredential(Tokens(accessToken: "a1", refreshToken: "r1"))
    let error = try await requireError(FlowError.self) {
      try await TokenClient(transport: server).refresh(credential)
    }
    expectEqual(error.code, .unexpectedResponse)
    let sent = requests.withLock { $0 }.dropFirst()
    expectEqual(sent.map { $0.parameters["token"] }, revoked)
    expectEqual(error.message.contains("The new tokens were revoked."), !revoked.isEmpty)
  }

  @Test(
    "An access token of another type than Bearer and DPoP is not sent", .promise("bound-output"))
  func otherTokenType() async throws {
    let credential = try await test.credential()
    let token = credential.tokens.accessToken
    let count = await test.transport.requests.count
    for type in ["N_A", "mac"] {
      let other = makeCredential(Tokens(accessToken: token, tokenType: type))
      let error = try await requireError(FlowError.self) { try await client.userInfo(other) }
      expect(error.code == .notSendable && error.message.contains(type))
    }
    await expectEqual(test.transport.requests.count, count)
    let lowercase = makeCredential(Tokens(accessToken: token, tokenType: "bearer"))
    try await expectEqual(client.userInfo(lowercase).subject, credential.id.subject)
  }

  @Test(
    "Tokens are not sent to an invalid issuer", .promise("https-only"),
    arguments: [
      "http://id.shop.example/oauth2/default", "file:///oauth2/default", "/oauth2/default",
      "https://ada@id.shop.example/oauth2/default", "https://id.shop.example/oauth2/default?a=b",
      "https://id.shop.example/oauth2/default#a", "ftp://id.shop.example",
    ])
  func issuers(issuer: String) async throws {
    let tokens = try await test.credential().tokens
    let (count, keys) = (
      await test.transport.requests.count, await test.transport.keyRequests.count
    )
    let invalid = makeCredential(tokens, issuer: try require(URL(string: issuer)))
    let calls: [() async throws -> Void] = [
      { _ = try await client.refresh(invalid) }, { _ = try await client.userInfo(invalid) },
      { try await client.revoke(.refresh, of: invalid) },
    ]
    for call in calls {
      try await expectEqual(
        requireError(FlowError.self) { try await call() }.code, .invalidConfiguration)
    }
    await expectEqual(test.transport.requests.count, count)
    await expectEqual(test.transport.keyRequests.count, keys)
  }
}
