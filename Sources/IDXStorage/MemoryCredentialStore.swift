public import IDXOAuth

/// Stores credentials in memory, for tests, previews and servers.
public actor MemoryCredentialStore: CredentialStore {
  /// `the memory of this process`.
  public nonisolated let location = "the memory of this process"

  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private let timeout: Duration
  private var credentials: [Credential.ID: Credential] = [:]
  private var current: Credential.ID?
  /// The tasks that wait for the lock of an ID, in order of arrival; nil while the lock is free.
  private var queues: [Credential.ID: [Waiter]] = [:]
  /// How many tasks have waited so far.
  private(set) var waiterCount = 0

  /// Creates an empty store.
  ///
  /// `timeout` is how long to wait for a lock; 60 seconds by default.
  public init(timeout: Duration = .seconds(60)) {
    self.timeout = timeout
  }

  /// All credentials, in no particular order.
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

  /// The ID of the current credential; nil if there is none.
  public func currentID() -> Credential.ID? { current }

  /// Makes a credential the current one.
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
    try await lock(id)
    defer { unlock(id) }
    return try await body()
  }

  private func lock(_ id: Credential.ID) async throws {
    try Task.checkCancellation()
    guard queues[id] != nil else {
      queues[id] = []
      return
    }
    waiterCount += 1
    let number = waiterCount
    let timer = Task { [timeout] in
      try await Task.sleep(for: timeout)
      self.removeWaiter(
        number, from: id,
        throwing: CredentialStoreError(
          .busy,
          "Another task has been using the credential for more than \(timeout.inWords). Try again "
            + "later."))
    }
    defer { timer.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queues[id]?.append(Waiter(number: number, continuation: continuation))
      }
    } onCancel: {
      Task { await self.removeWaiter(number, from: id, throwing: CancellationError()) }
    }
  }

  /// Gives the lock to the task that has waited longest.
  private func unlock(_ id: Credential.ID) {
    guard var queue = queues[id], !queue.isEmpty else {
      queues[id] = nil
      return
    }
    let next = queue.removeFirst()
    queues[id] = queue
    next.continuation.resume()
  }

  /// Ends the wait of a task, unless it has got the lock meanwhile.
  private func removeWaiter(
    _ number: Int, from id: Credential.ID, throwing error: any Error
  ) {
    guard let index = queues[id]?.firstIndex(where: { $0.number == number }) else { return }
    queues[id]?.remove(at: index).continuation.resume(throwing: error)
  }
}
