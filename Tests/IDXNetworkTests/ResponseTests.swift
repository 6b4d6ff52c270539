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
    "A response is returned as it came, also a challenge or a redirect, which is not followed",
    .promise("origin-only"), arguments: ["GET", "POST"],
    [
      ("X-Okta-Request-Id", "abc", [200, 201, 400, 401, 403, 404, 429, 500, 503]),
      ("Location", "/y?code=1", [301, 302, 303, 307, 308]),
      ("WWW-Authenticate", #"Basic realm="Okta""#, [401]),
      ("WWW-Authenticate", #"Digest realm="x", nonce="y""#, [401]),
      ("WWW-Authenticate", #"Oktadevicejwt realm="Device""#, [401]),
    ] as [(String, String, [Int])])
  func statuses(
    method: String, field: (name: String, value: String, statuses: [Int])
  ) async throws {
    for status in field.statuses {
      let script: LoopbackServer.Script = { _ in
        [.respond("\(status) Reason", headers: ["\(field.name): \(field.value)"], body: "{}")]
      }
      let requests = try await LoopbackServer.run(script: script) { server in
        let request = try TransportRequest(method: method, url: server.url("/x"))
        let response = try await transport.send(request)
        expectEqual(response.status, status)
        expectEqual(response.header(field.name.lowercased()), field.value)
        expectEqual(response.body, Array("{}".utf8))
      }
      expectEqual(requests.map(\.target), ["/x"])
    }
  }

  @Test(
    "Interim responses are skipped, also before a response without a body",
    arguments: ["100 Continue", "103 Early Hints"])
  func interim(status: String) async throws {
    let script: LoopbackServer.Script = { request in
      [
        .send("HTTP/1.1 \(status)\r\nLink: </a>\r\n\r\n"),
        request.target == "/empty"
          ? .send("HTTP/1.1 204 No Content\r\n\r\n") : .respond(body: "last"),
      ]
    }
    try await LoopbackServer.run(script: script) { server in
      for (target, status, body) in [("/x", 200, "last"), ("/empty", 204, "")] {
        let response = try await transport.send(TransportRequest(url: server.url(target)))
        expectEqual(response.status, status)
        expectEqual(response.header("link"), nil)
        expectEqual(response.body, Array(body.utf8))
      }
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
