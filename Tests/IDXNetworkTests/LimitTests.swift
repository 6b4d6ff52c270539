import IDXOAuth
import Foundation
import IDXFlow
import IDXNetwork
import Testing

@Suite("Limits and cancellation")
struct LimitTests {
  @Test(
    "A body over the limit is cut off while it comes",
    arguments: [
      LoopbackServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
      .respond(headers: ["Content-Encoding: gzip"], bytes: compressed),
    ])
  func tooLarge(step: LoopbackServer.Step) async throws {
    let transport = URLSessionTransport(limits: .init(body: 1000))
    try await LoopbackServer.run(script: { _ in [step, .hold] }) { server in
      let error = try await failure(of: transport, TransportRequest(url: server.url("/big")))
      #expect(error.code == .responseTooLarge)
      #expect(error.mayHaveArrived)
      #expect(error.message.contains("1000 bytes"))
    }
  }

  @Test("A body without an end is cut off", arguments: ["GET", "POST"])
  func endless(method: String) async throws {
    let transport = URLSessionTransport(limits: .init(body: 100_000))
    let script: LoopbackServer.Script = { _ in
      [
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        .send(String(repeating: "10\r\n0123456789abcdef\r\n", count: 10_000)), .hold,
      ]
    }
    try await LoopbackServer.run(script: script) { server in
      let request = try TransportRequest(method: method, url: server.url("/big"))
      #expect(try await failure(of: transport, request).code == .responseTooLarge)
    }
  }

  @Test("A body of exactly the limit is taken", arguments: [1000, 1001])
  func exact(limit: Int) async throws {
    let transport = URLSessionTransport(limits: .init(body: limit))
    let script: LoopbackServer.Script = { _ in
      [.respond(body: String(repeating: "x", count: 1000))]
    }
    try await LoopbackServer.run(script: script) { server in
      let response = try await transport.send(TransportRequest(url: server.url("/")))
      #expect(response.body.count == 1000)
    }
  }

  @Test(
    "A server that does not answer in time is given up",
    arguments: [
      (URLSessionTransport.Limits(idle: .milliseconds(100)), "nothing came for 0.1 s"),
      (URLSessionTransport.Limits(whole: .milliseconds(100)), "not done after 0.1 s"),
    ],
    ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"])
  func timeouts(limits: (URLSessionTransport.Limits, String), start: String) async throws {
    let transport = URLSessionTransport(limits: limits.0)
    try await LoopbackServer.run(script: { _ in [.send(start), .hold] }) { server in
      let error = try await failure(
        of: transport, TransportRequest(method: "POST", url: server.url("/slow"), body: [1]))
      #expect(error.code == .timedOut)
      #expect(error.mayHaveArrived)
      #expect(error.message.contains(limits.1))
    }
  }

  @Test(
    "A cancelled task ends at once, and so does its connection", .timeLimit(.minutes(5)),
    arguments: ["GET", "POST"])
  func cancellation(method: String) async throws {
    let transport = URLSessionTransport()
    try await LoopbackServer.run(script: { _ in [.hold] }) { server in
      let url = try server.url("/slow")
      let sending = Task { try await transport.send(TransportRequest(method: method, url: url)) }
      var arrivals = server.arrivals.makeAsyncIterator()
      _ = await arrivals.next()
      sending.cancel()
      await #expect(throws: CancellationError.self) { try await sending.value }
      var departures = server.departures.makeAsyncIterator()
      #expect(await departures.next() == 1)
    }
  }

  @Test("A transport that nobody holds any more closes its connections", .timeLimit(.minutes(5)))
  func release() async throws {
    try await LoopbackServer.run { server in
      for method in ["GET", "POST"] {
        let request = try TransportRequest(method: method, url: server.url("/"))
        _ = try await URLSessionTransport().send(request)
      }
      var departures = server.departures.makeAsyncIterator()
      let ended = [await departures.next(), await departures.next()]
      #expect(Set(ended) == [1, 2])
    }
  }

  @Test("A task that is cancelled before it sends, sends nothing")
  func cancelledBefore() async throws {
    let transport = URLSessionTransport()
    let requests = try await LoopbackServer.run { server in
      let url = try server.url("/")
      let sending = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await transport.send(TransportRequest(url: url))
      }
      await #expect(throws: CancellationError.self) { try await sending.value }
    }
    #expect(requests.isEmpty)
  }

  @Test("A transport that failed works on", arguments: ["GET", "POST"])
  func afterwards(method: String) async throws {
    let transport = URLSessionTransport(limits: .init(idle: .milliseconds(100)))
    let script: LoopbackServer.Script = { $0.target == "/slow" ? [.hold] : [.respond(body: "ok")] }
    try await LoopbackServer.run(script: script) { server in
      _ = try await failure(
        of: transport, TransportRequest(method: method, url: server.url("/slow")))
      let response = try await transport.send(
        TransportRequest(method: method, url: server.url("/")))
      #expect(response.body == Array("ok".utf8))
    }
  }
}

/// The error that sending ends with.
func failure(of transport: URLSessionTransport, _ request: TransportRequest) async throws
  -> TransportError
{
  try await #require(throws: TransportError.self) { try await transport.send(request) }
}
