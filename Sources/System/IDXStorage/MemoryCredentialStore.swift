public import IDXOAuth

/// Stores credentials in memory, for tests, previews and servers.
///
/// They are lost when the process ends, and other processes cannot see them.
public actor MemoryCredentialStore: CredentialStore {
  /// The words `the memory of this process`.
  public nonisolated let location = "the memory of this process"

  private let timeout: Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private var credentials: [Credential.ID: Credential] = [:]
  private var current: Credential.ID?
  /// The IDs whose lock a task has, each with the tasks that wait for it, in order of arrival.
  private var waiters: [Credential.ID: [Waiter]] = [:]
  /// How many tasks have waited so far.
  private(set) var waiterCount = 0

  private struct Waiter {
    let number: Int
    let turn: CheckedContinuation<Void, any Error>
  }

  /// Creates an empty store.
  ///
  /// `timeout` is how long to wait for a lock; 60 seconds by default.
  public init(timeout: Duration = .seconds(60)) {
    self.init(timeout: timeout, sleep: { try await Task.sleep(for: $0) })
  }

  /// Creates an empty store that waits for the timeout with `sleep`, for tests.
  package init(
    timeout: Duration = .seconds(60), sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.timeout = timeout
    self.sleep = sleep
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
    if waiters[id] == nil { waiters[id] = [] } else { try await waitForTurn(id) }
    defer { passOn(id) }
    // The task may have been canceled at the moment when it got the lock.
    try Task.checkCancellation()
    return try await body()
  }

  /// Waits until the task before this one passes the lock on.
  private func waitForTurn(_ id: Credential.ID) async throws {
    waiterCount += 1
    let number = waiterCount
    let timer = Task { [sleep, timeout] in
      try await sleep(timeout)
      endWait(
        number, of: id,
        CredentialStoreError(
          .busy,
          "Another task has been using the credential for more than \(timeout.inWords). Try again "
            + "later."))
    }
    defer { timer.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { turn in
        waiters[id]?.append(Waiter(number: number, turn: turn))
      }
    } onCancel: {
      // It runs after the waiter was added, because until then the actor is busy.
      Task { await endWait(number, of: id, CancellationError()) }
    }
  }

  /// Ends the wait of a task with an error, unless it has the lock by now.
  private func endWait(_ number: Int, of id: Credential.ID, _ error: any Error) {
    guard let index = waiters[id]?.firstIndex(where: { $0.number == number }) else { return }
    waiters[id]?.remove(at: index).turn.resume(throwing: error)
  }

  /// Gives the lock to the next task, or frees it.
  private func passOn(_ id: Credential.ID) {
    if waiters[id]?.isEmpty == false {
      waiters[id]?.removeFirst().turn.resume()
    } else {
      waiters[id] = nil
    }
  }
}
