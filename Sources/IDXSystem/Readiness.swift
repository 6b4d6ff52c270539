#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Waiting until descriptors can be read from or written to.
///
/// It uses `poll`, and on Apple platforms `select`, because `poll` does not take `/dev/tty` there;
/// descriptors are therefore to be below ``limit``.
package enum Readiness {
  /// Blocks until one of the descriptors can be read from, has ended or has failed.
  package static func waitToRead(_ descriptors: [Int32]) throws(SystemFailure) {
    try wait(reading: descriptors, writing: [], within: nil)
  }

  /// Blocks until the descriptor can be written to, or has failed.
  package static func waitToWrite(_ descriptor: Int32) throws(SystemFailure) {
    try wait(reading: [], writing: [descriptor], within: nil)
  }

  /// Whether the descriptor can be read from, or has ended, within so many milliseconds.
  package static func canRead(
    _ descriptor: Int32, within milliseconds: Int32 = 0
  ) throws(SystemFailure) -> Bool {
    try wait(reading: [descriptor], writing: [], within: milliseconds) > 0
  }

  @discardableResult
  private static func wait(
    reading: [Int32], writing: [Int32], within milliseconds: Int32?
  ) throws(SystemFailure) -> Int32 {
    while true {
      let count = select(reading, writing, within: milliseconds)
      if count >= 0 { return count }
      let code = errno
      if code != EINTR { throw SystemFailure(call: "poll", code: code) }
    }
  }
}

#if canImport(Darwin)
  extension Readiness {
    /// The first descriptor that cannot be waited for.
    package static let limit = Int32(FD_SETSIZE)

    private static func select(
      _ reading: [Int32], _ writing: [Int32], within milliseconds: Int32?
    ) -> Int32 {
      let highest = (reading + writing).max() ?? 0
      var readSet = set(of: reading)
      var writeSet = set(of: writing)
      guard let milliseconds else {
        return Darwin.select(highest + 1, &readSet, &writeSet, nil, nil)
      }
      var time = timeval()
      time.tv_sec = numericCast(milliseconds / 1000)
      time.tv_usec = numericCast(milliseconds % 1000 * 1000)
      return Darwin.select(highest + 1, &readSet, &writeSet, nil, &time)
    }

    // The macros FD_SET and FD_ZERO do not reach Swift.
    private static func set(of descriptors: [Int32]) -> fd_set {
      var set = fd_set()
      withUnsafeMutableBytes(of: &set) { bytes in
        for descriptor in descriptors where descriptor >= 0 && descriptor < limit {
          bytes[Int(descriptor) / 8] |= 1 << UInt8(descriptor % 8)
        }
      }
      return set
    }
  }
#else
  extension Readiness {
    /// The first descriptor that cannot be waited for.
    package static let limit = Int32.max

    private static func select(
      _ reading: [Int32], _ writing: [Int32], within milliseconds: Int32?
    ) -> Int32 {
      var entries =
        reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        + writing.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
      return poll(&entries, nfds_t(entries.count), milliseconds ?? -1)
    }
  }
#endif
