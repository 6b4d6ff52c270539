import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import IDXOAuth

@Suite("Keys of the issuer", .timeLimit(.minutes(10)))
struct IssuerKeyTests {
  private static let unreachable = TransportError(
    .unreachable, message: "No network.", mayHaveArrived: false)

  private let org = SimulatedOrg(
    users: [.demo], policy: .passwordOnly, clock: { TestSignIn.now })

  /// A sign-in; `answer` can reply to a request for keys, and gets its number.
  private func signIn(
    scopes: [String] = FlowConfiguration.defaultScopes,
    answer: @escaping @Sendable (Int) async throws -> TransportResponse? = { _ in nil }
  ) throws -> TestSignIn {
    try TestSignIn(org, scopes: scopes, through: KeyTransport(org: org, answer: answer))
  }

  @Test("Keys are fetched while the person types, once for all sign-ins")
  func once() async throws {
    let (fetched, fetches) = AsyncStream<Void>.makeStream()
    let test = try signIn { _ in
      fetches.yield()
      return nil
    }
    let state = try await test.client.start(test.configuration)
    for await _ in fetched { break }
    expectEqual(state.names, [.identify])
    _ = try await test.credential()
    _ = try await test.credential()
    await expectEqual(test.transport.keyRequests.count, 1)
  }

  @Test("If a key is unknown, the keys are fetched again, so that a rotation works")
  func rotation() async throws {
    let test = try signIn()
    _ = try await test.credential()
    await org.rotateKeys()
    _ = try await test.credential()
    await expectEqual(test.transport.keyRequests.count, 2)
    _ = try await test.credential()
    await expectEqual(test.transport.keyRequests.count, 2)

    await org.changeTokens { $0.idTokenFlaw = .unknownKeyID }
    let error = try await requireError(FlowError.self) { try await test.credential() }
    expectEqual((error.underlying as? IDTokenError)?.code, .unknownKey)
    await expectEqual(test.transport.keyRequests.count, 3)
  }

  @Test("Two callers that miss a key at the same time fetch the keys again once")
  func missedTogether() async throws {
    let (entered, entries) = AsyncStream<Void>.makeStream()
    let (released, releases) = AsyncStream<Void>.makeStream()
    let requests = Locked(0)
    let transport = KeyTransport(org: org) { number in
      _ = requests.increment()
      guard number == 1 else { return nil }
      for await _ in released { break }
      return .json(["keys": []])
    }
    let idToken = try await require(signIn().credential().tokens.idToken)
    let token = try JWT(parsing: idToken)
    let cache = KeySetCache(
      http: IssuerClient(transport: transport),
      now: {
        entries.yield()
        return TestSignIn.now
      })
    await cache.prefetch(of: org.issuer)
    let tasks = (0..<2).map { _ in
      Task { [org] in try await cache.keys(of: org.issuer, for: token) }
    }
    // The prefetch asks for the time, and each task before it waits for the keys of the prefetch.
    for await _ in entered.prefix(3) {}
    releases.yield()
    for task in tasks { try await expect(task.value.contains(keyID: token.keyID, "RS256")) }
    expectEqual(requests.withLock { $0 }, 2)
  }

  @Test("A key that is no longer published is trusted for at most an hour", .promise("issuer-key"))
  func lifetime() async throws {
    let test = try signIn()
    _ = try await test.credential()
    org.advance(by: 3599)
    _ = try await test.credential()
    await expectEqual(test.transport.keyRequests.count, 1)
    org.advance(by: 1)
    _ = try await test.credential()
    await expectEqual(test.transport.keyRequests.count, 2)
    // After the clock was set back, nobody knows how old they are.
    org.advance(by: -1)
    _ = try await test.credential()
    await expectEqual(test.transport.keyRequests.count, 3)
  }

  @Test("Expired keys are removed, so that many issuers need little memory")
  func manyIssuers() async throws {
    let transport = KeyTransport(org: org) { _ in .json(["keys": []]) }
    let cache = KeySetCache(http: IssuerClient(transport: transport), now: { [org] in org.now })
    for number in 0..<5 {
      _ = try await cache.keys(of: try require(URL(string: "https://\(number).shop.example")))
      org.advance(by: KeySetCache.lifetime / 2)
    }
    await expectEqual(cache.issuerCount, 2)
  }

  @Test("A fetch that fails late does not remove the keys of a newer one")
  func lateFailure() async throws {
    let (entered, entries) = AsyncStream<Void>.makeStream()
    let (released, releases) = AsyncStream<Void>.makeStream()
    let (sent, sends) = AsyncStream<Void>.makeStream()
    let requests = Locked(0)
    let transport = KeyTransport(org: org) { number in
      _ = requests.increment()
      guard number == 1 else { return .json(["keys": []]) }
      sends.yield()
      for await _ in released { break }
      return TransportResponse(status: 503)
    }
    let cache = KeySetCache(
      http: IssuerClient(transport: transport),
      now: { [org] in
        defer { entries.yield() }
        return org.now
      })
    await cache.prefetch(of: org.issuer)
    let first = Task { [org] in try await cache.keys(of: org.issuer) }
    // The prefetch asks for the time, and then the task, which waits for the prefetch.
    for await _ in entered.prefix(2) {}
    // Otherwise the request below could be the first one.
    for await _ in sent { break }
    org.advance(by: KeySetCache.lifetime)
    _ = try await cache.keys(of: org.issuer)
    releases.yield()
    try await expectEqual(
      requireError(FlowError.self) { _ = try await first.value }.code, .serverFailed)
    _ = try await cache.keys(of: org.issuer)
    expectEqual(requests.withLock { $0 }, 2)
  }

  @Test(
    "If the keys cannot be fetched, the code is not used and can be redeemed later",
    arguments: [(nil, .network), (503, .serverFailed), (429, .rateLimited)]
      as [(Int?, FlowError.Code)])
  func failedFetch(status: Int?, code: FlowError.Code) async throws {
    let isBroken = Locked(true)
    let test = try signIn { _ in
      guard isBroken.withLock({ $0 }) else { return nil }
      if let status { return TransportResponse(status: status) }
      throw Self.unreachable
    }
    let state = try await test.afterPassword()
    try await expectEqual(
      requireError(FlowError.self) { try await test.client.redeem(state) }.code, code)
    await expectEqual(test.transport.count(of: "token"), 0)
    isBroken.withLock { $0 = false }
    try await expect(test.client.redeem(state).id.subject != nil)
  }

  @Test("Without keys, a refresh token is not used")
  func refresh() async throws {
    let isBroken = Locked(false)
    let test = try signIn(scopes: ["openid", "offline_access"]) { _ in
      guard isBroken.withLock({ $0 }) else { return nil }
      throw Self.unreachable
    }
    let credential = try await test.credential()
    org.advance(by: KeySetCache.lifetime)
    isBroken.withLock { $0 = true }
    try await expectEqual(
      requireError(FlowError.self) { try await test.tokens.refresh(credential) }.code, .network)
    await expectEqual(test.transport.count(of: "token"), 1)
    isBroken.withLock { $0 = false }
    try await expectEqual(test.tokens.refresh(credential).id, credential.id)
  }

  @Test(
    "If the keys cannot be read, the error names their address",
    arguments: [
      TransportResponse(status: 404), TransportResponse(status: 200, body: Array("<html>".utf8)),
      .json(["keys": "none"]), .json([]),
    ])
  func unreadable(response: TransportResponse) async throws {
    let test = try signIn { _ in response }
    let error = try await requireError(FlowError.self) { try await test.credential() }
    expectContains(error.message, "/v1/keys", "\(error)")
  }

  @Test("Cancelling while the keys are fetched ends the wait, and the code is not used")
  func cancelled() async throws {
    let (fetched, fetches) = AsyncStream<Void>.makeStream()
    let (released, releases) = AsyncStream<Void>.makeStream()
    let test = try signIn { _ in
      fetches.yield()
      for await _ in released { break }
      return nil
    }
    let state = try await test.afterPassword()
    for await _ in fetched { break }
    let task = Task { try await test.client.redeem(state) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    releases.yield()
    try await expect(test.client.redeem(state).id.subject != nil)
  }

  @Test("If no ID token is requested, no keys are fetched")
  func noIDToken() async throws {
    let test = try signIn(scopes: ["profile"])
    let credential = try await test.credential()
    expect(credential.tokens.idToken == nil && credential.id.subject == nil)
    await expectEmpty(test.transport.keyRequests)
  }
}

/// Forwards requests to an org; `answer` can reply to those for keys instead.
private struct KeyTransport: Transport {
  let org: SimulatedOrg
  let answer: @Sendable (Int) async throws -> TransportResponse?
  private let count = Locked(0)

  init(org: SimulatedOrg, answer: @escaping @Sendable (Int) async throws -> TransportResponse?) {
    self.org = org
    self.answer = answer
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard request.url.lastPathComponent == "keys" else { return try await org.send(request) }
    if let response = try await answer(count.increment()) { return response }
    return try await org.send(request)
  }
}
