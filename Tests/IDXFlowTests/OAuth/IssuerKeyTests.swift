import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

@testable import IDXOAuth

@Suite("Keys of the issuer", .timeLimit(.minutes(5)))
struct IssuerKeyTests {
  /// Counts the requests for keys; `answer` can reply to them instead of the org.
  private struct KeyTransport: Transport {
    let org: SimulatedOrg
    let count = Shared(0)
    let answer: @Sendable (Int) async throws -> TransportResponse?

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      guard request.url.lastPathComponent == "keys" else { return try await org.send(request) }
      if let response = try await answer(count.increment()) { return response }
      return try await org.send(request)
    }
  }

  private let org = SimulatedOrg(
    users: [.demo], policy: .passwordOnly, clock: { TestSignIn.now })

  private func configuration(_ scopes: [String] = FlowConfiguration.defaultScopes) throws
    -> FlowConfiguration
  {
    try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: scopes)
  }

  private func client(_ transport: some Transport) -> IDXClient {
    IDXClient(
      transport: transport, tokens: TokenClient(transport: transport, now: { [org] in org.now }))
  }

  /// The state after the user name and the password.
  private func signIn(
    _ client: IDXClient, scopes: [String] = FlowConfiguration.defaultScopes
  ) async throws -> FlowState {
    let state = try await client.proceed(
      .identify, ["identifier": .text(TestSignIn.login)],
      from: client.start(configuration(scopes)))
    return try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)], from: state)
  }

  @Test("Keys are fetched while the person types, once for all sign-ins")
  func once() async throws {
    let (fetched, fetches) = AsyncStream<Void>.makeStream()
    let transport = KeyTransport(org: org) { _ in
      fetches.yield()
      return nil
    }
    let client = client(transport)
    let state = try await client.start(configuration())
    for await _ in fetched { break }
    #expect(state.names == [.identify])
    _ = try await client.redeem(signIn(client))
    _ = try await client.redeem(signIn(client))
    #expect(transport.count.withLock { $0 } == 1)
  }

  @Test("If a key is unknown, the keys are fetched again, so that a rotation works")
  func rotation() async throws {
    let transport = KeyTransport(org: org) { _ in nil }
    let client = client(transport)
    _ = try await client.redeem(signIn(client))
    await org.rotateKeys()
    _ = try await client.redeem(signIn(client))
    #expect(transport.count.withLock { $0 } == 2)
    _ = try await client.redeem(signIn(client))
    #expect(transport.count.withLock { $0 } == 2)

    await org.changeTokens { $0.idTokenFlaw = .unknownKeyID }
    let state = try await signIn(client)
    let error = try await flowError { try await client.redeem(state) }
    #expect((error.underlying as? IDTokenError)?.code == .unknownKey)
    #expect(transport.count.withLock { $0 } == 3)
  }

  @Test("A key that is no longer published is trusted for at most an hour")
  func lifetime() async throws {
    let transport = KeyTransport(org: org) { _ in nil }
    let client = client(transport)
    _ = try await client.redeem(signIn(client))
    org.advance(by: KeyRing.lifetime - 1)
    _ = try await client.redeem(signIn(client))
    #expect(transport.count.withLock { $0 } == 1)
    org.advance(by: 1)
    _ = try await client.redeem(signIn(client))
    #expect(transport.count.withLock { $0 } == 2)
  }

  @Test("Expired keys are removed, so that many issuers need little memory")
  func manyIssuers() async throws {
    let transport = KeyTransport(org: org) { _ in .json(["keys": []]) }
    let ring = KeyRing(exchange: Exchange(transport: transport), now: { [org] in org.now })
    for number in 0..<5 {
      _ = try await ring.keys(of: try #require(URL(string: "https://\(number).shop.example")))
      org.advance(by: KeyRing.lifetime / 2)
    }
    #expect(await ring.issuerCount == 2)
  }

  @Test("If the keys could not be fetched in the background, they are fetched at the end")
  func failedPrefetch() async throws {
    let transport = KeyTransport(org: org) { $0 == 1 ? TransportResponse(status: 503) : nil }
    let client = client(transport)
    #expect(try await client.redeem(signIn(client)).id.subject != nil)
    #expect(transport.count.withLock { $0 } == 2)
  }

  @Test(
    "If the keys cannot be fetched, the code is not used and can be redeemed later",
    arguments: [(nil, .network), (503, .serverFailed), (429, .rateLimited)]
      as [(Int?, FlowError.Code)])
  func failedFetch(status: Int?, code: FlowError.Code) async throws {
    let isBroken = Shared(true)
    let transport = RecordingTransport(
      KeyTransport(org: org) { _ in
        guard isBroken.withLock({ $0 }) else { return nil }
        if let status { return TransportResponse(status: status) }
        throw TransportError(.unreachable, message: "No network.", mayHaveArrived: false)
      })
    let client = client(transport)
    let state = try await signIn(client)
    #expect(try await flowError { try await client.redeem(state) }.code == code)
    #expect(await transport.count(of: "token") == 0)
    isBroken.withLock { $0 = false }
    #expect(try await client.redeem(state).id.subject != nil)
  }

  @Test("Without keys, a refresh token is not used")
  func refresh() async throws {
    let isBroken = Shared(false)
    let transport = RecordingTransport(
      KeyTransport(org: org) { _ in
        guard isBroken.withLock({ $0 }) else { return nil }
        throw TransportError(.unreachable, message: "No network.", mayHaveArrived: false)
      })
    let tokens = TokenClient(transport: transport, now: { [org] in org.now })
    let client = IDXClient(transport: transport, tokens: tokens)
    let scopes = ["openid", "offline_access"]
    let credential = try await client.redeem(signIn(client, scopes: scopes))
    org.advance(by: KeyRing.lifetime)
    isBroken.withLock { $0 = true }
    #expect(try await flowError { try await tokens.refresh(credential) }.code == .network)
    #expect(await transport.count(of: "token") == 1)
    isBroken.withLock { $0 = false }
    #expect(try await tokens.refresh(credential).id == credential.id)
  }

  @Test(
    "If the keys cannot be read, the error names their address",
    arguments: [
      TransportResponse(status: 404), TransportResponse(status: 200, body: Array("<html>".utf8)),
      .json(["keys": "none"]), .json([]),
    ])
  func unreadable(response: TransportResponse) async throws {
    let transport = KeyTransport(org: org) { _ in response }
    let client = client(transport)
    let state = try await signIn(client)
    let error = try await flowError { try await client.redeem(state) }
    #expect(error.message.contains("/v1/keys"), "\(error)")
  }

  @Test("Cancelling while the keys are fetched ends the wait, and the code is not used")
  func cancelled() async throws {
    let (fetched, fetches) = AsyncStream<Void>.makeStream()
    let (released, releases) = AsyncStream<Void>.makeStream()
    let transport = KeyTransport(org: org) { _ in
      fetches.yield()
      for await _ in released { break }
      return nil
    }
    let client = client(transport)
    let state = try await signIn(client)
    for await _ in fetched { break }
    let task = Task { try await client.redeem(state) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    releases.yield()
    #expect(try await client.redeem(state).id.subject != nil)
  }

  @Test("If no ID token is requested, no keys are fetched")
  func noIDToken() async throws {
    let transport = KeyTransport(org: org) { _ in nil }
    let client = client(transport)
    let credential = try await client.redeem(signIn(client, scopes: ["profile"]))
    #expect(credential.tokens.idToken == nil && credential.id.subject == nil)
    #expect(transport.count.withLock { $0 } == 0)
  }
}
