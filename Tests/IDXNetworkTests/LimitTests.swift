import Expectations
import Foundation
import IDXBase
import IDXNetwork
import IDXOAuth
import Testing

/// Limits and cancellation.
struct LimitTests {
  @Test(
    "A body that is longer than the limit, or has no end, is not received to its end",
    .promise("request-limits"), arguments: ["GET", "POST"],
    [
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + String(repeating: "10\r\n0123456789abcdef\r\n", count: 10_000),
    ])
  func tooLarge(method: String, start: String) async throws {
    let transport = HTTPTransport(limits: .patient(body: 1000))
    try await LoopbackServer.run(script: { _ in [.send(start), .hold] }) { server in
      let request = try TransportRequest(method: method, url: server.url("/big"))
      let error = try await failure(of: transport, request)
      expectEqual(error.code, .responseTooLarge)
      expect(error.mayHaveArrived)
      expectContains(error.message, "1000 bytes")
    }
  }

  @Test("A body as long as the limit is accepted", arguments: [1000, 1001])
  func exact(limit: Int) async throws {
    let transport = HTTPTransport(limits: .patient(body: limit))
    let script: LoopbackServer.Script = { _ in
      [.respond(body: String(repeating: "x", count: 1000))]
    }
    try await LoopbackServer.run(script: script) { server in
      let response = try await transport.send(TransportRequest(url: server.url("/")))
      expectEqual(response.body.count, 1000)
    }
  }

  @Test(
    "A response that is not complete in time is a timeout, after which the transport can be used",
    .promise("request-limits"), arguments: ["GET", "POST"],
    ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"])
  func timeouts(method: String, start: String) async throws {
    let time = RequestTime()
    let transport = time.transport
    let script: LoopbackServer.Script = { request in
      guard request.target == "/slow" else { return [.respond(body: "ok")] }
      time.end()
      return [.send(start), .hold]
    }
    try await LoopbackServer.run(script: script) { server in
      let error = try await failure(
        of: transport, TransportRequest(method: method, url: server.url("/slow"), body: [1]))
      expectEqual(error.code, .timedOut)
      expect(error.mayHaveArrived)
      expectSuffix(error.message, " within 0.1 s.")
      let response = try await transport.send(
        TransportRequest(method: method, url: server.url("/")))
      expectEqual(response.body, Array("ok".utf8))
    }
  }

  @Test(
    "A cancelled task ends at once and closes its connection", .timeLimit(.minutes(10)),
    arguments: ["GET", "POST"])
  func cancellation(method: String) async throws {
    let transport = HTTPTransport(limits: .patient)
    try await LoopbackServer.run(script: { _ in [.hold] }) { server in
      let url = try server.url("/slow")
      let task = Task {
        try await transport.send(TransportRequest(method: method, url: url))
      }
      var requests = server.receivedRequests.makeAsyncIterator()
      _ = await requests.next()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      var ends = server.endedConnections.makeAsyncIterator()
      await expectEqual(ends.next(), 1)
    }
  }

  @Test("A transport closes its connections when it is released", .timeLimit(.minutes(10)))
  func release() async throws {
    try await LoopbackServer.run { server in
      for method in ["GET", "POST"] {
        let request = try TransportRequest(method: method, url: server.url("/"))
        _ = try await HTTPTransport(limits: .patient).send(request)
      }
      var ends = server.endedConnections.makeAsyncIterator()
      let ended = [await ends.next(), await ends.next()]
      expectEqual(Set(ended), [1, 2])
    }
  }

  @Test("A cancelled task sends nothing")
  func cancelledBefore() async throws {
    let transport = HTTPTransport(limits: .patient)
    let requests = try await LoopbackServer.run { server in
      let url = try server.url("/")
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await transport.send(TransportRequest(url: url))
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    expectEmpty(requests)
  }
}

/// The time for requests, which is over when the test says so.
private final class RequestTime: Sendable {
  private static let start = ContinuousClock.now
  private let now = Locked(start)

  var transport: HTTPTransport {
    HTTPTransport(limits: .init(time: .milliseconds(100)), now: { self.now.withLock { $0 } })
  }

  func end() { now.withLock { $0 = Self.start + .seconds(1) } }
}

/// Sends a request and returns the error.
func failure(
  of transport: any Transport, _ request: TransportRequest
) async throws -> TransportError {
  try await requireError(TransportError.self) { try await transport.send(request) }
}
