import Expectations
import Foundation
import PortSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// With this flag, writing to a connection that has ended sends no signal. Darwin has no such flag.
#if canImport(Darwin)
  let noSignal: Int32 = 0
#else
  let noSignal = Int32(MSG_NOSIGNAL)
#endif

/// An HTTP/1.1 server on a free loopback port that does what a script says.
///
/// Each connection has its own thread, which ends with the connection. `run` ends all connections.
final class LoopbackServer: Sendable {
  /// A request as it arrived.
  struct Request: Sendable {
    /// The number of the connection, counted from 1.
    let connection: Int
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// What the server does next on a connection.
  enum Step: Sendable {
    case send(String)
    case sendBytes([UInt8])
    /// Sends nothing more until the client closes the connection.
    case hold
    /// Closes the connection normally.
    case close
    /// Resets the connection (RST).
    case reset

    /// Sends a whole response.
    static func respond(
      _ status: String = "200 OK", headers: [String] = [], body: String = ""
    ) -> Self {
      respond(status, headers: headers, bytes: Array(body.utf8))
    }

    static func respond(_ status: String = "200 OK", headers: [String], bytes: [UInt8]) -> Self {
      let head = ["HTTP/1.1 \(status)"] + headers + ["Content-Length: \(bytes.count)", "", ""]
      return .sendBytes(Array(head.joined(separator: "\r\n").utf8) + bytes)
    }
  }

  typealias Script = @Sendable (Request) -> [Step]

  let port: Int
  /// The requests in order of arrival.
  let receivedRequests: AsyncStream<Request>
  /// The numbers of the connections in the order in which they end.
  let endedConnections: AsyncStream<Int>

  private let requestSink: AsyncStream<Request>.Continuation
  private let endSink: AsyncStream<Int>.Continuation
  private let listener: Int32
  private let greeting: [Step]?
  private let script: Script
  private let shared = SharedState()

  private init(greeting: [Step]?, script: @escaping Script) throws {
    (listener, port) = try ReservedPort.bound(to: 0)
    self.greeting = greeting
    self.script = script
    (receivedRequests, requestSink) = AsyncStream.makeStream()
    (endedConnections, endSink) = AsyncStream.makeStream()
    guard listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  /// Runs the server while the body runs, and returns the requests.
  ///
  /// With a greeting, the server performs it at the start of each connection and reads no request.
  @discardableResult
  static func run(
    greeting: [Step]? = nil, script: @escaping Script = { _ in [.respond()] },
    _ body: (LoopbackServer) async throws -> Void
  ) async throws -> [Request] {
    let server = try LoopbackServer(greeting: greeting, script: script)
    Thread.detachNewThread { server.acceptConnections() }
    defer { server.stop() }
    try await body(server)
    return server.shared.requests
  }

  /// Runs a body with a loopback port that refuses connections.
  static func withClosedPort(_ body: (Int) async throws -> Void) async throws {
    let (descriptor, port) = try ReservedPort.bound(to: 0)
    defer { close(descriptor) }
    try await body(port)
  }

  func url(_ target: String, host: String = "127.0.0.1", scheme: String = "http") throws -> URL {
    try require(URL(string: "\(scheme)://\(host):\(port)\(target)"))
  }

  private func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    #if canImport(Darwin)
      close(listener)
    #endif
    shared.stop()
    requestSink.finish()
    endSink.finish()
  }

  private func acceptConnections() {
    while true {
      let socket = accept(listener, nil, nil)
      guard socket >= 0, let number = shared.open(socket) else {
        if socket >= 0 { close(socket) }
        break
      }
      Thread.detachNewThread {
        self.serve(ServerConnection(socket: socket), number)
        self.shared.end(socket)
        self.endSink.yield(number)
      }
    }
    #if !canImport(Darwin)
      close(listener)
    #endif
  }

  private func serve(_ connection: ServerConnection, _ number: Int) {
    if let greeting {
      _ = connection.perform(greeting)
      return
    }
    while let request = connection.readRequest(number) {
      shared.add(request)
      requestSink.yield(request)
      guard connection.perform(script(request)) else { return }
    }
  }
}

/// The state that the threads of a server share: the open sockets and the requests so far.
private final class SharedState: @unchecked Sendable {
  // Unchecked: every access below holds the lock.
  private let lock = NSLock()
  private var sockets: Set<Int32> = []
  private var opened = 0
  private var stopped = false
  private var received: [LoopbackServer.Request] = []

  var requests: [LoopbackServer.Request] { lock.withLock { received } }

  func add(_ request: LoopbackServer.Request) {
    lock.withLock { received.append(request) }
  }

  func open(_ socket: Int32) -> Int? {
    lock.withLock {
      guard !stopped else { return nil }
      sockets.insert(socket)
      opened += 1
      return opened
    }
  }

  func end(_ socket: Int32) {
    lock.withLock {
      sockets.remove(socket)
      _ = close(socket)
    }
  }

  func stop() {
    lock.withLock {
      stopped = true
      for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }
}

/// The server's end of a connection. Only one thread may use it.
private final class ServerConnection {
  private let socket: Int32
  private var unread: [UInt8] = []

  init(socket: Int32) {
    self.socket = socket
    #if canImport(Darwin)
      var on: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Reads the next request; nil at the end of the connection.
  func readRequest(_ number: Int) -> LoopbackServer.Request? {
    guard let head = readHead() else { return nil }
    let lines = head.components(separatedBy: "\r\n")
    let start = lines[0].split(separator: " ").map(String.init)
    guard start.count == 3 else { return nil }
    let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      return (String(line[..<colon]), value)
    }
    let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap {
      Int($0.value)
    }
    while unread.count < length ?? 0 {
      guard readMore() else { return nil }
    }
    let body = Array(unread.prefix(length ?? 0))
    unread.removeFirst(body.count)
    return LoopbackServer.Request(
      connection: number, method: start[0], target: start[1], headers: headers, body: body)
  }

  /// Performs the steps; returns whether the connection can take another request.
  func perform(_ steps: [LoopbackServer.Step]) -> Bool {
    for step in steps {
      switch step {
      case .send(let text): guard write(Array(text.utf8)) else { return false }
      case .sendBytes(let bytes): guard write(bytes) else { return false }
      case .hold:
        while readMore() {}
        return false
      case .close: return false
      case .reset:
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        return false
      }
    }
    return true
  }

  private func readHead() -> String? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let found = unread.indices.first(where: { unread[$0...].starts(with: end) }) {
        let head = String(decoding: unread[..<found], as: UTF8.self)
        unread.removeFirst(found + end.count)
        return head
      }
      guard readMore() else { return nil }
    }
  }

  private func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    unread += buffer[..<count]
    return true
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, noSignal) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}
