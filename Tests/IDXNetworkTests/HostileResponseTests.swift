import Expectations
import Foundation
import IDXBase
import IDXNetwork
import IDXOAuth
import Testing

/// What servers and proxies send that breaks the rules of HTTP, or uses them in unusual ways.
struct HostileResponseTests {
  let transport = HTTPTransport(limits: .patient(body: 1000))

  private func send(_ steps: [LoopbackServer.Step]) async throws -> Result<
    TransportResponse, TransportError
  > {
    let transport = transport
    let result = Locked<Result<TransportResponse, TransportError>?>(nil)
    let requests = try await LoopbackServer.run(script: { _ in steps }) { server in
      let request = try TransportRequest(method: "POST", url: server.url("/x"), body: [1])
      do {
        let response = try await transport.send(request)
        result.withLock { $0 = .success(response) }
      } catch let error as TransportError { result.withLock { $0 = .failure(error) } }
    }
    // Nothing is sent twice.
    expectEqual(requests.count, 1)
    return try require(result.withLock { $0 })
  }

  @Test(
    "Trailers do not end the process", .promise("broken-http"),
    arguments: ["Server-Timing: a\r\n", "A: 1\r\nB: 2\r\nX-Status: 500\r\n"])
  func trailers(fields: String) async throws {
    let response = try await send([
      .send("HTTP/1.1 200 OK\r\nX-Status: 200\r\nTransfer-Encoding: chunked\r\n\r\n"),
      .send("3\r\nabc\r\n0\r\n\(fields)\r\n"),
    ]).get()
    expect(response.status == 200 && response.body == Array("abc".utf8))
    #if canImport(Glibc)
      expect(response.header("x-status") == "200" && response.header("server-timing") == nil)
    #endif
  }

  @Test(
    "Unusual responses are read",
    arguments: [
      ("HTTP/1.0 200 OK\r\n\r\nabc", ""),
      ("HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc", ""),
      ("HTTP/1.1 200 OK\nX-A: 1\nContent-Length: 3\n\nabc", "1"),
      ("HTTP/1.1 200 OK\r\nX-A:1\r\nx-a:  2 \r\nContent-Length:3\r\n\r\nabc", "1, 2"),
      ("HTTP/1.1 200 OK\r\nX-A: a:b;c=\"d\"\r\nContent-Length: 3\r\n\r\nabc", "a:b;c=\"d\""),
      ("HTTP/1.1 200 OK\r\nX-A:\r\nContent-Length: 3\r\n\r\nabc", ""),
      // More than the length says.
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 500 No\r\n\r\n", ""),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\nmore", ""),
    ])
  func unusual(text: String, field: String) async throws {
    let response = try await send([.send(text), .close]).get()
    expectEqual(response.status, 200)
    expectEqual(String(decoding: response.body, as: UTF8.self), "abc")
    #if canImport(Glibc)
      expectEqual(response.header("x-a") ?? "", field)
    #endif
  }

  @Test(
    "Heads, 1xx responses and trailers without an end are refused", .promise("broken-http"),
    arguments: [
      ("HTTP/1.1 200 OK\r\n", "X-A: 0123456789\r\n"),
      ("", "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: 0123456789\r\n"),
    ])
  func endless(start: String, part: String) async throws {
    let parts = String(repeating: part, count: 20_000)
    guard case .failure(let error) = try await send([.send(start + parts), .hold]) else {
      Issue.record("There is a response.")
      return
    }
    expect([.responseTooLarge, .badResponse].contains(error.code) && error.mayHaveArrived)
  }

  @Test(
    "A response that cannot be right is an error that says what is wrong", .promise("broken-http"),
    arguments: [
      // HTTP/0.9
      ("abc", nil),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "the connection was lost before the response was complete"
      ),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", "the response is not HTTP"
      ),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc", nil),
      (
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        "the body of the response is compressed, although the request does not accept that"
      ),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        "the response is not HTTP"
      ),
      ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc", nil),
      ("HTTP/1.1 200 OK\r\nContent-Len", nil), ("HTTP/1.1 103 Early Hints\r\n\r\n", nil),
      ("\r\n\r\n", nil), ("\u{0}\u{0}", nil),
    ] as [(String, String?)])
  func wrong(text: String, reason: String?) async throws {
    guard case .failure(let error) = try await send([.send(text), .close]) else {
      Issue.record("There is a response.")
      return
    }
    expect(error.mayHaveArrived && !error.message.contains("abc"))
    #if canImport(Glibc)
      if let reason { expectSuffix(error.message, "failed: \(reason).", "\(error)") }
    #endif
  }
}
