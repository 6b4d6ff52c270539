import Expectations
import Foundation
import IDXNetwork
import IDXBase
import IDXOAuth
import Testing

/// Cookies.
struct CookieTests {
  @Test("The transport stores no cookies", .promise("cookie-origin"), arguments: ["GET", "POST"])
  func none(method: String) async throws {
    let transport = HTTPTransport(limits: .patient)
    let requests = try await LoopbackServer.run(script: settingCookies) { server in
      for path in ["/set", "/redirect", "/a/b", "/c"] {
        _ = try await transport.send(TransportRequest(method: method, url: server.url(path)))
      }
    }
    expectEqual(requests.map { $0.header("cookie") }, [nil, nil, nil, nil])
  }

  @Test("The cookies of a sign-in are sent, and several that a response sets are all taken")
  func jar() async throws {
    let transport = HTTPTransport(limits: .patient)
    let http = IssuerClient(transport: transport, tokens: TokenClient(transport: transport))
    let requests = try await LoopbackServer.run(script: settingCookies) { server in
      let issuer = try server.url("")
      let now = Date(timeIntervalSince1970: 1_800_000_000)
      var jars = [CookieJar(issuer: issuer), CookieJar(issuer: issuer)]
      // Two sign-ins take turns; only the first one gets cookies.
      for (index, path) in [
        (0, "/set"), (1, "/a"), (0, "/b"), (1, "/c"), (0, "/redirect"), (0, "/d"),
      ] {
        let keeper = CookieKeeper(jars[index], now: { now })
        _ = try await http.keeping(keeper).get(try server.url(path))
        jars[index] = keeper.jar
      }
    }
    expectEqual(
      requests.map { $0.header("cookie") },
      [nil, nil, "DT=abc; sid=1", nil, "DT=abc; sid=1", "DT=abc; idx=7"])
  }
}

private let settingCookies: LoopbackServer.Script = { request in
  switch request.target {
  case "/set":
    [
      .respond(headers: [
        "Set-Cookie: DT=abc; Path=/; HttpOnly; Expires=Wed, 01 Jan 2098 00:00:00 GMT",
        "Set-Cookie: sid=1; Path=/",
      ])
    ]
  case "/redirect":
    [
      .respond(
        "302 Found",
        headers: [
          "Set-Cookie: idx=7; Path=/", "Location: /b",
          "Set-Cookie: sid=; Path=/; Expires=Thu, 01-Jan-1970 00:00:10 GMT",
        ])
    ]
  default: [.respond()]
  }
}
