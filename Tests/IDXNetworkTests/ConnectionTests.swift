import Expectations
import Foundation
import IDXBase
import IDXNetwork
import Testing

/// Connections.
struct ConnectionTests {
  @Test("A connection that the server has closed is replaced at once")
  func closedByServer() async throws {
    let transport = HTTPTransport(limits: .patient)
    let script: LoopbackServer.Script = { $0.target == "/a" ? [.respond(), .close] : [.respond()] }
    let requests = try await LoopbackServer.run(script: script) { server in
      var ends = server.endedConnections.makeAsyncIterator()
      _ = try await transport.send(
        TransportRequest(method: "POST", url: server.url("/a"), body: [1]))
      _ = await ends.next()
      _ = try await transport.send(
        TransportRequest(method: "POST", url: server.url("/b"), body: [2]))
    }
    expectEqual(requests.map(\.connection), [1, 2])
    expectEqual(requests.map(\.body), [[1], [2]])
  }

  @Test("Bytes after a response are never taken for the next response", .promise("response-end"))
  func spareBytes() async throws {
    let transport = HTTPTransport(limits: .patient)
    let spare = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nspare"
    let script: LoopbackServer.Script = { _ in [.respond(body: "right"), .send(spare)] }
    try await LoopbackServer.run(script: script) { server in
      for _ in 1...5 {
        let request = try TransportRequest(method: "POST", url: server.url("/x"), body: [1])
        let response = try await transport.send(request)
        expectEqual(String(decoding: response.body, as: UTF8.self), "right")
      }
    }
  }

  @Test(
    "A request that the server closes without a response is sent once, and fails at once",
    .promise("lost-response"))
  func closedWithoutResponse() async throws {
    let transport = HTTPTransport(limits: .patient)
    let script: LoopbackServer.Script = { $0.target == "/code" ? [.close] : [.respond()] }
    let requests = try await LoopbackServer.run(script: script) { server in
      for path in ["/a", "/b"] {
        _ = try await transport.send(
          TransportRequest(method: "POST", url: server.url(path), body: [1]))
      }
      let code = try TransportRequest(method: "POST", url: server.url("/code"), body: [1, 2, 3])
      let error = try await failure(of: transport, code)
      expect(error.mayHaveArrived && error.code == .connectionLost)
    }
    expectEqual(requests.map(\.target), ["/a", "/b", "/code"])
  }

  #if canImport(Darwin)
    @Test("Requests that follow each other share connections")
    func reuse() async throws {
      let transport = HTTPTransport(limits: .patient)
      let requests = try await LoopbackServer.run { server in
        for _ in 0..<6 { _ = try await transport.send(TransportRequest(url: server.url("/"))) }
      }
      expectEqual(requests.count, 6)
      // A connection may still be in use for a moment after its response.
      expect(Set(requests.map(\.connection)).count <= 2)
    }
  #endif

  #if os(Linux)
    @Test(
      "Each request over plain http has its own connection, which does not stay open",
      .timeLimit(.minutes(10)))
    func ownConnections() async throws {
      let transport = HTTPTransport(limits: .patient)
      try await LoopbackServer.run { server in
        var request = try TransportRequest(url: server.url("/"))
        request.connectionGroup = ConnectionGroup("a sign-in")
        for _ in 0..<40 { _ = try await transport.send(request) }
        let ended = await server.endedConnections.prefix(40).reduce(into: Set<Int>()) {
          $0.insert($1)
        }
        expectEqual(ended, Set(1...40))
      }
      withExtendedLifetime(transport) {}
    }

    @Test("Transports that send nothing need no file descriptors")
    func descriptors() throws {
      let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      let transports = (0..<600).map { _ in HTTPTransport(limits: .patient) }
      let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      // Other tests open files at the same time.
      expect(after < before + 300 && transports.count == 600)
    }
  #endif
}
