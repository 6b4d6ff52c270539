import Foundation
public import IDXOAuth
import IDXSystem

/// The locks of a store, between tasks and between processes: one for each credential, and one for the store.
///
/// Each is a file of a folder. The first lock creates the folder and its missing parents with mode 0700. If the
/// folder is a link, belongs to another owner or can be accessed by other users, a lock throws
/// ``/IDXOAuth/CredentialStoreError/Code/insecure``. A lock ends with the process that holds it.
///
///     try await locks.withStoreLock { try database.write(bytes, to: credential.id.storageName) }
public struct CredentialLocks: Sendable {
  private let folder: String
  private let timeout: Duration

  /// Creates the locks of a folder, which must be the same for all processes that use the store.
  ///
  /// `timeout` is how long to wait for a lock; 60 seconds by default.
  public init(folder: String, timeout: Duration = .seconds(60)) {
    self.folder = folder
    self.timeout = timeout
  }

  /// Runs a body while no other task or process runs one for the same ID, as
  /// ``/IDXOAuth/CredentialStore/withLock(on:_:)`` promises.
  ///
  /// The body may use ``withStoreLock(_:)``, but must not lock the same ID again. Throws `CancellationError` if the
  /// task is canceled while it waits, and ``/IDXOAuth/CredentialStoreError/Code/busy`` after the timeout.
  public func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: () async throws -> Result
  ) async throws -> Result {
    try await hold(id.storageName, body)
  }

  /// Runs a body that changes the store, while no other task or process changes it.
  ///
  /// Finishes even if the task is canceled, because otherwise a new refresh token would be lost. The body must not
  /// call it again. Throws ``/IDXOAuth/CredentialStoreError/Code/busy`` after the timeout.
  public func withStoreLock<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    // A new task is not cancelled together with this one.
    try await Task { try await hold("store", body) }.value
  }

  /// Runs the body while it holds the lock on a file, which ends with the process at the latest.
  ///
  /// The file is never deleted, because a lock on a deleted file excludes nobody.
  private func hold<Result: Sendable>(
    _ name: String, _ body: () async throws -> Result
  ) async throws -> Result {
    let folder = try PrivateFolder.openOrCreate(folder)
    defer { folder.close() }
    try Task.checkCancellation()
    let file = "\(name).lock"
    let flags = O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let descriptor = openat(folder.descriptor, file, flags, 0o600)
    guard descriptor >= 0 else {
      throw CredentialStoreError.unwritable(folder.path(of: file), errno)
    }
    defer { close(descriptor) }
    // The umask must not lock out the owner. On a read-only disk it fails, and the mode is right already.
    _ = fchmod(descriptor, 0o600)
    let isLocked = try await succeeds(within: timeout) {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else {
        throw CredentialStoreError.unwritable(folder.path(of: file), code)
      }
      return false
    }
    guard isLocked else {
      throw CredentialStoreError(
        .busy,
        "Another process has been using the credential for more than \(timeout.inWords). End it, or "
          + "try again later.")
    }
    // Closing alone may not unlock: a program that is just being started has a copy of the descriptor.
    defer { flock(descriptor, LOCK_UN) }
    return try await body()
  }
}

/// Tries again and again until an attempt returns true; returns false after the timeout.
///
/// A task must not block its thread, and a blocked call could not be canceled.
func succeeds(
  within timeout: Duration, isolation: isolated (any Actor)? = #isolation,
  _ attempt: () throws -> Bool
) async throws -> Bool {
  let clock = ContinuousClock()
  let end = clock.now.advanced(by: timeout)
  var pause = Duration.milliseconds(1)
  while try !attempt() {
    guard clock.now < end else { return false }
    try await clock.sleep(until: min(end, clock.now.advanced(by: pause)))
    pause = min(pause * 2, .milliseconds(50))
  }
  return true
}
