import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Opens sockets at loopback addresses.
package enum LoopbackSocket {
  /// Opens a socket that listens at an address and a port, and returns the actual port.
  ///
  /// Port 0 means any free port.
  static func open(
    at host: String, port: UInt16
  ) throws(SystemFailure) -> (descriptor: Int32, port: UInt16) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let isIPv6 = host.contains(":")
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0)
    guard descriptor >= 0 else { throw SystemFailure(call: "socket", code: errno) }
    prepare(descriptor)
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Otherwise the port could not be used again for some minutes after a connection.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if isIPv6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
    let bound = isIPv6 ? bindIPv6(descriptor, host, port) : bindIPv4(descriptor, host, port)
    guard let bound, listen(descriptor, 16) == 0 else {
      let code = errno
      close(descriptor)
      throw SystemFailure(call: "listen", code: code)
    }
    return (descriptor, bound)
  }

  /// Finds a port of 127.0.0.1 that no program uses at the moment; nil if there is none.
  package static func findFreePort() -> UInt16? {
    guard let (descriptor, port) = try? open(at: "127.0.0.1", port: 0) else { return nil }
    close(descriptor)
    return port
  }

  /// Makes a socket non-blocking, and not inherited by programs such as the browser.
  static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    #if canImport(Darwin)
      var on: Int32 = 1
      setsockopt(
        descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  private static func bindIPv4(_ descriptor: Int32, _ host: String, _ port: UInt16) -> UInt16? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
    guard bind(descriptor, &address) else { return nil }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func bindIPv6(_ descriptor: Int32, _ host: String, _ port: UInt16) -> UInt16? {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
    guard bind(descriptor, &address) else { return nil }
    return UInt16(bigEndian: address.sin6_port)
  }

  /// Binds the socket and replaces the address with the actual one.
  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    var size = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Glibc)
          Glibc.bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        #elseif canImport(Musl)
          Musl.bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        #else
          Darwin.bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        #endif
      }
    }
  }
}

/// A connection of a browser; it closes with the last reference.
///
/// Only one thread may use it.
final class LoopbackConnection {
  /// How long a browser may take for its request.
  private static let timeout: Duration = .seconds(10)

  let descriptor: Int32
  let deadline: ContinuousClock.Instant
  /// The bytes of the request so far.
  private(set) var received: [UInt8] = []

  /// Accepts a connection; nil if the browser has closed it already.
  init?(at listener: Int32) {
    let accepted = accept(listener, nil, nil)
    guard accepted >= 0 else { return nil }
    LoopbackSocket.prepare(accepted)
    descriptor = accepted
    deadline = .now + Self.timeout
  }

  deinit { close(descriptor) }

  /// Reads what has arrived; returns whether more may follow.
  func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    received += buffer.prefix(count)
    return count > 0
  }

  /// Sends a response that fits the buffer of a new connection, and ends the output.
  func respond(with bytes: [UInt8]) {
    #if canImport(Darwin)
      _ = send(descriptor, bytes, bytes.count, 0)
    #else
      _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
    shutdown(descriptor, Int32(SHUT_WR))
  }
}
