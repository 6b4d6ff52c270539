#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Waiting until descriptors can be read from or written to.
///
/// It uses `select`, because `poll` of macOS does not take `/dev/tty`. Descriptors are therefore to be
/// below ``limit``.
enum Readiness {
  /// The first descriptor that cannot be waited for.
  static let limit = Int32(FD_SETSIZE)

  /// Blocks until one of the descriptors can be read from, has ended or has failed.
  static func waitToRead(_ descriptors: [Int32]) throws(TerminalError) {
    try wait(reading: descriptors, writing: [], within: nil)
  }

  /// Blocks until the descriptor can be written to, or has failed.
  static func waitToWrite(_ descriptor: Int32) throws(TerminalError) {
    try wait(reading: [], writing: [descriptor], within: nil)
  }

  /// Whether the descriptor can be read from, or has ended, within so many milliseconds.
  static func canRead(
    _ descriptor: Int32, within milliseconds: Int32 = 0
  ) throws(TerminalError) -> Bool {
    try wait(reading: [descriptor], writing: [], within: milliseconds) > 0
  }

  @discardableResult
  private static func wait(
    reading: [Int32], writing: [Int32], within milliseconds: Int32?
  ) throws(TerminalError) -> Int32 {
    let highest = (reading + writing).max() ?? 0
    while true {
      var readSet = set(of: reading)
      var writeSet = set(of: writing)
      let count: Int32
      if let milliseconds {
        var time = timeval()
        time.tv_sec = numericCast(milliseconds / 1000)
        time.tv_usec = numericCast(milliseconds % 1000 * 1000)
        count = select(highest + 1, &readSet, &writeSet, nil, &time)
      } else {
        count = select(highest + 1, &readSet, &writeSet, nil, nil)
      }
      if count >= 0 { return count }
      let code = errno
      if code != EINTR {
        throw TerminalError(
          .failed, message: "Waiting for the terminal failed (error \(code)).", systemCode: code)
      }
    }
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
