import IDXOAuth
import IDXSystem

/// Locks between processes: files of a private folder, one for each credential.
struct CredentialLocks: Sendable {
  let folder: String
  /// How long to wait for a turn.
  let timeout: Duration

  /// Runs the body while nobody else runs one for the credential.
  func hold<Result: Sendable>(
    _ id: Credential.ID, _ body: () async throws -> Result
  ) async throws -> Result {
    try await hold(name: id.storageName, body)
  }

  /// Runs the body while nobody else changes the store.
  ///
  /// It goes to its end also where the task was cancelled: tokens that were just exchanged for others
  /// would be lost otherwise.
  func change<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    // A task of its own is not cancelled with this one.
    try await Task { try await hold(name: "store", body) }.value
  }

  private func hold<Result: Sendable>(
    name: String, _ body: () async throws -> Result
  ) async throws -> Result {
    let folder = try PrivateFolder.make(folder)
    defer { folder.close() }
    let file = "\(name).lock"
    do {
      return try await FileLock.hold(file, in: folder.descriptor, timeout: timeout, body)
    } catch is FileLock.Held {
      throw CredentialStoreError(
        .busy,
        "Another process has been using the credential for more than \(timeout.inWords). End it, or "
          + "try again later.")
    } catch let failure as SystemFailure {
      throw CredentialStoreError.unwritable(folder.path(of: file), failure.code)
    }
  }
}

extension Duration {
  /// The time in seconds, for an error.
  var inWords: String {
    let seconds = self / .seconds(1)
    return seconds == 1 ? "1 second" : seconds < 1 ? "a moment" : "\(Int(seconds)) seconds"
  }
}
