public import IDXOAuth

/// Keeps credentials for as long as the process runs; for tests, previews and servers.
public actor MemoryCredentialStore: CredentialStore {
  /// The memory of the process, in words.
  public nonisolated let location = "the memory of this process"

  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private let timeout: Duration
  private var credentials: [Credential.ID: Credential] = [:]
  private var current: Credential.ID?
  /// Who waits for the lock of an id, the first to come first; nil where nobody has the lock.
  private var queues: [Credential.ID: [Waiter]] = [:]
  /// How many have waited so far.
  private(set) var waiterCount = 0

  /// An empty store.
  ///
  /// `timeout` is how long to wait for a lock, 60 seconds unless told.
  public init(timeout: Duration = .seconds(60)) {
    self.timeout = timeout
  }

  /// All credentials, in no particular order.
  public func entries() -> [StoredCredential] { credentials.values.map(StoredCredential.readable) }

  /// The credential of an id; nil where there is none.
  public func credential(_ id: Credential.ID) -> Credential? { credentials[id] }

  /// Keeps a credential, in the place of the one of the same id, if any.
  public func save(_ credential: Credential) { credentials[credential.id] = credential }

  /// Forgets a credential; where it is the current one, there is none then.
  public func remove(_ id: Credential.ID) {
    credentials[id] = nil
    if current == id { current = nil }
  }

  /// The id of the current credential; nil where there is none.
  public func currentID() -> Credential.ID? { current }

  /// Makes a credential the current one.
  public func makeCurrent(_ id: Credential.ID) throws {
    guard credentials[id] != nil else { throw CredentialStoreError.notFound }
    current = id
  }

  /// Runs a body while nobody else runs one for the same id; those who wait take turns in the order
  /// in which they came.
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
    let alarm = Task { [timeout] in
      try await Task.sleep(for: timeout)
      self.dismiss(
        number, from: id,
        CredentialStoreError(
          .busy, "Another task has been using the credential for more than \(timeout.inWords)."))
    }
    defer { alarm.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queues[id]?.append(Waiter(number: number, continuation: continuation))
      }
    } onCancel: {
      Task { await self.dismiss(number, from: id, CancellationError()) }
    }
  }

  /// Hands the lock to whoever has waited the longest.
  private func unlock(_ id: Credential.ID) {
    guard var queue = queues[id], !queue.isEmpty else {
      queues[id] = nil
      return
    }
    let next = queue.removeFirst()
    queues[id] = queue
    next.continuation.resume()
  }

  /// Ends the wait of one who has not been given the lock meanwhile.
  private func dismiss(_ number: Int, from id: Credential.ID, _ error: any Error) {
    guard let index = queues[id]?.firstIndex(where: { $0.number == number }) else { return }
    queues[id]?.remove(at: index).continuation.resume(throwing: error)
  }
}
