import Expectations
import Foundation
import IDXBase
import IDXOAuth
import Testing

@testable import IDXNetwork

/// Transport failures.
struct TransportFailureTests {
  let transport = HTTPTransport(limits: .patient)

  @Test(
    "If the connection breaks, the request may have arrived",
    arguments: ["GET", "POST"],
    [
      [LoopbackServer.Step.close],
      [.reset],
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), .close],
      [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), .close],
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), .reset],
    ])
  func connectionLost(method: String, steps: [LoopbackServer.Step]) async throws {
    let requests = try await LoopbackServer.run(script: { _ in steps }) { server in
      let request = try TransportRequest(method: method, url: server.url("/x"))
      let error = try await failure(of: transport, request)
      expectEqual(error.code, .connectionLost)
      expect(error.mayHaveArrived)
      expectContains(error.message, "the connection was lost")
    }
    expectEqual(requests.count, 1)
  }

  @Test(
    "A response that is not HTTP is a bad response",
    arguments: ["\u{1}\u{2}\u{1B}[31mgarbage\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n"])
  func notHTTP(text: String) async throws {
    try await LoopbackServer.run(script: { _ in [.send(text), .close] }) { server in
      let error = try await failure(of: transport, TransportRequest(url: server.url("/x")))
      expectEqual(error.code, .badResponse)
      expect(error.mayHaveArrived)
    }
  }

  @Test("A closed port is unreachable, and the request has not arrived")
  func refused() async throws {
    try await LoopbackServer.withClosedPort { port in
      let url = try require(URL(string: "http://127.0.0.1:\(port)/x"))
      let error = try await failure(
        of: transport, TransportRequest(method: "POST", url: url, body: [1]))
      expectEqual(error.code, .unreachable)
      expect(!error.mayHaveArrived)
      expectEqual(
        error.message,
        "POST 127.0.0.1:\(port)/x failed: the connection was refused, or the host is down.")
    }
  }

  @Test(
    "If the TLS handshake fails, the server is insecure, and the request has not arrived",
    .promise("tls-failure"),
    arguments: [
      ("HTTP/1.1 400 Bad Request\r\n\r\n", "does not use https at this port"),
      ("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", "TLS"),
    ])
  func tlsFailed(greeting: String, reason: String) async throws {
    try await LoopbackServer.run(greeting: [.send(greeting), .hold]) { server in
      let url = try server.url("/x", scheme: "https")
      let error = try await failure(of: transport, TransportRequest(url: url))
      expectEqual(error.code, .insecure)
      expect(!error.mayHaveArrived)
      expectContains(error.message, reason)
    }
  }

  @Test(
    "An error contains nothing of the query, the header fields and the body",
    .promise("error-content"),
    arguments: ["http", "https"])
  func redaction(scheme: String) async throws {
    try await LoopbackServer.run(script: { _ in [.close] }) { server in
      let url = try server.url("/idp/idx/%1B%5B31m?secret=1", scheme: scheme)
      let limited = HTTPTransport(limits: .init(time: .milliseconds(200)))
      let request = TransportRequest(
        method: "POST", url: url, headers: ["Cookie": "secret=2"], body: Array("secret=3".utf8))
      let error = try await failure(of: limited, request)
      let text = printedTexts(of: error)
      expect(!text.contains("secret") && !text.contains("\u{1B}"))
      expectPrefix(error.message, "POST 127.0.0.1:\(server.port)/idp/idx/%1B%5B31m failed: ")
    }
  }

  @Test(
    "A message that quotes a proxy does not contain its password",
    arguments: [
      "Unsupported proxy syntax in 'http://ada:ge@heim@127.0.0.1:2'",
      "Unsupported proxy syntax in 'ada:ge heim@127.0.0.1:2'",
      "Could not resolve proxy: http://ada:geheim@proxy.example",
    ])
  func proxyPassword(message: String) {
    let text = message.withoutUserInfo
    expect(text.contains("…@") && !text.contains("heim"))
  }
}
