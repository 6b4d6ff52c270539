import Foundation
import IDXNetwork
import IDXOAuth
import Testing

@Suite("Cookies")
struct CookieTests {
  @Test("Cookies are sent back to their host, with every method", arguments: ["GET", "POST"])
  func returned(method: String) async throws {
    let transport = URLSessionTransport()
    let requests = try await LoopbackServer.run(script: settingCookies) { server in
      for path in ["/set", "/a/b", "/c"] {
        _ = try await transport.send(TransportRequest(method: method, url: server.url(path)))
      }
    }
    #expect(
      requests.map { cookies(of: $0) } == [[], ["DT=abc", "sid=1"], ["DT=abc", "sid=1"]])
  }

  @Test("A cookie of a redirect is stored too")
  func redirect() async throws {
    let transport = URLSessionTransport()
    let script: LoopbackServer.Script = { request in
      [.respond("302 Found", headers: ["Set-Cookie: idx=7; Path=/", "Location: /b"])]
    }
    let requests = try await LoopbackServer.run(script: script) { server in
      for path in ["/a", "/b"] {
        _ = try await transport.send(TransportRequest(method: "POST", url: server.url(path)))
      }
    }
    #expect(requests.map { cookies(of: $0) } == [[], ["idx=7"]])
  }

  @Test("An expired cookie is deleted")
  func expired() async throws {
    let transport = URLSessionTransport()
    let script: LoopbackServer.Script = { request in
      request.target == "/set"
        ? [.respond(headers: ["Set-Cookie: sid=1; Path=/"])]
        : [
          .respond(headers: ["Set-Cookie: sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:10 GMT"])
        ]
    }
    let requests = try await LoopbackServer.run(script: script) { server in
      for path in ["/set", "/drop", "/after"] {
        _ = try await transport.send(TransportRequest(method: "POST", url: server.url(path)))
      }
    }
    #expect(requests.map { cookies(of: $0) } == [[], ["sid=1"], []])
  }

  @Test("Cookies are not sent to other hosts, nor by other transports")
  func separate() async throws {
    let transport = URLSessionTransport()
    let requests = try await LoopbackServer.run(script: settingCookies) { server in
      _ = try await transport.send(TransportRequest(url: server.url("/set")))
      _ = try await URLSessionTransport().send(TransportRequest(url: server.url("/other")))
      _ = try await transport.send(TransportRequest(url: server.url("/host", host: "localhost")))
    }
    #expect(requests.map { cookies(of: $0) } == [[], [], []])
  }
}

private let settingCookies: LoopbackServer.Script = { request in
  request.target == "/set"
    ? [
      .respond(headers: [
        "Set-Cookie: DT=abc; Path=/; HttpOnly; Expires=Wed, 01 Jan 2098 00:00:00 GMT",
        "Set-Cookie: sid=1; Path=/",
      ])
    ]
    : [.respond()]
}

private func cookies(of request: LoopbackServer.Request) -> [String] {
  (request.header("cookie") ?? "").components(separatedBy: "; ").filter { !$0.isEmpty }.sorted()
}
