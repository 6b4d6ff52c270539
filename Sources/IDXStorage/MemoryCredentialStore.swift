import Foundation
public import IDXOAuth

/// Stores credentials in memory, for tests, previews and servers.
///
/// They are lost when the process ends, and other processes cannot see them.
public actor MemoryCredentialStore: CredentialStore {
  /// The words `the memory of this process`.
  public nonisolated let location = "the memory of this process"

  private let timeout: Duration
  private var credentials: [Credential.ID: Credential] = [:]
  private var current: Credential.ID?
  /// The tasks that want the lock of an ID, in order of arrival; the first one has it.
  private var queues: [Credential.ID: [UUID]] = [:]
  /// How many tasks have waited so far.
  private(set) var waiterCount = 0

  /// Creates an empty store.
  ///
  /// `timeout` is how long to wait for a lock; 60 seconds by default.
  public init(timeout: Duration = .seconds(60)) {
    self.timeout = timeout
  }

  /// All credentials, in no particular order; all are readable.
  public func entries() -> [StoredCredential] { credentials.values.map(StoredCredential.readable) }

  /// The credential with an ID; nil if there is none.
  public func credential(_ id: Credential.ID) -> Credential? { credentials[id] }

  /// Saves a credential and replaces the one with the same ID.
  public func save(_ credential: Credential) { credentials[credential.id] = credential }

  /// Removes a credential; if it is the current one, none is current afterwards.
  public func remove(_ id: Credential.ID) {
    credentials[id] = nil
    if current == id { current = nil }
  }

  /// The ID of the current credential; nil if none was chosen, or if it was removed.
  public func currentID() -> Credential.ID? { current }

  /// Makes a credential the current one.
  ///
  /// Throws ``/IDXOAuth/CredentialStoreError/Code/notFound`` if it is not in the store.
  public func makeCurrent(_ id: Credential.ID) throws {
    guard credentials[id] != nil else { throw CredentialStoreError.notFound }
    current = id
  }

  /// Runs a body while no other task runs one for the same ID.
  ///
  /// Waiting tasks get the lock in order of arrival.
  public func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let ticket = UUID()
    queues[id, default: []].append(ticket)
    defer {
      queues[id]?.removeAll { $0 == ticket }
      if queues[id] == [] { queues[id] = nil }
    }
    if queues[id]?.first != ticket { waiterCount += 1 }
    guard try await succeeds(within: timeout, { queues[id]?.first == ticket }) else {
      throw CredentialStoreError(
        .busy,
        "Another task has been using the credential for more than \(timeout.inWords). Try again "
          + "later.")
    }
    return try await body()
  }
}
