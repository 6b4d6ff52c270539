import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSystem
import PortSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A server on a loopback port that answers any number of connections at once, one request on each.
final class LoopbackServer: Sendable {
  /// Returns a whole HTTP response; nil to close the connection instead.
  typealias Response = @Sendable (TransportRequest) async -> [UInt8]?

  let port: Int
  private let listener: Int32
  /// After ``stop()``, the port refuses connections until the end.
  private let reservation: ReservedPort?
  private let isOpen = Locked(true)
  /// What answers a request; some requests are never answered.
  private let answers = Locked<[Task<Void, any Error>]>([])

  /// Opens a port; connections wait until ``start(_:)``.
  init() throws {
    #if canImport(Darwin)
      // A port cannot be reserved on this system.
      reservation = nil
      (listener, port) = try ReservedPort.bound(to: 0)
    #else
      let reservation = try ReservedPort()
      self.reservation = reservation
      (listener, port) = try ReservedPort.bound(to: reservation.number)
    #endif
    guard listen(listener, 128) == 0 else {
      throw Program.Failure(description: "no port (error \(errno))")
    }
  }

  /// Opens a port and answers each request there; a thrown error closes the connection.
  convenience init(
    _ respond: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
  ) throws {
    try self.init()
    start { request in (try? await respond(request)).map(OrgServer.bytes) }
  }

  var address: String { "http://127.0.0.1:\(port)" }

  deinit {
    stop()
    for answer in answers.withLock({ $0 }) { answer.cancel() }
  }

  func start(_ answer: @escaping Response) {
    let (listener, port, answers) = (listener, port, answers)
    Thread.detachNewThread {
      #if !canImport(Darwin)
        // Closed only here, so that the number is not reused for another file during `accept`.
        defer { close(listener) }
      #endif
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
          // The client may be gone when the response is ready.
          var isQuiet: Int32 = 1
          let size = socklen_t(MemoryLayout<Int32>.size)
          setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isQuiet, size)
        #endif
        Thread.detachNewThread {
          guard let request = Self.request(on: connection, port) else {
            close(connection)
            return
          }
          // The thread pool of the tests may be busy.
          let task = Task.onOwnThreads {
            if let bytes = await answer(request) {
              _ = send(connection, bytes, bytes.count, Self.quietly)
            }
            shutdown(connection, Int32(SHUT_RDWR))
            close(connection)
          }
          answers.withLock { $0.append(task) }
        }
      }
    }
  }

  /// Refuses further connections, and so does the port as long as the server lives.
  func stop() {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      #if canImport(Darwin)
        // A listener cannot be shut down on this system.
        close(listener)
      #else
        shutdown(listener, Int32(SHUT_RDWR))
      #endif
    }
  }

  private static func request(on connection: Int32, _ port: Int) -> TransportRequest? {
    var bytes: [UInt8] = []
    while true {
      if let request = request(in: bytes, port) { return request }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  /// The request in the bytes; nil if it is incomplete.
  private static func request(in bytes: [UInt8], _ port: Int) -> TransportRequest? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      return (parts[0], parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
    }
    let length = fields.first { $0.0.lowercased() == "content-length" }.flatMap { Int($0.1) } ?? 0
    let body = Array(text[end.upperBound...].utf8)
    let words = lines[0].split(separator: " ").map(String.init)
    guard body.count >= length, words.count == 3,
      let url = URL(string: "http://127.0.0.1:\(port)\(words[1])")
    else { return nil }
    return TransportRequest(
      method: words[0], url: url, headers: Dictionary(fields) { $1 }, body: body)
  }

  private static var quietly: Int32 {
    #if canImport(Darwin)
      0
    #else
      Int32(MSG_NOSIGNAL)
    #endif
  }
}

/// A server on a loopback port with one fixed response for each path.
final class FixedServer: Sendable {
  private let server: LoopbackServer

  /// Creates a server with whole HTTP responses by path; other paths are not found.
  init(_ responses: [String: String]) throws {
    server = try LoopbackServer()
    server.start { request in
      Array((responses[request.url.path] ?? Self.response("404 Not Found", "")).utf8)
    }
  }

  var port: Int { server.port }

  var address: String { server.address }

  var issuer: String { "\(address)/oauth2/default" }

  static func response(_ status: String, _ body: String, _ headers: String...) -> String {
    let head =
      ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
    return head.joined(separator: "\r\n") + "\r\n\r\n" + body
  }
}
