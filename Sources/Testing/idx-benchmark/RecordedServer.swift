import Foundation
import IDXBase
import IDXOAuth

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An HTTP server on a free loopback port that answers like an org, from a recorded sign-in.
///
/// One thread answers one request on each connection.
final class RecordedServer: Sendable {
  private struct State {
    var isStopped = false
    /// How many requests must have arrived before one is answered.
    var minimum = 1
    var processorTime = 0.0
  }

  /// The start of its addresses.
  let origin: String

  private let listener: Int32
  private let state = Locked(State())

  /// Listens; requests wait until ``start(_:after:)``.
  init() throws {
    #if canImport(Glibc)
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { [listener] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 4096) == 0
          ? getsockname(listener, $0, &size) : -1
      }
    }
    guard result == 0 else {
      throw BenchmarkError(description: "Cannot listen on a loopback port.", exitStatus: 1)
    }
    origin = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
  }

  /// A loopback port on which nothing listens.
  static func freePort() throws -> Int {
    let server = try RecordedServer()
    defer { close(server.listener) }
    guard let port = URL(string: server.origin)?.port else {
      throw BenchmarkError(description: "There is no free port.", exitStatus: 1)
    }
    return port
  }

  /// The response to a target such as `/oauth2/v1/token` and a body; nil for 404.
  typealias Responder = @Sendable (_ target: String, _ body: [UInt8]) -> TransportResponse?

  /// Answers requests until ``stop()``, each some seconds after it arrived.
  func start(after delay: Double = 0, respond: @escaping Responder) {
    Thread.detachNewThread { self.run(respond, delay) }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Answers the next requests only when this many have arrived, so that all are open at the same time.
  func waits(for count: Int) {
    state.withLock { $0.minimum = count }
  }

  /// The processor time of the server's thread in seconds, up to the last request.
  var processorTime: Double { state.withLock { $0.processorTime } }

  private func run(_ respond: Responder, _ delay: Double) {
    var waiting: [(connection: Int32, response: [UInt8])] = []
    while !state.withLock({ $0.isStopped }) {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      waiting.append((connection, Self.response(to: connection, respond)))
      guard waiting.count >= state.withLock({ $0.minimum }) else { continue }
      state.withLock { $0.minimum = 1 }
      let answered = waiting
      waiting = []
      let answer: @Sendable () -> Void = {
        for (connection, response) in answered {
          Self.write(response, to: connection)
          close(connection)
        }
      }
      // Other requests arrive meanwhile, and the processor is free, like while a real org works.
      if delay > 0 {
        DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: answer)
      } else {
        answer()
      }
      state.withLock { $0.processorTime = Clock.thread.seconds }
    }
    for (connection, _) in waiting { close(connection) }
    close(listener)
  }

  /// Reads a request and returns the bytes of its response.
  private static func response(to connection: Int32, _ respond: Responder) -> [UInt8] {
    var received: [UInt8] = []
    var head: [Substring] = []
    var bodyStart: Int?
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      if bodyStart == nil, let end = Data(received).range(of: Data("\r\n\r\n".utf8)) {
        head = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(
          separator: "\r\n")
        bodyStart = end.upperBound
      }
      let length = head.first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
      if let bodyStart, received.count >= bodyStart + (length ?? 0) { break }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return [] }
      received += buffer[..<count]
    }
    let target = head[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
    let found = respond(target, Array(received[(bodyStart ?? 0)...]))
    let response = found ?? TransportResponse(status: 404, headers: [:], body: [])
    let fields = response.headers.filter { $0.key.lowercased() != "content-length" }
      .map { "\($0.key): \($0.value)" }
    let lines =
      ["HTTP/1.1 \(response.status) Recorded"] + fields
      + ["Content-Length: \(response.body.count)", "Connection: close", "", ""]
    return Array(lines.joined(separator: "\r\n").utf8) + response.body
  }

  private static func write(_ bytes: [UInt8], to connection: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let sent = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
      #else
        let sent = rest.withUnsafeBytes {
          send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
      #endif
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }
}
