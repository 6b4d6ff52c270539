import Foundation
import IDXNetwork
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
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: blockingExchange(port, text)) }
    }
  }

  private static func blockingExchange(_ port: UInt16, _ text: String) -> String {
    let descriptor = streamSocket()
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 3, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = address(port)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected, send(descriptor, text, text.utf8.count, 0) > 0 else { return "" }
    var answer: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(descriptor, &part, part.count, 0), count > 0 {
      answer += part[..<count]
    }
    return String(decoding: answer, as: UTF8.self)
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
