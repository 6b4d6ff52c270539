import IDXBase
import Foundation
import IDX
import IDXTesting
import Testing

@testable import IDXFlow
@testable import IDXOAuth

@Suite("Keys of the issuer", .timeLimit(.minutes(5)))
struct KeyTests {
  /// Tells of each request for keys, and may answer it in another way.
  private struct KeyLine: Transport {
    let org: SimulatedOrg
    let count = Shared(0)
    let answer: @Sendable (Int) async throws -> TransportResponse?

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      guard request.url.lastPathComponent == "keys" else { return try await org.send(request) }
      let number = count.withLock { count in
        count += 1
        return count
      }
      if let response = try await answer(number) { return response }
      return try await org.send(request)
    }
  }

  private let org = SimulatedOrg(
    users: [SimulatedUser(login: World.login, password: Secret(World.password))],
    policy: .passwordOnly, clock: { World.moment })

  private func configuration(_ scopes: [String] = FlowConfiguration.defaultScopes) throws
    -> FlowConfiguration
  {
    try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: scopes)
  }

  private func client(_ line: some Transport) -> IDXClient {
    IDXClient(
      transport: line, tokens: TokenClient(transport: line, now: { [org] in org.now }))
  }

  private func signIn(_ client: IDXClient, _ configuration: FlowConfiguration) async throws
    -> FlowState
  {
    let state = try await client.proceed(
      .identify, ["identifier": .text(World.login)], from: client.start(configuration))
    return try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(World.password)], from: state)
  }

  @Test("They are fetched while the person types, once for all sign-ins")
  func once() async throws {
    let (fetched, fetches) = AsyncStream<Void>.makeStream()
    let line = KeyLine(org: org) { _ in
      fetches.yield()
      return nil
    }
    let client = client(line)
    let state = try await client.start(configuration())
    for await _ in fetched { break }
    #expect(state.names == [.identify])
    _ = try await client.redeem(signIn(client, configuration()))
    _ = try await client.redeem(signIn(client, configuration()))
    #expect(line.count.withLock { $0 } == 1)
  }

  @Test("A key that is not known is looked for once more, and found after a rotation")
  func rotation() async throws {
    let line = KeyLine(org: org) { _ in nil }
    let client = client(line)
    _ = try await client.redeem(signIn(client, configuration()))
    await org.rotateKeys()
    _ = try await client.redeem(signIn(client, configuration()))
    #expect(line.count.withLock { $0 } == 2)
    _ = try await client.redeem(signIn(client, configuration()))
    #expect(line.count.withLock { $0 } == 2)

    await org.changeTokens { $0.idTokenFlaw = .unknownKeyID }
    let state = try await signIn(client, configuration())
    let error = try await flowError { try await client.redeem(state) }
    #expect((error.underlying as? IDTokenError)?.code == .unknownKey)
    #expect(line.count.withLock { $0 } == 3)
  }

  @Test("A key that is published no more is trusted for an hour at most")
  func lifetime() async throws {
    let line = KeyLine(org: org) { _ in nil }
    let client = client(line)
    _ = try await client.redeem(signIn(client, configuration()))
    org.advance(by: KeySetCache.lifetime - 1)
    _ = try await client.redeem(signIn(client, configuration()))
    #expect(line.count.withLock { $0 } == 1)
    org.advance(by: 1)
    _ = try await client.redeem(signIn(client, configuration()))
    #expect(line.count.withLock { $0 } == 2)
  }

  @Test("Keys that are trusted no more are not kept, however many issuers there are")
  func manyIssuers() async throws {
    let line = KeyLine(org: org) { _ in .json(["keys": []]) }
    let ring = KeySetCache(exchange: Exchange(transport: line), now: { [org] in org.now })
    for number in 0..<5 {
      _ = try await ring.keys(of: try #require(URL(string: "https://\(number).shop.example")))
      org.advance(by: KeySetCache.lifetime / 2)
    }
    #expect(await ring.issuerCount == 2)
  }

  @Test("Keys that could not be had meanwhile are fetched again in the end")
  func failedMeanwhile() async throws {
    let line = KeyLine(org: org) { $0 == 1 ? TransportResponse(status: 503) : nil }
    let client = client(line)
    #expect(try await client.redeem(signIn(client, configuration())).id.subject != nil)
    #expect(line.count.withLock { $0 } == 2)
  }

  @Test(
    "Without a network for the keys the code is not spent, and the sign-in can be redeemed later")
  func network() async throws {
    let isBroken = Shared(true)
    let line = KeyLine(org: org) { _ in
      guard isBroken.withLock({ $0 }) else { return nil }
      throw TransportError(.unreachable, message: "No way.", mayHaveArrived: false)
    }
    let client = client(line)
    let state = try await signIn(client, configuration())
    let error = try await flowError { try await client.redeem(state) }
    #expect(error.code == .network)
    isBroken.withLock { $0 = false }
    #expect(try await client.redeem(state).id.subject != nil)
  }

  @Test(
    "While the server fails to give keys the code is not spent either",
    arguments: [(503, .serverFailed), (429, .rateLimited)] as [(Int, FlowError.Code)])
  func failing(status: Int, code: FlowError.Code) async throws {
    let isBroken = Shared(true)
    let line = RecordingTransport(
      KeyLine(org: org) { _ in isBroken.withLock { $0 } ? TransportResponse(status: status) : nil })
    let client = client(line)
    let state = try await signIn(client, configuration())
    #expect(try await flowError { try await client.redeem(state) }.code == code)
    #expect(await line.count(of: "token") == 0)
    isBroken.withLock { $0 = false }
    #expect(try await client.redeem(state).id.subject != nil)
  }

  @Test("Without keys a refresh token is not spent")
  func refresh() async throws {
    let isBroken = Shared(false)
    let line = RecordingTransport(
      KeyLine(org: org) { _ in
        guard isBroken.withLock({ $0 }) else { return nil }
        throw TransportError(.unreachable, message: "No way.", mayHaveArrived: false)
      })
    let tokens = TokenClient(transport: line, now: { [org] in org.now })
    let client = IDXClient(transport: line, tokens: tokens)
    let scopes = ["openid", "offline_access"]
    let credential = try await client.redeem(signIn(client, configuration(scopes)))
    org.advance(by: KeySetCache.lifetime)
    isBroken.withLock { $0 = true }
    #expect(try await flowError { try await tokens.refresh(credential) }.code == .network)
    #expect(await line.count(of: "token") == 1)
    isBroken.withLock { $0 = false }
    #expect(try await tokens.refresh(credential).id == credential.id)
  }

  @Test(
    "Keys that cannot be read make the sign-in fail, and the error says so",
    arguments: [
      TransportResponse(status: 404), TransportResponse(status: 200, body: Array("<html>".utf8)),
      .json(["keys": "none"]), .json([]),
    ])
  func unreadable(response: TransportResponse) async throws {
    let line = KeyLine(org: org) { _ in response }
    let client = client(line)
    let state = try await signIn(client, configuration())
    let error = try await flowError { try await client.redeem(state) }
    #expect(error.message.contains("/v1/keys"), "\(error)")
  }

  @Test("Giving up while they are fetched ends the wait, and the code is not spent")
  func cancelled() async throws {
    let (fetched, fetches) = AsyncStream<Void>.makeStream()
    let (released, releases) = AsyncStream<Void>.makeStream()
    let line = KeyLine(org: org) { _ in
      fetches.yield()
      for await _ in released { break }
      return nil
    }
    let client = client(line)
    let state = try await signIn(client, configuration())
    for await _ in fetched { break }
    let task = Task { try await client.redeem(state) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    releases.yield()
    #expect(try await client.redeem(state).id.subject != nil)
  }

  @Test("Where no ID token is asked for, no keys are")
  func noIDToken() async throws {
    let line = KeyLine(org: org) { _ in nil }
    let client = client(line)
    let credential = try await client.redeem(signIn(client, configuration(["profile"])))
    #expect(credential.tokens.idToken == nil && credential.id.subject == nil)
    #expect(line.count.withLock { $0 } == 0)
  }
}
