import Expectations
import Foundation
import IDXBase
import Testing

/// RetryingTransport.
struct RetryingTransportTests {
  /// Fails or answers as listed, then with status 200, and counts the attempts.
  private struct Replies: Transport {
    let replies: Locked<[Result<TransportResponse, TransportError>]>
    let attempts = Locked(0)

    init(_ replies: [Result<TransportResponse, TransportError>]) {
      self.replies = Locked(replies)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      attempts.withLock { $0 += 1 }
      let next = replies.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return try next?.get() ?? TransportResponse(status: 200)
    }
  }

  private static let url = URL(string: "https://id.shop.example/idp/idx/introspect")!

  private static func failure(
    _ code: TransportError.Code, mayHaveArrived: Bool = true
  ) -> Result<TransportResponse, TransportError> {
    .failure(TransportError(code, message: "It failed.", mayHaveArrived: mayHaveArrived))
  }

  private static func status(
    _ status: Int, _ headers: [String: String] = [:]
  ) -> Result<TransportResponse, TransportError> {
    .success(TransportResponse(status: status, headers: headers))
  }

  /// What Okta sends with each response, whatever its status.
  private static let okta = [
    "Date": "Sat, 28 Nov 2026 12:00:00 GMT", "X-Rate-Limit-Limit": "600",
    "X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "1795867202",
  ]

  /// The number of attempts and the pauses between them, for one request.
  private func play(
    _ replies: [Result<TransportResponse, TransportError>], isRepeatable: Bool
  ) async -> (attempts: Int, pauses: [Duration], reasons: [String]) {
    let server = Replies(replies)
    let clock = TestClock()
    let reasons = Locked<[String]>([])
    let transport = RetryingTransport(
      server, clock: clock, onRetry: { retry in reasons.withLock { $0.append(retry.reason) } })
    let request = TransportRequest(method: "POST", url: Self.url, isRepeatable: isRepeatable)
    _ = try? await transport.send(request)
    return (
      server.attempts.withLock { $0 }, clock.pauses.withLock { $0 }, reasons.withLock { $0 }
    )
  }

  @Test("GET requests are repeatable, other requests only if that is said")
  func defaults() {
    expect(TransportRequest(url: Self.url).isRepeatable)
    expect(!TransportRequest(method: "POST", url: Self.url).isRepeatable)
    expect(!TransportRequest(url: Self.url, isRepeatable: false).isRepeatable)
  }

  @Test(
    "A failure of a moment is repeated; what may have arrived, or will fail again, is not",
    .promise("safe-retry"),
    arguments: [
      (failure(.connectionLost), true, 2), (failure(.timedOut), true, 2),
      (failure(.unreachable, mayHaveArrived: false), true, 2),
      (failure(.unreachable, mayHaveArrived: false), false, 2), (failure(.unreachable), true, 2),
      (failure(.connectionLost, mayHaveArrived: false), false, 2),
      (status(500), true, 2), (status(502), true, 2), (status(504), true, 2),
      (status(503), true, 2), (status(429), true, 2), (status(429, ["Retry-After": "1"]), false, 2),
      (status(503, ["Retry-After": "1"]), false, 2), (status(429, okta), false, 2),
      (failure(.connectionLost), false, 1), (failure(.timedOut), false, 1),
      (failure(.unreachable), false, 1), (failure(.unknownHost), false, 1), (status(511), true, 1),
      (failure(.insecure, mayHaveArrived: false), true, 1), (failure(.responseTooLarge), true, 1),
      (status(500), false, 1), (status(502), false, 1), (status(501), true, 1),
      (status(429), false, 1), (status(503), false, 1), (status(503, okta), false, 1),
      (status(503, ["Retry-After": "soon"]), false, 1), (status(404), true, 1),
      (status(401), true, 1), (status(302), true, 1), (status(200), true, 1),
    ] as [(Result<TransportResponse, TransportError>, Bool, Int)])
  func repeated(
    reply: Result<TransportResponse, TransportError>, isRepeatable: Bool, attempts: Int
  ) async {
    let played = await play([reply], isRepeatable: isRepeatable)
    expectEqual(played.attempts, attempts)
    expectEqual(played.reasons.count, attempts - 1)
  }

  @Test(
    "A host that is not found is looked up once more, and nobody is told", .promise("safe-retry"))
  func unknownHost() async {
    let reply = Self.failure(.unknownHost, mayHaveArrived: false)
    let (attempts, _, reasons) = await play([reply, reply, reply], isRepeatable: true)
    expectEqual(attempts, 2)
    expectEmpty(reasons)
  }

  @Test(
    "The pauses double and end within ten seconds, or are the server's if they are not too long",
    .promise("safe-retry"))
  func pauses() async {
    let failures = [Result<TransportResponse, TransportError>](
      repeating: Self.status(503), count: 20)
    let (attempts, pauses, _) = await play(failures, isRepeatable: true)
    expectEqual(attempts, 5)
    expectEqual(pauses, [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
    for (seconds, expected) in [
      ("3", [.seconds(3)]), ("0", [.seconds(1)]), ("11", []), ("99999999999999999999", []),
    ] as [(String, [Duration])] {
      let reply = Self.status(503, ["Retry-After": seconds])
      await expectEqual(play([reply], isRepeatable: false).pauses, expected, "\(seconds)")
    }
  }

  @Test("The time of the attempts counts: a failure after the limit is not repeated")
  func slowFailures() async throws {
    let clock = TestClock()
    struct Slow: Transport {
      let clock: TestClock
      let attempts = Locked(0)
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        attempts.withLock { $0 += 1 }
        try await clock.sleep(until: clock.now.advanced(by: .seconds(30)), tolerance: nil)
        throw TransportError(.timedOut, message: "Nobody came.", mayHaveArrived: true)
      }
    }
    let server = Slow(clock: clock)
    let transport = RetryingTransport(server, clock: clock)
    await #expect(throws: TransportError.self) {
      try await transport.send(TransportRequest(url: Self.url))
    }
    expectEqual(server.attempts.withLock { $0 }, 1)
  }

  @Test("The last response is returned, and the last failure thrown")
  func last() async throws {
    let responses = Replies((0..<9).map { _ in Self.status(503) })
    let transport = RetryingTransport(responses, clock: TestClock())
    try await expectEqual(transport.send(TransportRequest(url: Self.url)).status, 503)
    let failures = Replies((0..<9).map { _ in Self.failure(.connectionLost) })
    await #expect(throws: TransportError.self) {
      try await RetryingTransport(failures, clock: TestClock()).send(
        TransportRequest(url: Self.url))
    }
  }

  @Test("A cancelled task ends the pause")
  func cancelled() async throws {
    let server = Replies([Self.status(503)])
    let transport = RetryingTransport(
      server, clock: TestClock(), onRetry: { _ in withUnsafeCurrentTask { $0?.cancel() } })
    let task = Task { try await transport.send(TransportRequest(url: Self.url)) }
    await #expect(throws: CancellationError.self) { try await task.value }
    expectEqual(server.attempts.withLock { $0 }, 1)
  }
}
