#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A pipe to itself, which ends another thread's wait.
final class WakePipe: Sendable {
  /// The end to wait on: readable after ``wake()`` until ``drain()``.
  let descriptor: Int32
  private let writingEnd: Int32

  init() throws(TerminalError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let code = errno
      throw TerminalError(
        .failed, message: "No pipe could be opened (error \(code)).", systemCode: code)
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    descriptor = ends[0]
    writingEnd = ends[1]
  }

  deinit {
    close(descriptor)
    close(writingEnd)
  }

  func wake() {
    // A full pipe wakes as well as a byte more would.
    _ = withUnsafeBytes(of: UInt8(0)) { write(writingEnd, $0.baseAddress, 1) }
  }

  func drain() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
