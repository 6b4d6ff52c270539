import Expectations
import Foundation
import IDXNetwork
import IDXBase
import IDXOAuth
import Testing

/// Requests and responses.
struct ResponseTests {
  let transport = HTTPTransport(limits: .patient)

  @Test(
    "A response is returned unchanged, whatever its status, also without a body",
    arguments: [
      "200 OK", "201 Created", "400 Bad Request", "401 Unauthorized", "403 Forbidden",
      "404 Not Found", "429 Too Many Requests", "500 Internal Server Error",
      "503 Service Unavailable",
    ])
  func statuses(status: String) async throws {
    let script: LoopbackServer.Script = { _ in
      [.respond(status, headers: ["X-Okta-Request-Id: abc"], body: #"{"version":"1.0.0"}"#)]
    }
    try await LoopbackServer.run(script: script) { server in
      let response = try await transport.send(TransportRequest(url: server.url("/x")))
      expectEqual("\(response.status)", status.prefix(3))
      expectEqual(response.header("x-okta-request-id"), "abc")
      expectEqual(response.body, Array(#"{"version":"1.0.0"}"#.utf8))
    }
    let empty: LoopbackServer.Script = { _ in [.send("HTTP/1.1 204 No Content\r\n\r\n")] }
    try await LoopbackServer.run(script: empty) { server in
      let response = try await transport.send(TransportRequest(url: server.url("/x")))
      expectEqual(response.status, 204)
      expectEmpty(response.body)
    }
  }

  @Test(
    "A response with status 401 and a challenge is returned with its body",
    arguments: ["GET", "POST"],
    [#"Basic realm="Okta""#, #"Digest realm="x", nonce="y""#, #"Oktadevicejwt realm="Device""#])
  func challenges(method: String, scheme: String) async throws {
    let script: LoopbackServer.Script = { _ in
      [
        .respond(
          "401 Unauthorized", headers: ["WWW-Authenticate: \(scheme)"], body: "invalid_client")
      ]
    }
    let requests = try await LoopbackServer.run(script: script) { server in
      let response = try await transport.send(
        TransportRequest(method: method, url: server.url("/x")))
      expectEqual(response.status, 401)
      expectEqual(response.body, Array("invalid_client".utf8))
    }
    expectEqual(requests.count, 1)
  }

  @Test(
    "A redirect is returned and not followed", .promise("origin-only"),
    arguments: [301, 302, 303, 307, 308])
  func redirects(status: Int) async throws {
    let script: LoopbackServer.Script = { _ in
      [.respond("\(status) Reason", headers: ["Location: /y?code=1"], body: "moved")]
    }
    let requests = try await LoopbackServer.run(script: script) { server in
      let response = try await transport.send(
        TransportRequest(method: "POST", url: server.url("/x")))
      expectEqual(response.status, status)
      expectEqual(response.header("location"), "/y?code=1")
      expectEqual(response.body, Array("moved".utf8))
    }
    expectEqual(requests.map(\.target), ["/x"])
  }

  @Test(
    "Interim responses are skipped",
    arguments: ["100 Continue", "103 Early Hints"])
  func interim(status: String) async throws {
    let script: LoopbackServer.Script = { _ in
      [.send("HTTP/1.1 \(status)\r\nLink: </a>\r\n\r\n"), .respond(body: "last")]
    }
    try await LoopbackServer.run(script: script) { server in
      let response = try await transport.send(TransportRequest(url: server.url("/x")))
      expectEqual(response.status, 200)
      expectEqual(response.header("link"), nil)
      expectEqual(response.body, Array("last".utf8))
    }
  }

  @Test(
    "A chunked body is decoded, and a compressed one is asked for by nobody, and is passed on as it is"
  )
  func codings() async throws {
    let script: LoopbackServer.Script = { request in
      request.target == "/chunked"
        ? [
          .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
          .send("3\r\nabc\r\n"), .send("2\r\nde\r\n"), .send("0\r\n\r\n"),
        ]
        : [.respond(headers: ["Content-Encoding: gzip"], bytes: compressed)]
    }
    let requests = try await LoopbackServer.run(script: script) { server in
      let chunked = try await transport.send(TransportRequest(url: server.url("/chunked")))
      expectEqual(chunked.body, Array("abcde".utf8))
      #if canImport(Glibc)
        let error = try await failure(of: transport, TransportRequest(url: server.url("/gzip")))
        expectEqual(error.code, .badResponse)
        let zipped = try await transport.send(
          TransportRequest(url: server.url("/gzip"), headers: ["Accept-Encoding": "gzip"]))
        expectEqual(zipped.body, compressed)
      #endif
    }
    expectEqual(requests.first?.header("Accept-Encoding"), "identity")
  }

  @Test("A request is sent with all its parts, and with a user agent and a language if it has none")
  func request() async throws {
    let headers = [
      "Accept": "application/ion+json; okta-version=1.0.0", "Content-Type": "application/json",
      "User-Agent": "app/1", "Accept-Language": "de",
    ]
    let requests = try await LoopbackServer.run { server in
      let url = try server.url("/idp/idx/identify?a=b%20c")
      _ = try await transport.send(
        TransportRequest(method: "POST", url: url, headers: headers, body: [0, 1, 255]))
    }
    let request = try require(requests.first)
    expectEqual(request.method, "POST")
    expectEqual(request.target, "/idp/idx/identify?a=b%20c")
    for (name, value) in headers {
      expectEqual(request.header(name), value)
    }
    expectEqual(request.body, [0, 1, 255])
    let plain = try await LoopbackServer.run { server in
      _ = try await transport.send(TransportRequest(url: server.url("/")))
      let custom = HTTPTransport(limits: .patient, userAgent: "acme/2 (test)")
      _ = try await custom.send(TransportRequest(url: server.url("/")))
    }
    expectEqual(plain.first?.header("user-agent")?.hasPrefix("idx-flow/"), true)
    expectEqual(plain.last?.header("user-agent"), "acme/2 (test)")
    expectEqual(plain.map { $0.header("accept-language") }, ["*", "*"])
    expectEqual(plain.map { $0.header("authorization") }, [nil, nil])
  }

  @Test("Requests of one transport run concurrently")
  func concurrent() async throws {
    let script: LoopbackServer.Script = { [.respond(body: $0.target)] }
    try await LoopbackServer.run(script: script) { server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...8 {
          let url = try server.url("/\(number)")
          let method = number.isMultiple(of: 2) ? "GET" : "POST"
          group.addTask { [transport] in
            let response = try await transport.send(TransportRequest(method: method, url: url))
            expectEqual(response.body, Array("/\(number)".utf8))
          }
        }
        try await group.waitForAll()
      }
    }
  }
}

/// The letter z 100,000 times, compressed by gzip.
let compressed = [UInt8](
  Data(
    base64Encoded:
      "H4sIAAAAAAACA+3BMQEAAADCoN5Lbw0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      + "AIBXAySX4f+ghgEA") ?? Data())
