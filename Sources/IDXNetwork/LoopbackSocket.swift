#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Opening sockets at loopback addresses.
enum LoopbackSocket {
  struct Failure: Error, CustomStringConvertible {
    let code: Int32

    /// Whether this machine lacks the address, as one without IPv6 does.
    var isAddressMissing: Bool { [EADDRNOTAVAIL, EAFNOSUPPORT].contains(code) }

    var description: String {
      switch code {
      case EADDRINUSE: "another program listens there."
      case EACCES: "the system lets no ordinary program take that port; one from 1024 up would do."
      default: "\(String(cString: strerror(code))) (error \(code))."
      }
    }
  }

  /// A socket that listens at an address and a port, or at any port that is free where that is 0.
  static func listening(
    at host: String, port: UInt16
  ) throws(Failure) -> (descriptor: Int32, port: UInt16) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let isIPv6 = host.contains(":")
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    prepare(descriptor)
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Else the port could not be taken again for some minutes after a browser was there.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if isIPv6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
    let bound = isIPv6 ? bindIPv6(descriptor, host, port) : bindIPv4(descriptor, host, port)
    guard let bound, listen(descriptor, 16) == 0 else {
      let code = errno
      close(descriptor)
      throw Failure(code: code)
    }
    return (descriptor, bound)
  }

  /// Keeps a socket from blocking and from reaching other programs, the browser among them.
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

  /// Binds the socket, and puts the address that it got in the place of the one that was wanted.
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
