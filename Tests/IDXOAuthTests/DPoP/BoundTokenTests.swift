import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import IDXOAuth
@testable import IDXStorage

/// Changes the responses of another transport.
private struct ChangedResponses: Transport {
  let transport: any Transport
  let change: @Sendable (TransportRequest, TransportResponse) async throws -> TransportResponse

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await change(request, transport.send(request))
  }
}

extension TransportResponse {
  /// The same response with another member, if it issues tokens.
  fileprivate func issuing(_ name: String, _ value: JSONValue) throws -> TransportResponse {
    guard status == 200 else { return self }
    var response = self
    response.body = try JSONValue(parsing: body).adding(name, value).bytes
    return response
  }
}

extension Credential {
  /// The same credential with another key.
  fileprivate func bound(to key: DPoPKey?) -> Credential {
    var tokens = self.tokens
    tokens.key = key
    return Credential(id: id, tokens: tokens, receivedAt: receivedAt)
  }
}

@Suite("Tokens that are bound to a key", .timeLimit(.minutes(10)))
struct BoundTokenTests {
  private static let scopes = ["openid", "profile", "offline_access"]
  private let org: SimulatedOrg

  init() { org = SimulatedOrg(OrgScenario["dpop"], seed: 3, clock: { TestSignIn.now }) }

  private func test(
    _ policy: DPoPPolicy = .whenRequired, _ org: SimulatedOrg? = nil,
    through transport: (any Transport)? = nil
  ) throws -> TestSignIn {
    try TestSignIn(org ?? self.org, scopes: Self.scopes, dpop: policy, through: transport)
  }

  /// A sign-in whose responses of the token endpoint are changed.
  private func test(
    _ policy: DPoPPolicy = .whenRequired, org: SimulatedOrg? = nil,
    changing change:
      @escaping @Sendable (TransportRequest, TransportResponse) async throws -> TransportResponse
  ) throws -> TestSignIn {
    let org = org ?? self.org
    let changed = ChangedResponses(transport: org) { request, response in
      request.url.lastPathComponent == "token" ? try await change(request, response) : response
    }
    return try test(policy, org, through: changed)
  }

  /// A session of a credential in a store of its own.
  private func makeSession(
    _ credential: Credential, _ test: TestSignIn
  ) async -> (session: CredentialSession, store: MemoryCredentialStore) {
    let store = MemoryCredentialStore(timeout: patience)
    await store.save(credential)
    return (CredentialSession(credential.id, store: store, client: test.tokens), store)
  }

  private static func proofs(_ requests: [TransportRequest], at path: String) -> [JSONValue?] {
    requests.filter { $0.url.lastPathComponent == path }.map { request in
      guard let parts = request.headers["DPoP"]?.split(separator: "."), parts.count == 3,
        let claims = Base64URL.decode(String(parts[1]))
      else { return nil }
      return try? JSONValue(parsing: claims)
    }
  }

  // MARK: - Signing in

  @Test(
    "A server that requires a key is asked three times at the first sign-in, and then once",
    .promise("token-key"))
  func whenRequired() async throws {
    let test = try test()
    let credential = try await test.credential()
    expect(credential.tokens.needsProof && credential.tokens.key != nil)
    let proofs = Self.proofs(await test.transport.requests, at: "token")
    expectEqual(proofs.map { $0 == nil }, [true, false, false])
    expectEqual(proofs.map { $0?["nonce"] != nil }, [false, false, true])
    expectEqual(Set(proofs.compactMap { $0?["jti"]?.string }).count, 2)
    let next = try await test.credential()
    await expectEqual(test.transport.count(of: "token"), 4)
    expect(next.tokens.key != credential.tokens.key)
  }

  @Test(
    "Only the policy “always” sends a proof without need, and one more request if there are nonces",
    arguments: [
      (.always, "dpop", true, 2), (.always, "dpop", false, 1), (.always, "password", true, 2),
      (.whenRequired, "password", true, 1), (.never, "password", true, 1),
    ] as [(DPoPPolicy, String, Bool, Int)])
  func policies(policy: DPoPPolicy, scenario: String, hasNonces: Bool, count: Int) async throws {
    let org = SimulatedOrg(OrgScenario[scenario], seed: 3, clock: { TestSignIn.now })
    if !hasNonces { await org.changeTokens { $0.nonceLifetime = nil } }
    let test = try test(policy, org)
    let tokens = try await test.credential().tokens
    expectEqual(tokens.key != nil, policy == .always)
    expectEqual(tokens.needsProof, policy == .always)
    await expectEqual(test.transport.count(of: "token"), count)
    // The next sign-in knows the nonce.
    _ = try await test.credential()
    await expectEqual(test.transport.count(of: "token"), count + 1)
  }

  @Test("With the policy “never”, the refusal of the server is the error")
  func never() async throws {
    let test = try test(.never)
    let error = try await requireError(FlowError.self) { try await test.credential() }
    expect(
      error.code == .refused && error.message.contains("use another policy for DPoP than “never”"))
    await expectEqual(test.transport.count(of: "token"), 1)
  }

  @Test("After a question for a proof, a missing endpoint is not looked for elsewhere")
  func missingAfterProof() async throws {
    let count = Locked(0)
    let test = try test { _, response in
      count.increment() == 1 ? response : TransportResponse(status: 404)
    }
    let error = try await requireError(FlowError.self) { try await test.credential() }
    expectEqual(error.status, 404)
    await expectEqual(test.transport.count(of: "token"), 2)
    await expectEqual(test.transport.count(of: "openid-configuration"), 0)
  }

  @Test(
    "A server that refuses a request without a proof with the status 403 gets one, with its own time"
  )
  func forbidden() async throws {
    let late = SimulatedOrg(
      OrgScenario["dpop"], seed: 3, clock: { TestSignIn.now.addingTimeInterval(1000) })
    let test = try test(org: late) { _, response in
      guard response.status == 400 else { return response }
      return TransportResponse(status: 403, headers: response.headers, body: response.body)
    }
    try await expect(test.credential().tokens.needsProof)
  }

  @Test(
    "Each attempt to send a request has a proof of its own, also if the network fails",
    .promise("proof-scope"))
  func attempts() async throws {
    let failures = Locked(0)
    let log = RequestLog(
      ChangedResponses(transport: org) { request, response in
        guard request.url.lastPathComponent == "token", failures.increment() == 2 else {
          return response
        }
        return TransportResponse(status: 503, headers: ["Retry-After": "1"])
      })
    let test = try test(through: RetryingTransport(log, clock: TestClock()))
    _ = try await test.credential()
    let ids = Self.proofs(await log.requests, at: "token").compactMap { $0?["jti"]?.string }
    expectEqual(ids.count, 3)
    expectEqual(Set(ids).count, 3)
  }

  @Test("A lost response is not asked for again, and the error says so")
  func lostResponse() async throws {
    let test = try test()
    let state = try await test.afterPassword()
    await org.inject(.responseLost, at: "/token")
    let error = try await requireError(FlowError.self) { try await test.client.redeem(state) }
    expectContains(error.message, "sign in again")
    await expectEqual(test.transport.count(of: "token"), 1)
  }

  // MARK: - Nonces and times

  @Test("A nonce that changes with each response is always the newest one")
  func changingNonces() async throws {
    let count = Locked(0)
    let test = try test { _, response in
      var response = response
      if response.status == 200 {
        response.headers["DPoP-Nonce"] = "nonce-\(count.increment())"
      }
      return response
    }
    let credential = try await test.credential()
    // The org does not know these nonces, and asks for its own again.
    let new = try await test.tokens.refresh(credential)
    expectEqual(new.tokens.key, credential.tokens.key)
    let nonces = Self.proofs(await test.transport.requests, at: "token")
      .map { $0?["nonce"]?.string }
    expectEqual(nonces[3], "nonce-1")
    expectEqual(nonces.count, 5)
  }

  @Test("A nonce that has expired is replaced", arguments: [13, 25] as [TimeInterval])
  func expiredNonce(hours: TimeInterval) async throws {
    let test = try test()
    await org.changeTokens { $0.accessTokenLifetime = 600 * 3600 }
    let credential = try await test.credential()
    org.advance(by: hours * 3600)
    _ = try await test.tokens.refresh(credential)
    await expectEqual(test.transport.count(of: "token"), hours < 24 ? 4 : 5)
  }

  @Test(
    "A clock that is wrong by an hour takes the time of the server",
    arguments: [-3600, 3600] as [TimeInterval])
  func wrongClock(seconds: TimeInterval) async throws {
    let log = RequestLog(org)
    let tokens = TokenClient(
      transport: log, leeway: 7200, now: { [org] in org.now.addingTimeInterval(seconds) })
    let client = IDXClient(transport: log, tokens: tokens)
    let test = try test()
    let credential = try await client.redeem(test.afterPassword())
    expect(credential.tokens.key != nil)
    let times = Self.proofs(await log.requests, at: "token").compactMap { $0?["iat"]?.integer }
    expectEqual(Double(times.last ?? 0), org.now.timeIntervalSince1970)
    // It is remembered.
    _ = try await tokens.refresh(credential)
    await expectEqual(log.count(of: "token"), times.count + 2)
  }

  @Test(
    "A server that refuses every proof gets more only with a new nonce or time, and at most three",
    .promise("proof-limit"),
    arguments: [
      ("a-new-nonce", 0, 3), ("", 0, 1), (String(repeating: "n", count: 1 << 20), 0, 1),
      ("with space", 0, 1), ("\"", 0, 1), ("ü", 0, 1),
      // The time of the server is used if it differs by less than a day.
      (nil, 0, 1), (nil, 3600, 2), (nil, 2 * 24 * 3600, 1),
    ] as [(String?, TimeInterval, Int)])
  func refusedProofs(nonce: String?, seconds: TimeInterval, requests: Int) async throws {
    let count = Locked(0)
    let test = try test(.always) { _, _ in
      guard let nonce else {
        let date = TestSignIn.now.addingTimeInterval(seconds).httpDate
        return .json(["error": "invalid_dpop_proof"], status: 400, headers: ["Date": date])
      }
      let next = nonce == "a-new-nonce" ? "\(nonce)-\(count.increment())" : nonce
      return .json(["error": "use_dpop_nonce"], status: 400, headers: ["DPoP-Nonce": next])
    }
    let error = try await requireError(FlowError.self) { try await test.credential() }
    expectEqual(error.code, .refused)
    expectContains(error.message, nonce == nil ? "clock" : "nonce")
    await expectEqual(test.transport.count(of: "token"), requests)
  }

  // MARK: - The binding

  /// Tokens whose binding is not the one that the app asked for.
  struct WrongBinding: CustomTestStringConvertible {
    let testDescription: String
    let policy: DPoPPolicy
    let scenario: String
    let change: (name: String, value: JSONValue)
    let message: String

    static let all = [
      WrongBinding(
        testDescription: "none, but the policy is “always”", policy: .always, scenario: "password",
        change: ("token_type", "Bearer"), message: "not bound"),
      WrongBinding(
        testDescription: "none, but the server required a key", policy: .whenRequired,
        scenario: "dpop", change: ("token_type", "Bearer"), message: "not bound"),
      WrongBinding(
        testDescription: "to another key", policy: .always, scenario: "dpop",
        change: ("access_token", .string(foreign)), message: "another key"),
      WrongBinding(
        testDescription: "to a key that was not asked for", policy: .whenRequired,
        scenario: "password", change: ("token_type", "DPoP"), message: "not asked for"),
    ]

    private static let foreign =
      "e30." + Base64URL.encode((["cnf": ["jkt": "another-thumbprint"]] as JSONValue).bytes)
      + ".AAAA"
  }

  @Test(
    "Tokens whose binding is not the one that was asked for are refused",
    .promise("binding-required"), arguments: WrongBinding.all)
  func wrongBinding(binding: WrongBinding) async throws {
    let test = try test(
      binding.policy,
      org: SimulatedOrg(OrgScenario[binding.scenario], seed: 3, clock: { TestSignIn.now })
    ) { _, response in
      try response.issuing(binding.change.name, binding.change.value)
    }
    let error = try await requireError(FlowError.self) { try await test.credential() }
    expect(error.code == .invalidToken && error.message.contains(binding.message), "\(error)")
    // They are revoked.
    await expectEqual(test.transport.count(of: "revoke"), 2)
  }

  @Test(
    "A request is sent with at most three proofs, whatever the reasons of the refusals",
    .promise("proof-limit"))
  func budget() async throws {
    let count = Locked(0)
    let test = try test { request, _ in
      let isTime = request.headers["DPoP"] == nil || count.increment() % 2 == 0
      return .json(
        ["error": isTime ? "invalid_dpop_proof" : "use_dpop_nonce"], status: 400,
        headers: [
          "DPoP-Nonce": "n", "Date": TestSignIn.now.addingTimeInterval(3600).httpDate,
        ])
    }
    _ = try await requireError(FlowError.self) { try await test.credential() }
    // The first one has no proof.
    await expectEqual(test.transport.count(of: "token"), 4)
  }

  @Test(
    "Tokens without their key, or with another one, cannot be used, but can be revoked without it",
    .promise("bound-use"))
  func wrongKey() async throws {
    let test = try test()
    let credential = try await test.credential()
    let count = await test.transport.requests.count
    for key in [nil, DPoPKey.software()] {
      let other = credential.bound(to: key)
      let (session, store) = await makeSession(other, test)
      for call in [{ _ = try await session.refresh() }, { _ = try await session.userInfo() }]
        as [() async throws -> Void]
      {
        let error = try await requireError(FlowError.self) { try await call() }
        expect(error.code == .wrongKey && error.message.contains("Sign in again."))
      }
      await expectEqual(store.credential(other.id), other)
    }
    await expectEqual(test.transport.requests.count, count)
    let publicKey = try require(credential.tokens.key).publicKey
    let missing = credential.bound(to: DPoPKey(place: .keychain("gone"), publicKey: publicKey))
    try await expectEqual(
      makeSession(missing, test).session.signOut().revoked, [.refresh, .access])
  }

  @Test(
    "A stolen refresh token cannot be used with another key, and the owner's still works",
    .promise("bound-refresh"))
  func stolen() async throws {
    let test = try test()
    let credential = try await test.credential()
    let tokens = Tokens(
      accessToken: "opaque", tokenType: "DPoP", refreshToken: credential.tokens.refreshToken,
      key: .software())
    let stolen = Credential(id: credential.id, tokens: tokens, receivedAt: credential.receivedAt)
    let error = try await requireError(FlowError.self) { try await test.tokens.refresh(stolen) }
    expectEqual(error.code, .signInNeeded)
    try await expectEqual(test.tokens.refresh(credential).tokens.key, credential.tokens.key)
  }

  @Test("An app that now requires a key asks for a new sign-in at the next refresh")
  func nowRequired() async throws {
    let org = SimulatedOrg(OrgScenario["password"], seed: 3, clock: { TestSignIn.now })
    let test = try test(org: org) { request, response in
      request.parameters["grant_type"] == "refresh_token"
        ? .json(["error": "invalid_dpop_proof"], status: 400) : response
    }
    let credential = try await test.credential()
    let error = try await requireError(FlowError.self) { try await test.tokens.refresh(credential) }
    expect(error.code == .signInNeeded && error.message.contains("DPoP"))
  }

  // MARK: - The days after

  @Test(
    "A refresh, the claims of the person and a sign-out use the key, and each proof is new",
    .promise("token-key"))
  func use() async throws {
    let test = try test()
    let credential = try await test.credential()
    let session = await makeSession(credential, test).session
    let renewed = try await session.refresh()
    expectEqual(renewed.tokens.key, credential.tokens.key)
    expect(renewed.tokens.accessToken != credential.tokens.accessToken)
    try await expectEqual(session.userInfo().username, TestSignIn.login)
    let signOut = try await session.signOut()
    expectEqual(signOut.revoked, [.refresh, .access])
    let requests = await test.transport.requests
    let proofs = ["token", "userinfo", "revoke"].flatMap { Self.proofs(requests, at: $0) }
    let ids = proofs.compactMap { $0?["jti"]?.string }
    expectEqual(Set(ids).count, ids.count)
    let hash = HashFunction.sha256.hash(Array(renewed.tokens.accessToken.revealed.utf8))
    let asked = Self.proofs(requests, at: "userinfo").last
    expectEqual(asked??["ath"]?.string, Base64URL.encode(hash))
    expectEqual(asked??["htm"]?.string, "GET")
  }

  @Test(
    "Older versions refuse a credential with a key, and can read one without", .promise("bound-use")
  )
  func formats() throws {
    let id = Credential.ID(issuer: org.issuer, clientID: org.clientID, subject: "00u1")
    for key in [nil, DPoPKey.software()] {
      let tokens = Tokens(accessToken: "at", tokenType: key == nil ? "Bearer" : "DPoP", key: key)
      let credential = Credential(id: id, tokens: tokens, receivedAt: TestSignIn.now)
      let data = try JSONEncoder().encode(credential)
      try expectEqual(JSONValue(parsing: data)["version"]?.integer, key == nil ? 1 : 2)
      try expectEqual(JSONDecoder().decode(Credential.self, from: data), credential)
    }
  }
}
