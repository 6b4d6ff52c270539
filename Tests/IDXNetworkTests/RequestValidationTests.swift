import Expectations
import Foundation
import IDXNetwork
import IDXBase
import IDXOAuth
import Testing

/// Requests that are refused before they are sent.
struct RequestValidationTests {
  let transport = HTTPTransport(limits: .patient)

  @Test(
    "Plain http to another machine and other schemes are refused", .promise("https-only"),
    arguments: [
      ("http://acme.okta.example/idp/idx/introspect", "http to acme.okta.example"),
      ("HTTP://acme.okta.example/", "http to acme.okta.example"),
      ("http://localhost.evil.example/", "http to localhost.evil.example"),
      ("http://localhost%2Eevil.example/", "http to localhost"),
      ("http://127.0.0.1.evil.example/", "http to 127.0.0.1.evil.example"),
      ("http://127.0.0.256/", "http to 127.0.0.256"),
      ("http://127.1/", "http to 127.1"),
      ("http://127.0.0.01/", "http to 127.0.0.01"),
      ("http://0.0.0.0/", "http to 0.0.0.0"),
      ("http://10.0.0.1/", "http to 10.0.0.1"),
      ("http://[::2]/", "http to "),
      ("ftp://localhost/", "ftp to localhost"),
      ("file:///etc/passwd", "file is not allowed"),
      ("data:text/plain,hello", "data is not allowed"),
      ("/idp/idx/introspect", "the address has no scheme"),
    ])
  func refused(address: String, reason: String) async throws {
    let url = try require(URL(string: address))
    let error = try await failure(of: transport, TransportRequest(url: url))
    expectEqual(error.code, .schemeRefused)
    expect(!error.mayHaveArrived)
    expectContains(error.message, reason)
    expectContains(error.message, "was not sent")
  }

  @Test("Plain http to this machine is allowed, which is localhost, 127.0.0.0/8 and ::1")
  func loopback() async throws {
    try await LoopbackServer.run { server in
      for origin in ["http://localhost", "http://LocalHost", "http://127.0.0.1"] {
        let url = try require(URL(string: "\(origin):\(server.port)/"))
        try await expectEqual(transport.send(TransportRequest(url: url)).status, 200)
      }
    }
    try await LoopbackServer.withClosedPort { port in
      for host in ["127.9.8.7", "[::1]"] {
        let url = try require(URL(string: "http://\(host):\(port)/"))
        let error = try await failure(of: transport, TransportRequest(url: url))
        expectEqual(error.code, .unreachable)
        expectContains(error.message, " failed: ")
        expect(!error.mayHaveArrived)
      }
    }
  }

  @Test(
    "A user name, and a method or a header field that could end its line, are refused and not quoted",
    arguments: [
      TransportRequest(method: "GET / HTTP/1.1\r\nX: y", url: url),
      TransportRequest(method: "", url: url),
      TransportRequest(url: url, headers: ["Accept": "a\r\nX-Injected: 1"]),
      TransportRequest(url: url, headers: ["Accept": "a\u{0}"]),
      TransportRequest(url: url, headers: ["X: y\r\nZ": "1"]),
      TransportRequest(url: url, headers: ["": "1"]),
      TransportRequest(url: URL(string: "http://alice:*@127.0.0.1:9/")!),
      TransportRequest(url: URL(string: "https://alice@acme.okta.example/")!),
    ])
  func syntax(request: TransportRequest) async throws {
    // Test arguments are printed, and logs should not contain anything like a password.
    var request = request
    request.url = try require(
      URL(string: request.url.absoluteString.replacing("*", with: "hunter2")))
    let error = try await failure(of: transport, request)
    expectEqual(error.code, .requestRefused)
    expect(!error.mayHaveArrived)
    for text in ["Injected", "alice", "hunter2"] { expect(!error.message.contains(text)) }
  }
}

private let url = URL(string: "https://acme.okta.example/")!
