import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A server on a loopback port that answers each path always alike, one connection at a time.
final class TinyServer: Sendable {
  let port: Int
  private let listener: Int32

  /// `responses` are whole HTTP responses by path; what is not among them is not found.
  init(_ responses: [String: String]) throws {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 8) == 0
          ? getsockname(listener, $0, &size) : -1
      }
    }
    guard result == 0 else { throw Program.Failure(description: "no port (error \(errno))") }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread {
      // Closed here alone, so that the number cannot stand for another file while it is waited on.
      defer { close(listener) }
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        Self.serve(connection, responses)
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  var issuer: String { "http://127.0.0.1:\(port)/oauth2/default" }

  static func response(_ status: String, _ body: String, _ headers: String...) -> String {
    let head =
      ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
    return head.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  private static func serve(_ connection: Int32, _ responses: [String: String]) {
    var bytes: [UInt8] = []
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let length = text.lowercased().firstMatch(of: /content-length: *(\d+)/).flatMap {
          Int($0.1)
        }
        if text[end.upperBound...].utf8.count >= length ?? 0 {
          let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
          let answer = Array((responses[path] ?? response("404 Not Found", "")).utf8)
          _ = send(connection, answer, answer.count, Self.quietly)
          return
        }
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      bytes += buffer[..<count]
    }
  }

  private static var quietly: Int32 {
    #if canImport(Darwin)
      0
    #else
      Int32(MSG_NOSIGNAL)
    #endif
  }
}
