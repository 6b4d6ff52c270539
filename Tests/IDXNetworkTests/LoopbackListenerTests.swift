import Foundation
import Testing

@testable import IDXNetwork

@Suite struct LoopbackListenerTests {
  private func listener(_ uri: String = "http://127.0.0.1:0/callback") throws -> LoopbackListener {
    try LoopbackListener(#require(URL(string: uri)))
  }

  private func isDeaf(_ url: URL, host: String = "127.0.0.1") -> Bool {
    (try? RawClient(port: url.port ?? 0, host: host)) == nil
  }

  @Test("The address that the browser comes back to is returned whole, and the port is free again")
  func comesBack() async throws {
    let listener = try listener()
    let reply = try RawClient.get(
      "/callback?interaction_code=a%20b+c&state=x%2Fy", from: listener.url)
    let url = try await listener.next()
    #expect(url.absoluteString == "\(listener.url)?interaction_code=a%20b+c&state=x%2Fy")
    #expect(isDeaf(listener.url))
    #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(try await listener.next() == url)
    // The port can be listened at again at once.
    try LoopbackListener(listener.url).close()
  }

  @Test("The page holds nothing of the request, is not kept and runs nothing")
  func page() async throws {
    let listener = try listener()
    let reply = try RawClient.get("/callback?code=secret&x=%3Cscript%3E", from: listener.url)
    #expect(reply.contains("You can close this window and go back to the terminal."))
    #expect(!reply.contains("secret"))
    #expect(!reply.contains("script"))
    for header in [
      "Cache-Control: no-store", "Referrer-Policy: no-referrer",
      "Content-Security-Policy: default-src 'none'", "Connection: close",
    ] {
      #expect(reply.contains("\r\n\(header)\r\n"))
    }
  }

  @Test(
    "Other requests are answered by an error and do not end the wait",
    arguments: [
      ("GET", "/favicon.ico", "404"), ("GET", "/callback", "404"), ("GET", "/callback?", "404"),
      ("GET", "/callback/?a=b", "404"), ("GET", "/?a=b", "404"), ("POST", "/callback?a=b", "405"),
      ("HEAD", "/callback?a=b", "405"), ("GET", "http://127.0.0.1/callback?a=b", "404"),
      ("GET", "/callback?a=b HTTP/1.1 x", "400"), ("GET", "/callback?a=\u{7}", "400"),
    ])
  func others(method: String, target: String, status: String) async throws {
    let listener = try listener()
    let reply = try RawClient.get(target, from: listener.url, method: method)
    #expect(reply.hasPrefix("HTTP/1.1 \(status) "))
    _ = try RawClient.get("/callback?a=b", from: listener.url)
    #expect(try await listener.next().query == "a=b")
  }

  @Test(
    "A browser leaves out port 80, whether the redirect URI names it or not",
    arguments: ["http://localhost:80/callback", "http://localhost/callback"],
    ["localhost", "localhost:80"])
  func defaultPort(uri: String, host: String) throws {
    let reception = LoopbackReception(try #require(URL(string: uri)))
    let request = "GET /callback?a=b HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    #expect(reception.reply(to: Array(request.utf8))?.url?.query == "a=b")
  }

  @Test("A request under another name is refused", arguments: ["evil.example", "", "127.0.0.1:1"])
  func rebound(host: String) async throws {
    let listener = try listener()
    let reply = try RawClient.get("/callback?a=b", from: listener.url, host: host)
    #expect(reply.hasPrefix("HTTP/1.1 400 "))
    listener.close()
    await #expect(throws: CancellationError.self) { try await listener.next() }
  }

  @Test("Connections that say nothing, or a part, hold nobody up")
  func preconnected() async throws {
    let listener = try listener()
    let port = try #require(listener.url.port)
    let silent = try (0..<20).map { _ in try RawClient(port: port) }
    silent[18].say("GET /callback?a=")
    let first = try RawClient(port: port)
    first.say("GET /callback?a=b HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n")
    first.say("Cookie: x=y\r\n\r\n")
    #expect(first.heard().hasPrefix("HTTP/1.1 200 "))
    #expect(try await listener.next().query == "a=b")
    #expect(silent[19].heard() == "")
  }

  @Test("A request that is too long is refused")
  func tooLong() async throws {
    let listener = try listener()
    let client = try RawClient(port: try #require(listener.url.port))
    client.say("GET /callback?a=\(String(repeating: "b", count: 16_400))")
    // What was not read any more may take the reply with it.
    let reply = client.heard()
    #expect(reply.isEmpty || reply.hasPrefix("HTTP/1.1 431 "))
    _ = try RawClient.get("/callback?a=b", from: listener.url)
    #expect(try await listener.next().query == "a=b")
  }

  @Test("A cancelled task stops listening")
  func cancelled() async throws {
    let listener = try listener()
    let waiting = Task { try await listener.next() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(isDeaf(listener.url))
  }

  @Test("Closed, or let go, nobody listens any more")
  func closed() async throws {
    var listener: LoopbackListener? = try listener()
    let url = try #require(listener?.url)
    listener = nil
    #expect(isDeaf(url))
    let other = try LoopbackListener(url)
    other.close()
    other.close()
    #expect(isDeaf(url))
  }

  @Test("localhost is both addresses of this machine")
  func localhost() async throws {
    let listener = try listener("http://localhost:0/")
    let port = try #require(listener.url.port)
    #expect(listener.url.absoluteString == "http://localhost:\(port)/")
    let client = try (try? RawClient(port: port, host: "::1")) ?? RawClient(port: port)
    client.say("GET /?a=b HTTP/1.1\r\nHost: LOCALHOST:\(port)\r\n\r\n")
    #expect(client.heard().hasPrefix("HTTP/1.1 200 "))
    #expect(try await listener.next().absoluteString == "http://localhost:\(port)/?a=b")
  }

  @Test("An address without a path is come back to at the root")
  func noPath() async throws {
    let listener = try listener("http://127.0.0.1:0")
    #expect(try RawClient.get("/?a=b", from: listener.url).hasPrefix("HTTP/1.1 200 "))
    #expect(try await listener.next().absoluteString == "\(listener.url)/?a=b")
  }

  @Test(
    "Only an http address of this machine can be listened at",
    arguments: [
      "https://127.0.0.1:0/cb", "http://192.0.2.1:0/cb", "http://example.com/cb",
      "com.example.app:/callback", "http://127.0.0.1.example.com:0/",
    ])
  func elsewhere(uri: String) throws {
    #expect(throws: LoopbackListenerError.self) { try listener(uri) }
  }

  @Test("A port that is taken is an error that says so")
  func taken() throws {
    let first = try listener()
    let error = #expect(throws: LoopbackListenerError.self) { try LoopbackListener(first.url) }
    #expect(
      error?.description
        == "Nobody can listen at \(first.url): another program listens there.")
  }
}
