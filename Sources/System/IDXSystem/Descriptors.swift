#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A system call that failed.
package struct SystemFailure: Error, Hashable, CustomStringConvertible {
  /// The name of the call, such as `open`.
  package let call: String
  /// The system's error code (`errno`).
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call) failed: \(String(cString: strerror(code)))" }
}

// MARK: - Reading and writing

/// Reads an open file to its end, but not much more than the limit.
///
/// If the result is longer than the limit, the file is too.
package func readAll(of descriptor: Int32, limit: Int) throws(SystemFailure) -> [UInt8] {
  var bytes: [UInt8] = []
  while bytes.count <= limit {
    let more = try readSome(of: descriptor)
    if more.isEmpty { break }
    bytes += more
  }
  return bytes
}

/// Waits for bytes and returns at most 16 KiB; empty at the end.
package func readSome(of descriptor: Int32) throws(SystemFailure) -> [UInt8] {
  while true {
    var (result, code) = (0, Int32(0))
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
      result = read(descriptor, buffer.baseAddress, buffer.count)
      code = errno
      count = max(result, 0)
    }
    if result >= 0 { return bytes }
    if code != EINTR { throw SystemFailure(call: "read", code: code) }
  }
}

/// Writes all bytes to an open file, a terminal or a pipe, and waits whenever it is not ready.
///
/// Returns the system's error code; nil if everything was written.
package func write(all bytes: [UInt8], to descriptor: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
      continue
    }
    switch errno {
    case EINTR: continue
    case EAGAIN:
      guard (try? Readiness.wait(writing: [descriptor])) != nil else { return EAGAIN }
    case let code: return code
    }
  }
  return nil
}

/// Writes all bytes as ``write(all:to:)`` does; if the other end of a pipe is closed, that does not end the process.
package func writeIgnoringClosedPipe(all bytes: [UInt8], to descriptor: Int32) -> Int32? {
  var (pipe, earlier, pending) = (sigset_t(), sigset_t(), sigset_t())
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  sigpending(&pending)
  let wasPending = sigismember(&pending, SIGPIPE) == 1
  pthread_sigmask(SIG_BLOCK, &pipe, &earlier)
  let code = write(all: bytes, to: descriptor)
  if code == EPIPE, !wasPending {
    // The signal is for this thread, and waits until it is unblocked.
    sigpending(&pending)
    var signal: Int32 = 0
    if sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipe, &signal) }
  }
  pthread_sigmask(SIG_SETMASK, &earlier, nil)
  return code
}

// MARK: - Waiting

/// Waits until descriptors can be read from or written to.
///
/// It uses `poll`, and on Apple platforms `select`, because `poll` does not support `/dev/tty` there.
/// Descriptors must be less than ``limit``.
package enum Readiness {
  /// Blocks until one of the descriptors can be read from, is at its end or has failed.
  package static func waitToRead(_ descriptors: [Int32]) throws(SystemFailure) {
    try wait(reading: descriptors)
  }

  /// Whether the descriptor can be read from, or is at its end, within this number of milliseconds.
  package static func canRead(
    _ descriptor: Int32, within milliseconds: Int32 = 0
  ) throws(SystemFailure) -> Bool {
    try wait(reading: [descriptor], within: milliseconds) > 0
  }

  /// Blocks until a descriptor is ready or has failed; returns how many are, 0 after the time.
  @discardableResult
  fileprivate static func wait(
    reading: [Int32] = [], writing: [Int32] = [], within milliseconds: Int32? = nil
  ) throws(SystemFailure) -> Int32 {
    while true {
      let count = select(reading, writing, within: milliseconds)
      if count >= 0 { return count }
      let code = errno
      if code != EINTR { throw SystemFailure(call: "poll", code: code) }
    }
  }

  #if canImport(Darwin)
    /// The smallest descriptor that cannot be waited for.
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

    // The macros FD_SET and FD_ZERO are not available in Swift.
    private static func set(of descriptors: [Int32]) -> fd_set {
      var set = fd_set()
      withUnsafeMutableBytes(of: &set) { bytes in
        for descriptor in descriptors where descriptor >= 0 && descriptor < limit {
          bytes[Int(descriptor) / 8] |= 1 << UInt8(descriptor % 8)
        }
      }
      return set
    }
  #else
    /// The smallest descriptor that cannot be waited for.
    package static let limit = Int32.max

    private static func select(
      _ reading: [Int32], _ writing: [Int32], within milliseconds: Int32?
    ) -> Int32 {
      var entries =
        reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        + writing.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
      return poll(&entries, nfds_t(entries.count), milliseconds ?? -1)
    }
  #endif
}

// MARK: - Pipes

/// A pipe from the process to itself: a thread or a signal handler ends the wait of another thread.
package final class SelfPipe: Sendable {
  /// The end to wait on: it can be read from after ``send(_:)``, until ``drain()``.
  package let descriptor: Int32
  private let writeEnd: Int32

  /// Opens the pipe.
  package init() throws(SystemFailure) {
    (descriptor, writeEnd) = try openPipe()
    for end in [descriptor, writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(descriptor)
    close(writeEnd)
  }

  /// Sends a byte.
  ///
  /// If the pipe is full, it does nothing, because the other end is readable already. Safe in a signal
  /// handler.
  package func send(_ byte: UInt8) {
    let earlier = errno
    _ = withUnsafeBytes(of: byte) { write(writeEnd, $0.baseAddress, 1) }
    errno = earlier
  }

  /// Returns the bytes that were sent since the last call, the oldest first.
  @discardableResult
  package func drain() -> [UInt8] {
    var drained: [UInt8] = []
    while let bytes = try? readSome(of: descriptor), !bytes.isEmpty { drained += bytes }
    return drained
  }
}

/// Opens a pipe that programs do not inherit.
func openPipe() throws(SystemFailure) -> (readEnd: Int32, writeEnd: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { throw SystemFailure(call: "pipe", code: errno) }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}
