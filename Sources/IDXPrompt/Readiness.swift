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
    try wait(reading: descriptors, writing: [], polling: false)
  }

  /// Blocks until the descriptor can be written to, or has failed.
  static func waitToWrite(_ descriptor: Int32) throws(TerminalError) {
    try wait(reading: [], writing: [descriptor], polling: false)
  }

  /// Whether the descriptor can be read from at once, or has ended.
  static func canRead(_ descriptor: Int32) throws(TerminalError) -> Bool {
    try wait(reading: [descriptor], writing: [], polling: true) > 0
  }

  @discardableResult
  private static func wait(
    reading: [Int32], writing: [Int32], polling: Bool
  ) throws(TerminalError) -> Int32 {
    let highest = (reading + writing).max() ?? 0
    while true {
      var readSet = set(of: reading)
      var writeSet = set(of: writing)
      var atOnce = timeval(tv_sec: 0, tv_usec: 0)
      let count =
        polling
        ? select(highest + 1, &readSet, &writeSet, nil, &atOnce)
        : select(highest + 1, &readSet, &writeSet, nil, nil)
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
