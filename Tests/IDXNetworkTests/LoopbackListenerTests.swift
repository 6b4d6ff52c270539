import Expectations
import Foundation
import IDXOAuth
import PortSupport
import Testing

@testable import IDXNetwork

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// LoopbackListener.
struct LoopbackListenerTests {
  private func listener(_ uri: String = "http://127.0.0.1:0/callback") throws -> LoopbackListener {
    try LoopbackListener(require(URL(string: uri))) { _ in true }
  }

  /// A port that no other test opens when its listener has stopped.
  private let port: ReservedPort

  init() throws { port = try ReservedPort() }

  private func listenerAtOwnPort() throws -> LoopbackListener {
    try listener("http://127.0.0.1:\(port.number)/callback")
  }

  private var isClosed: Bool { (try? RawClient(port: port.number)) == nil }

  @Test("The whole address is returned after the browser has come back, and the port is free again")
  func returnsAddress() async throws {
    let listener = try listenerAtOwnPort()
    let reply = try RawClient.request(
      "/callback?interaction_code=a%20b+c&state=x%2Fy", from: listener.url)
    let url = try await listener.next()
    expectEqual(url.absoluteString, "\(listener.url)?interaction_code=a%20b+c&state=x%2Fy")
    expect(isClosed)
    expectPrefix(reply, "HTTP/1.1 200 OK\r\n")
    try await expectEqual(listener.next(), url)
    // Another listener can use the port immediately.
    try LoopbackListener(listener.url) { _ in true }.close()
  }

  #if os(Linux)
    @Test(
      "An address of this computer leads this user to the page, and nobody can guess it",
      .promise("listener-user"))
    func entrance() throws {
      let listener = try listener()
      defer { listener.close() }
      let page = try require(URL(string: "https://demo.okta.example/authorize?state=x%2Fy&nonce=z"))
      let entrance = listener.entrance(to: page)
      expectEqual(entrance.port, listener.url.port)
      expect(!entrance.absoluteString.contains("state") && entrance.path.utf8.count == 23)
      let reply = try RawClient.request(entrance.path, from: listener.url)
      expectPrefix(reply, "HTTP/1.1 302 Found\r\n")
      expectContains(reply, "\r\nLocation: \(page.absoluteString)\r\n")
      for other in ["/", entrance.path + "x", entrance.path + "?a=b"] {
        try expectPrefix(RawClient.request(other, from: listener.url), "HTTP/1.1 404")
      }
    }
  #endif

  @Test("A request of another user changes nothing, and gets no page", .promise("listener-user"))
  func otherUser() {
    let page = URL(string: "https://demo.okta.example/authorize")!
    let uri = URL(string: "http://127.0.0.1:8080/callback")!
    let responder = LoopbackResponder(uri, entrance: { .init(path: "/way", page: page) }) { _ in
      true
    }
    for path in ["/callback?code=x", "/way"] {
      let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n".utf8)
      let refused = responder.response(to: request, isOwn: false)
      let text = String(decoding: refused?.bytes ?? [], as: UTF8.self)
      expect(
        refused?.url == nil && !text.contains("okta") && text.hasPrefix("HTTP/1.1 403"), "\(text)")
      let own = responder.response(to: request)
      expect(!String(decoding: own?.bytes ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 403"))
    }
  }

  @Test(
    "The user of a connection is that of the other end, and only while a program has it",
    .promise("listener-user"))
  func owner() {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1
         1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 2 1
         2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 1
         3: 0100007F:C351 0100007F:1F90 05 00000000:00000000 00:00000000 00000000  1000        0 0 1
         4: 0100007F:C352 0100007F:1F90 05 00000000:00000000 00:00000000 00000000  1000        0 9 1
         5: 0100007F
      """
    func owner(_ peer: String) -> uid_t? {
      LoopbackPeer.owner(of: peer, connectedTo: "0100007F:1F90", in: table)
    }
    expectEqual(owner("0100007F:C350"), 1001)
    expectEqual(owner("0100007F:C351"), nil)
    expectEqual(owner("0100007F:C352"), 1000)
    expectEqual(owner("0100007F:C353"), nil)
  }

  @Test(
    "The page quotes nothing of the request, is not cached, and runs no code",
    .promise("listener-page"))
  func page() throws {
    let listener = try listener()
    let reply = try RawClient.request("/callback?code=secret&x=%3Cscript%3E", from: listener.url)
    expectContains(reply, "You can close this window and go back to the terminal.")
    expect(!reply.contains("secret"))
    expect(!reply.contains("script"))
    for header in [
      "Cache-Control: no-store", "Referrer-Policy: no-referrer",
      "Content-Security-Policy: \(LoopbackPage.policy)", "Connection: close",
    ] {
      expectContains(reply, "\r\n\(header)\r\n")
    }
    let hash = Data(HashFunction.sha256.hash(Array(LoopbackPage.style.utf8))).base64EncodedString()
    expectContains(LoopbackPage.policy, "style-src 'sha256-\(hash)'")
    expectPrefix(LoopbackPage.policy, "default-src 'none'")
    for kind in LoopbackPage.Kind.allCases {
      let page = LoopbackPage(kind: kind, languages: "").html
      expectContains(page, "<style>\(LoopbackPage.style)</style>")
    }
  }

  @Test(
    "Other requests, and those for another host, get an error and do not end the wait",
    .promise("listener-return", "listener-host"),
    arguments: [
      ("GET", "/favicon.ico", nil, "404"), ("GET", "/callback", nil, "404"),
      ("GET", "/callback?", nil, "404"), ("GET", "/callback/?a=b", nil, "404"),
      ("GET", "/?a=b", nil, "404"), ("POST", "/callback?a=b", nil, "405"),
      ("HEAD", "/callback?a=b", nil, "405"), ("GET", "http://127.0.0.1/callback?a=b", nil, "404"),
      ("GET", "/callback?a=b HTTP/1.1 x", nil, "400"), ("GET", "/callback?a=\u{7}", nil, "400"),
      ("GET", "/callback?a=c", "evil.example", "400"), ("GET", "/callback?a=c", "", "400"),
      ("GET", "/callback?a=c", "127.0.0.1:1", "400"),
    ] as [(String, String, String?, String)])
  func otherRequests(method: String, target: String, host: String?, status: String) async throws {
    let listener = try listener()
    let reply = try RawClient.request(target, from: listener.url, method: method, host: host)
    expectPrefix(reply, "HTTP/1.1 \(status) ")
    _ = try RawClient.request("/callback?a=b", from: listener.url)
    try await expectEqual(listener.next().query, "a=b")
  }

  @Test(
    "An address that the caller does not accept gets an error and does not end the wait",
    .promise("listener-return"))
  func otherState() async throws {
    let listener = try LoopbackListener(require(URL(string: "http://127.0.0.1:0/callback"))) {
      $0.query == "code=c&state=ours"
    }
    for query in ["code=c&state=theirs", "code=c", "error=interaction_required", "state=ours"] {
      let reply = try RawClient.request("/callback?\(query)", from: listener.url)
      expectPrefix(reply, "HTTP/1.1 403 ")
      expect(!reply.contains("theirs"))
    }
    _ = try RawClient.request("/callback?code=c&state=ours", from: listener.url)
    try await expectEqual(listener.next().query, "code=c&state=ours")
  }

  @Test(
    "Browsers omit port 80, whether or not the redirect URI contains it",
    arguments: ["http://localhost:80/callback", "http://localhost/callback"],
    ["localhost", "localhost:80"])
  func defaultPort(uri: String, host: String) throws {
    let responder = LoopbackResponder(try require(URL(string: uri))) { _ in true }
    let request = "GET /callback?a=b HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    expectEqual(responder.response(to: Array(request.utf8))?.url?.query, "a=b")
    let twice = request.replacing("\r\n\r\n", with: "\r\nHost: evil.example\r\n\r\n")
    try expectEqual(require(responder.response(to: Array(twice.utf8))).url, nil)
  }

  @Test(
    "Connections that send nothing, or a part of a request, delay nothing",
    .promise("listener-flood"))
  func idleConnections() async throws {
    let listener = try listener()
    let port = try require(listener.url.port)
    let idle = try (0..<20).map { _ in try RawClient(port: port) }
    idle[18].write("GET /callback?a=")
    let first = try RawClient(port: port)
    first.write("GET /callback?a=b HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n")
    first.write("Cookie: x=y\r\n\r\n")
    expectPrefix(first.receiveAll(), "HTTP/1.1 200 ")
    try await expectEqual(listener.next().query, "a=b")
    expectEqual(idle[19].receiveAll(), "")
  }

  @Test(
    "The page says whether the browser brought an answer or a refusal, in the browser's language",
    arguments: [
      ("code=a&state=b", "en-GB", "<h1>Done</h1>"),
      ("code=a&state=b", "de-AT,de", "<h1>Fertig</h1>"),
      ("error=access_denied&state=b", "", "<h1>You are not signed in</h1>"),
      ("state=b&error=access_denied", "de", "<h1>Sie sind nicht angemeldet</h1>"),
      ("code=error=a", "den", "<h1>Done</h1>"),
    ])
  func page(query: String, language: String, text: String) throws {
    let responder = LoopbackResponder(try require(URL(string: "http://127.0.0.1:7/c"))) { _ in true
    }
    let request = """
      GET /c?\(query) HTTP/1.1\r\nHost: 127.0.0.1:7\r\nAccept-Language: \(language)\r\n\r\n
      """
    let response = try require(responder.response(to: Array(request.utf8)))
    expectContains(String(decoding: response.bytes, as: UTF8.self), text)
  }

  @Test("A request that is too long is refused", .promise("listener-flood"))
  func tooLong() async throws {
    let listener = try listener()
    let client = try RawClient(port: try require(listener.url.port))
    client.write("GET /callback?a=\(String(repeating: "b", count: 16_400))")
    // The reply may be lost, because the listener closes a connection with unread data.
    let reply = client.receiveAll()
    expect(reply.isEmpty || reply.hasPrefix("HTTP/1.1 431 "))
    _ = try RawClient.request("/callback?a=b", from: listener.url)
    try await expectEqual(listener.next().query, "a=b")
  }

  #if !canImport(Darwin)
    @Test("A listener stops also if a program that is just being started has a copy of it")
    func copied() throws {
      let listener = try listenerAtOwnPort()
      // Between its creation and its start, a new process has all descriptors.
      let copies = (0..<4096).filter(isListening).map { dup($0) }
      defer { copies.forEach { close($0) } }
      expect(!copies.isEmpty)
      listener.close()
      expect(isClosed)
      try listenerAtOwnPort().close()
    }

    /// Whether a descriptor is a socket that listens at the port.
    private func isListening(_ descriptor: Int32) -> Bool {
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      var listens: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
      }
      return result == 0 && address.sin_port == UInt16(port.number).bigEndian
        && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0
    }
  #endif

  @Test("A listener whose task is cancelled, or that is closed or released, stops listening")
  func closed() async throws {
    var listener: LoopbackListener? = try listenerAtOwnPort()
    let url = try require(listener?.url)
    listener = nil
    expect(isClosed)
    let other = try LoopbackListener(url) { _ in true }
    other.close()
    other.close()
    expect(isClosed)
    let waiting = try listenerAtOwnPort()
    let task = Task { try await waiting.next() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    expect(isClosed)
  }

  @Test("localhost means both loopback addresses, and no path means the root path")
  func localhost() async throws {
    let listener = try listener("http://localhost:0/")
    let port = try require(listener.url.port)
    expectEqual(listener.url.absoluteString, "http://localhost:\(port)/")
    let client = try (try? RawClient(port: port, host: "::1")) ?? RawClient(port: port)
    client.write("GET /?a=b HTTP/1.1\r\nHost: LOCALHOST:\(port)\r\n\r\n")
    expectPrefix(client.receiveAll(), "HTTP/1.1 200 ")
    try await expectEqual(listener.next().absoluteString, "http://localhost:\(port)/?a=b")
    let root = try self.listener("http://127.0.0.1:0")
    try expectPrefix(RawClient.request("/?a=b", from: root.url), "HTTP/1.1 200 ")
    try await expectEqual(root.next().absoluteString, "\(root.url)/?a=b")
  }

  @Test(
    "Only an http address of this machine is accepted", .promise("listener-host"),
    arguments: [
      "https://127.0.0.1:0/cb", "http://192.0.2.1:0/cb", "http://example.com/cb",
      "com.example.app:/callback", "http://127.0.0.1.example.com:0/",
    ])
  func invalidAddress(uri: String) throws {
    let error = #expect(throws: LoopbackListenerError.self) { try listener(uri) }
    expectEqual(error?.code, .invalidRedirectURI)
    expectEqual(error?.description, "\(uri) is not an http address of this machine.")
  }

  @Test("A port that another program uses is reported")
  func portInUse() throws {
    let first = try listener()
    let error = #expect(throws: LoopbackListenerError.self) {
      try LoopbackListener(first.url) { _ in true }
    }
    expectEqual(error?.code, .portInUse)
    expectEqual(error?.systemCode, EADDRINUSE)
    expectEqual(
      error?.localizedDescription,
      "Cannot listen at \(first.url): another program uses the port. "
        + "Close that program, or use another port.")
  }

  @Test("Only one task can wait at a time")
  func secondWait() async throws {
    let listener = try listener()
    let errors = await withTaskGroup(of: (any Error)?.self) { group in
      for _ in 1...2 {
        group.addTask {
          do {
            _ = try await listener.next()
            return nil
          } catch { return error }
        }
      }
      var errors = [await group.next() ?? nil]
      listener.close()
      errors.append(await group.next() ?? nil)
      return errors
    }
    expectEqual((errors[0] as? LoopbackListenerError)?.code, .alreadyWaiting)
    expect(errors[1] is CancellationError)
  }
}

/// A connection to a loopback port on which a test can send any text.
private final class RawClient {
  private let descriptor: Int32

  /// Connects; throws if the port refuses the connection.
  init(port: Int, host: String = "127.0.0.1") throws {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee
    else { throw POSIXError(.EADDRNOTAVAIL) }
    defer { freeaddrinfo(found) }
    descriptor = socket(address.ai_family, address.ai_socktype, 0)
    guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
      // All properties are initialized, so `deinit` closes the socket.
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED)
    }
  }

  deinit { close(descriptor) }

  func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = send(descriptor, bytes, bytes.count, noSignal)
  }

  /// Receives everything until the other side ends the connection.
  func receiveAll() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  /// Sends a request to a listener and returns the whole reply.
  static func request(
    _ target: String, from listener: URL, method: String = "GET", host: String? = nil
  ) throws -> String {
    let port = try require(listener.port)
    let name = listener.host == "::1" ? "[::1]" : listener.host ?? ""
    let client = try RawClient(
      port: port, host: listener.host == "localhost" ? "127.0.0.1" : listener.host ?? "")
    client.write("\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "\(name):\(port)")\r\n\r\n")
    return client.receiveAll()
  }
}
