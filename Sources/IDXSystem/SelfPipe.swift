#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A pipe from the process to itself, by which one thread, or a signal handler, ends another's wait.
package final class SelfPipe: Sendable {
  /// The end to wait on: readable after ``send(_:)`` until ``drain()``.
  package let descriptor: Int32
  private let writingEnd: Int32

  package init() throws(SystemFailure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw SystemFailure(call: "pipe", code: errno)
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

  /// Sends a byte, unless the pipe is full, when it is readable anyway.
  ///
  /// Safe in a signal handler.
  package func send(_ byte: UInt8) {
    let earlier = errno
    _ = withUnsafeBytes(of: byte) { write(writingEnd, $0.baseAddress, 1) }
    errno = earlier
  }

  /// The bytes sent since the last time, the oldest first.
  @discardableResult
  package func drain() -> [UInt8] {
    var drained: [UInt8] = []
    while true {
      let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
        count = max(read(descriptor, buffer.baseAddress, buffer.count), 0)
      }
      if bytes.isEmpty { return drained }
      drained += bytes
    }
  }
}
