import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An HTTP/1.1 server on a loopback port of its own that does what a script says.
///
/// Every connection has a thread, which ends with the connection; `run` ends all of them.
final class LoopbackServer: Sendable {
  /// A request as it came in; `connection` counts the connections from 1.
  struct Request: Sendable {
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
    /// Sends the text.
    case send(String)
    /// Sends the bytes.
    case sendBytes([UInt8])
    /// Says nothing more until the other side closes.
    case hold
    /// Closes the connection in an orderly way.
    case close
    /// Breaks the connection off.
    case reset

    /// A whole response.
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
  /// The requests as they arrive.
  let arrivals: AsyncStream<Request>
  /// The numbers of the connections as they end.
  let departures: AsyncStream<Int>

  private let arrived: AsyncStream<Request>.Continuation
  private let departed: AsyncStream<Int>.Continuation
  private let listener: Int32
  private let greeting: [Step]?
  private let script: Script
  private let shared = Shared()

  private init(greeting: [Step]?, script: @escaping Script) throws {
    (listener, port) = try Self.bound()
    self.greeting = greeting
    self.script = script
    (arrivals, arrived) = AsyncStream.makeStream()
    (departures, departed) = AsyncStream.makeStream()
    guard listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  /// Runs the server while the body runs; returns the requests that came as well.
  ///
  /// With a greeting the server does that as soon as a connection stands, and reads no request.
  @discardableResult
  static func run(
    greeting: [Step]? = nil, script: @escaping Script = { _ in [.respond()] },
    _ body: (LoopbackServer) async throws -> Void
  ) async throws -> [Request] {
    let server = try LoopbackServer(greeting: greeting, script: script)
    Thread.detachNewThread { server.accept() }
    defer { server.stop() }
    try await body(server)
    return server.shared.requests
  }

  /// A loopback port where nobody listens while the body runs.
  static func withDeafPort(_ body: (Int) async throws -> Void) async throws {
    let (socket, port) = try bound()
    defer { close(socket) }
    try await body(port)
  }

  func url(_ target: String, host: String = "127.0.0.1", scheme: String = "http") throws -> URL {
    try #require(URL(string: "\(scheme)://\(host):\(port)\(target)"))
  }

  private func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    #if canImport(Darwin)
      close(listener)
    #endif
    shared.stop()
    arrived.finish()
    departed.finish()
  }

  private func accept() {
    while true {
      #if canImport(Darwin)
        let socket = Darwin.accept(listener, nil, nil)
      #elseif canImport(Musl)
        let socket = Musl.accept(listener, nil, nil)
      #else
        let socket = Glibc.accept(listener, nil, nil)
      #endif
      guard socket >= 0, let number = shared.open(socket) else {
        if socket >= 0 { close(socket) }
        break
      }
      Thread.detachNewThread {
        self.serve(Connection(socket: socket), number)
        self.shared.close(socket)
        self.departed.yield(number)
      }
    }
    #if !canImport(Darwin)
      close(listener)
    #endif
  }

  private func serve(_ connection: Connection, _ number: Int) {
    if let greeting {
      _ = connection.perform(greeting)
      return
    }
    while let request = connection.request(number) {
      shared.note(request)
      arrived.yield(request)
      guard connection.perform(script(request)) else { return }
    }
  }

  private static func bound() throws -> (socket: Int32, port: Int) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    guard listener >= 0 else { throw POSIXError(.EMFILE) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 ? getsockname(listener, $0, &size) : -1
      }
    }
    guard result == 0 else {
      close(listener)
      throw POSIXError(.EADDRNOTAVAIL)
    }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
  }
}

/// What the threads of a server share: the open sockets and the requests so far.
private final class Shared: @unchecked Sendable {
  // Unchecked: every access below holds the lock.
  private let lock = NSLock()
  private var sockets: Set<Int32> = []
  private var opened = 0
  private var stopped = false
  private var noted: [LoopbackServer.Request] = []

  var requests: [LoopbackServer.Request] { lock.withLock { noted } }

  func note(_ request: LoopbackServer.Request) {
    lock.withLock { noted.append(request) }
  }

  func open(_ socket: Int32) -> Int? {
    lock.withLock {
      guard !stopped else { return nil }
      sockets.insert(socket)
      opened += 1
      return opened
    }
  }

  func close(_ socket: Int32) {
    lock.withLock {
      sockets.remove(socket)
      _ = end(socket)
    }
  }

  func stop() {
    lock.withLock {
      stopped = true
      for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  private func end(_ socket: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.close(socket)
    #elseif canImport(Musl)
      Musl.close(socket)
    #else
      Glibc.close(socket)
    #endif
  }
}
