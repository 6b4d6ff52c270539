import Foundation
import IDXNetwork
import IDXBase
import IDXOAuth

#if canImport(Glibc)
  import Glibc
#endif

/// Sends requests to the loopback interface.
enum LoopbackClient {
  static func post(_ url: URL, _ body: String) async throws -> (String, Int) {
    let response = try await HTTPTransport().send(
      TransportRequest(
        method: "POST", url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Array(body.utf8)))
    return (String(decoding: response.body, as: UTF8.self), response.status)
  }

  /// Sends a text as it is; returns all that comes back until the server closes the connection, or is silent.
  static func exchange(_ port: UInt16, _ text: String) async -> String {
    guard let connection = LoopbackConnection(port), await connection.send(text) else { return "" }
    return await connection.receive { _ in false }
  }

  static func streamSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

/// A connection to the loopback interface.
final class LoopbackConnection: Sendable {
  private let descriptor: Int32

  /// Connects; nil if nobody listens.
  init?(_ port: UInt16) {
    descriptor = LoopbackClient.streamSocket()
    // A busy machine takes long to answer.
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = LoopbackClient.address(port)
    let descriptor = descriptor
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { return nil }
  }

  deinit { close(descriptor) }

  /// Sends a text; returns false if that fails.
  func send(_ text: String) async -> Bool {
    await inBackground { [descriptor] in
      #if canImport(Glibc)
        Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
      #else
        Darwin.send(descriptor, text, text.utf8.count, 0)
      #endif
    } == text.utf8.count
  }

  /// Sends a request without a body, and receives the response with its body.
  func get(_ path: String) async -> String {
    guard await send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n") else { return "" }
    return await receive { text in
      guard let head = text.range(of: "\r\n\r\n") else { return false }
      let length = text.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap { Int($0.output.1) }
      return text[head.upperBound...].utf8.count >= length ?? 0
    }
  }

  /// Receives until the text is complete, the server closes the connection, or is silent.
  func receive(until isComplete: @escaping @Sendable (String) -> Bool) async -> String {
    await inBackground { [descriptor] in
      var answer: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 4096)
      while case let count = recv(descriptor, &part, part.count, 0), count > 0 {
        answer += part[..<count]
        if isComplete(String(decoding: answer, as: UTF8.self)) { break }
      }
      return String(decoding: answer, as: UTF8.self)
    }
  }

  private func inBackground<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
  }
}
