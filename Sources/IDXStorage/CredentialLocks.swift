import IDXOAuth
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Locks between processes: files of a private folder, one for each credential.
struct CredentialLocks: Sendable {
  let folder: String
  /// How long to wait for a lock.
  let timeout: Duration

  /// Runs the body while no other task or process runs one for the credential.
  func hold<Result: Sendable>(
    _ id: Credential.ID, _ body: () async throws -> Result
  ) async throws -> Result {
    try await hold(name: id.storageName, body)
  }

  /// Runs the body while no other task or process changes the store.
  ///
  /// Finishes even if the task is cancelled, because otherwise a new refresh token would be lost.
  func change<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    // A new task is not cancelled together with this one.
    try await Task { try await hold(name: "store", body) }.value
  }

  private func hold<Result: Sendable>(
    name: String, _ body: () async throws -> Result
  ) async throws -> Result {
    let folder = try PrivateFolder.openOrCreate(folder)
    defer { folder.close() }
    let file = "\(name).lock"
    do {
      return try await FileLock.hold(file, in: folder.descriptor, timeout: timeout, body)
    } catch is FileLock.Busy {
      throw CredentialStoreError(
        .busy,
        "Another process has been using the credential for more than \(timeout.inWords). End it, or "
          + "try again later.")
    } catch let failure as SystemFailure {
      throw CredentialStoreError.unwritable(folder.path(of: file), failure.code)
    }
  }
}

/// A lock on a file, for one holder at a time in all processes.
///
/// The file only serves as a lock. It is never deleted, because a lock on a deleted file excludes
/// nobody. The lock ends with the process that holds it.
private enum FileLock {
  /// The timeout passed while another holder had the lock.
  struct Busy: Error {}

  /// Runs the body while it holds the lock on a file in an open folder; creates the file if it is
  /// missing.
  ///
  /// Waits no longer than the timeout. Throws ``Busy``, ``SystemFailure``, `CancellationError`, or what
  /// the body throws.
  static func hold<Result: Sendable>(
    _ name: String, in folder: Int32, timeout: Duration,
    _ body: () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let flags = O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let descriptor = openat(folder, name, flags, 0o600)
    guard descriptor >= 0 else { throw SystemFailure(call: "open", code: errno) }
    defer { close(descriptor) }
    try await lock(descriptor, timeout: timeout)
    // Closing alone may not unlock: a program that is just being started has a copy of the descriptor.
    defer { flock(descriptor, LOCK_UN) }
    return try await body()
  }

  /// Tries again and again, because a task must not block its thread, and because a blocked call cannot
  /// be cancelled.
  private static func lock(_ descriptor: Int32, timeout: Duration) async throws {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: timeout)
    var pause = Duration.milliseconds(1)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      guard code == EWOULDBLOCK else { throw SystemFailure(call: "flock", code: code) }
      guard clock.now < end else { throw Busy() }
      try await clock.sleep(until: min(end, clock.now.advanced(by: pause)))
      pause = min(pause * 2, .milliseconds(50))
    }
  }
}
