import Expectations
import Foundation
import IDXBase
import IDXFlow
@testable import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import IDXStorage

@Suite("Requests with the access token of a credential", .timeLimit(.minutes(10)))
struct AuthenticatedTransportTests {
  private static let scopes = ["openid", "profile", "offline_access"]
  static let scenarios = [OrgScenario["password"], OrgScenario["dpop"]]

  /// A signed-in person, and an API that accepts the tokens.
  private struct Sample {
    let org: SimulatedOrg
    let api: SimulatedAPI
    let log: RequestLog
    let store = MemoryCredentialStore(timeout: patience)
    let session: CredentialSession
    let transport: AuthenticatedTransport
    let credential: Credential

    init(_ scenario: OrgScenario, scopes: [String] = AuthenticatedTransportTests.scopes)
      async throws
    {
      org = SimulatedOrg(scenario, seed: 3, clock: { TestSignIn.now })
      let test = try TestSignIn(org, scopes: scopes)
      credential = try await test.credential()
      await store.save(credential)
      api = SimulatedAPI(org, origin: "https://api.shop.example")
      log = RequestLog(api)
      session = CredentialSession(credential.id, store: store, client: test.tokens)
      transport = AuthenticatedTransport(session, over: log, origins: [api.origin])
    }

    func request(_ path: String, _ method: String = "GET") -> TransportRequest {
      TransportRequest(method: method, url: api.origin.appending(path: path))
    }

    /// A transport to an API with these responses, and the requests that it sends.
    func makeTransport(
      answering answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
    ) -> (transport: AuthenticatedTransport, log: RequestLog) {
      let log = RequestLog(StubServer(document: [:], answer: answer))
      return (AuthenticatedTransport(session, over: log, origins: [api.origin]), log)
    }
  }

  @Test(
    "An API gets the token, with a proof if it is bound", .promise("one-token"),
    arguments: scenarios)
  func sending(scenario: OrgScenario) async throws {
    let sample = try await Sample(scenario)
    let isBound = scenario.policy.requiresDPoP
    var request = sample.request("orders", "POST")
    request.url.append(queryItems: [URLQueryItem(name: "page", value: "2")])
    request.body = Array("one".utf8)
    request.headers["authorization"] = "Basic c3RyYW5nZXI6"
    for count in [isBound ? 2 : 1, isBound ? 3 : 2] {
      let response = try await sample.transport.send(request)
      expectEqual(response.status, 200)
      let body = try JSONValue(parsing: response.body)
      expectEqual(body["type"]?.string, (isBound ? "DPoP" : "Bearer"))
      expect(body["query"]?.string == "page=2" && body["body"]?.string == "one")
      expectEqual(body["username"]?.string, TestSignIn.login)
      // The first request of a bound token also asks for the nonce of the API.
      await expectEqual(sample.api.requests.count, count)
    }
    for sent in await sample.log.requests {
      expectEqual(sent.headers.keys.count { $0.lowercased() == "authorization" }, 1)
      expectEqual(sent.headers["DPoP"] != nil, isBound)
    }
  }

  @Test(
    "No other server gets the token or a proof", .promise("token-servers"), arguments: scenarios)
  func otherOrigins(scenario: OrgScenario) async throws {
    let sample = try await Sample(scenario)
    let (transport, log) = sample.makeTransport { _ in
      TransportResponse(status: 302, headers: ["Location": "https://evil.example/"])
    }
    let addresses = [
      "https://evil.example/", "http://api.shop.example/", "https://api.shop.example:8443/",
      "https://api.shop.example.evil.example/", "https://api.shop.example@evil.example/",
    ]
    for address in addresses {
      _ = try await transport.send(TransportRequest(url: try require(URL(string: address))))
    }
    for request in await log.requests {
      expect(request.headers["Authorization"] == nil && request.headers["DPoP"] == nil)
    }
    // A redirect is returned, and not followed.
    let response = try await transport.send(sample.request("moved"))
    expectEqual(response.status, 302)
    await expectEqual(log.requests.count, addresses.count + 1)
  }

  @Test(
    "No token is sent over plain http to another computer, and by default none to other servers",
    .promise("token-servers"))
  func plainHTTP() async throws {
    let sample = try await Sample(OrgScenario["password"])
    let address = try require(URL(string: "http://api.shop.example/"))
    let transport = AuthenticatedTransport(sample.session, over: sample.log, origins: [address])
    let error = try await requireError(FlowError.self) {
      try await transport.send(TransportRequest(url: address))
    }
    expectEqual(error.code, .hrefRefused)
    await expectEqual(sample.log.requests.count, 0)
    let own = try await Sample(OrgScenario["dpop"])
    let toIssuer = AuthenticatedTransport(own.session, over: own.log)
    let userInfo = own.org.issuer.appending(path: "v1/userinfo")
    let response = try await toIssuer.send(
      TransportRequest(url: userInfo, headers: ["Accept": "application/json"]))
    expectEqual(response.status, 200)
    try await expectEqual(toIssuer.send(own.request("orders")).status, 401)
  }

  @Test(
    "After a refusal, the token is refreshed once and the request is repeated once",
    arguments: scenarios)
  func refused(scenario: OrgScenario) async throws {
    let sample = try await Sample(scenario)
    try await sample.session.revokeAccessToken()
    let response = try await sample.transport.send(sample.request("orders"))
    expectEqual(response.status, 200)
    let stored = try await require(sample.store.credential(sample.credential.id))
    expect(stored.tokens.accessToken != sample.credential.tokens.accessToken)
    expectEqual(stored.tokens.key, sample.credential.tokens.key)
  }

  @Test(
    "The refusal of an API that refuses every token is returned: the second, or without a refresh token the first"
  )
  func alwaysRefused() async throws {
    let sample = try await Sample(OrgScenario["password"])
    let (transport, log) = sample.makeTransport { _ in TransportResponse(status: 401) }
    try await expectEqual(transport.send(sample.request("orders")).status, 401)
    await expectEqual(log.requests.count, 2)
    let bare = try await Sample(OrgScenario["password"], scopes: ["openid"])
    try await bare.session.revokeAccessToken()
    try await expectEqual(bare.transport.send(bare.request("orders")).status, 401)
    await expectEqual(bare.log.requests.count, 1)
  }

  @Test("An API that refuses each token after its first request causes one refresh")
  func refusedAgain() async throws {
    let sample = try await Sample(OrgScenario["password"])
    let seen = Locked<Set<String>>([])
    let (transport, _) = sample.makeTransport { request in
      let token = request.headers["Authorization"] ?? ""
      return TransportResponse(status: seen.withLock { $0.insert(token).inserted } ? 200 : 401)
    }
    var statuses: [Int] = []
    for _ in 0..<4 { statuses.append(try await transport.send(sample.request("page")).status) }
    expectEqual(statuses, [200, 200, 401, 401])
    expectEqual(seen.withLock { $0.count }, 2)
  }

  @Test(
    "An API that always asks for another nonce is asked three times, without a refresh",
    .promise("proof-limit"))
  func endlessNonces() async throws {
    let sample = try await Sample(OrgScenario["dpop"])
    let count = Locked(0)
    let (transport, log) = sample.makeTransport { _ in
      TransportResponse(
        status: 401,
        headers: [
          "WWW-Authenticate": "DPoP error=\"use_dpop_nonce\"",
          "DPoP-Nonce": "n\(count.increment())",
        ])
    }
    try await expectEqual(transport.send(sample.request("orders")).status, 401)
    await expectEqual(log.requests.count, 3)
    await expectEqual(
      sample.store.credential(sample.credential.id)?.tokens, sample.credential.tokens)
  }

  @Test("A proof of another request, key or time is refused by the API", .promise("proof-scope"))
  func copiedProof() async throws {
    let sample = try await Sample(OrgScenario["dpop"])
    _ = try await sample.transport.send(sample.request("orders"))
    let sent = try await require(sample.log.requests.last)
    // The same proof again, for another method or address, and with another token.
    var other = sent
    other.method = "DELETE"
    var elsewhere = sent
    elsewhere.url = sample.api.origin.appending(path: "customers")
    var bearer = sent
    bearer.headers["Authorization"] = sent.headers["Authorization"]?
      .replacing("DPoP ", with: "Bearer ")
    var bare = sent
    bare.headers["DPoP"] = nil
    for request in [sent, other, elsewhere, bearer, bare] {
      let response = try await sample.api.send(request)
      expectEqual(response.status, 401)
    }
    sample.org.advance(by: 301)
    try await expectEqual(sample.api.send(sent).status, 401)
  }

  @Test("No description of the transport shows what it holds")
  func redaction() async throws {
    let sample = try await Sample(OrgScenario["password"])
    let text = printedTexts(of: sample.transport)
    expect(!text.contains(sample.credential.tokens.accessToken.revealed))
  }
}

extension CredentialSession {
  /// Revokes the access token alone at the server, as an administrator would.
  fileprivate func revokeAccessToken() async throws {
    try await client.revoke(.access, of: credential())
  }
}
