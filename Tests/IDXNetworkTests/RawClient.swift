import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection to a loopback port, on which a test says what it likes.
final class RawClient {
  private let descriptor: Int32

  /// Connects; throws where nobody listens.
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
      // Everything is initialised by now, so that `deinit` closes the socket.
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED)
    }
  }

  deinit { close(descriptor) }

  func say(_ text: String) {
    let bytes = Array(text.utf8)
    #if canImport(Darwin)
      _ = send(descriptor, bytes, bytes.count, 0)
    #else
      _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
  }

  /// Everything that the other side says until it ends the connection.
  func heard() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  /// Asks for a target, and returns the whole reply.
  static func get(
    _ target: String, from listener: URL, method: String = "GET", host: String? = nil
  ) throws -> String {
    let port = try #require(listener.port)
    let name = listener.host == "::1" ? "[::1]" : listener.host ?? ""
    let client = try RawClient(
      port: port, host: listener.host == "localhost" ? "127.0.0.1" : listener.host ?? "")
    client.say("\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "\(name):\(port)")\r\n\r\n")
    return client.heard()
  }
}
