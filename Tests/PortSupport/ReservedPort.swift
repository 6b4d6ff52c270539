#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A port of 127.0.0.1 that the system gives to nobody else as long as this object lives.
///
/// A socket that is bound to its number can listen there. When it ends, the port refuses connections, so that
/// no other test is reached. On Apple systems two sockets cannot share a port: there it is only a port that was
/// free at first.
package final class ReservedPort: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let number: Int
  private let descriptor: Int32

  package init() throws {
    (descriptor, number) = try Self.bound(to: 0)
    #if canImport(Darwin)
      close(descriptor)
    #endif
  }

  #if !canImport(Darwin)
    deinit { close(descriptor) }
  #endif

  /// Binds a socket to a port of the loopback; 0 for a free one.
  package static func bound(to port: Int) throws -> (descriptor: Int32, port: Int) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if !canImport(Darwin)
      var isShared: Int32 = 1
      let length = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, length)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
    }
    guard result == 0 else {
      let code = errno
      close(descriptor)
      throw Failure(description: "no port (error \(code))")
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }
}
