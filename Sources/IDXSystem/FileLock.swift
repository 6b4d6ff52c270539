#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock on a file, which one holder at a time has, in this process or another.
///
/// The file is only there to be locked: it is never deleted, because a lock on a deleted file
/// excludes nobody. The lock ends with the process that holds it.
package enum FileLock {
  /// Somebody else held the lock for as long as there was to wait.
  package struct Held: Error {}

  /// Runs the body while it holds the lock on a file of an open folder, which is made where it is
  /// missing.
  ///
  /// Waits for its turn, but not for longer than the timeout; cancelling the task ends the wait.
  /// Throws ``Held``, ``SystemFailure``, `CancellationError`, or what the body throws.
  package static func hold<Result: Sendable>(
    _ name: String, in folder: Int32, timeout: Duration,
    _ body: () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let flags = O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let descriptor = openat(folder, name, flags, 0o600)
    guard descriptor >= 0 else { throw SystemFailure(call: "open", code: errno) }
    defer { close(descriptor) }
    try await lock(descriptor, timeout: timeout)
    // Unlocked by name too: a program that is being started right now has the descriptor as well.
    defer { flock(descriptor, LOCK_UN) }
    return try await body()
  }

  /// Tries again and again instead of blocking, because a task must not hold its thread, and because
  /// a blocked call cannot be cancelled.
  private static func lock(_ descriptor: Int32, timeout: Duration) async throws {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: timeout)
    var pause = Duration.milliseconds(1)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      guard code == EWOULDBLOCK else { throw SystemFailure(call: "flock", code: code) }
      guard clock.now < end else { throw Held() }
      try await clock.sleep(until: min(end, clock.now.advanced(by: pause)))
      pause = min(pause * 2, .milliseconds(50))
    }
  }
}
