public import OAuth

/// Keeps credentials for as long as the process runs; for tests, previews and servers.
public actor MemoryCredentialStore: CredentialStore {
  public nonisolated let location = "the memory of this process"

  private var credentials: [Credential.ID: Credential] = [:]
  private var current: Credential.ID?

  /// An empty store.
  public init() {}
  public func entries() -> [StoredCredential] { credentials.values.map(StoredCredential.readable) }
  public func credential(_ id: Credential.ID) -> Credential? { credentials[id] }
  public func save(_ credential: Credential) { credentials[credential.id] = credential }
  public func remove(_ id: Credential.ID) {
    credentials[id] = nil
    if current == id { current = nil }
  }
  public func currentID() -> Credential.ID? { current }
  public func makeCurrent(_ id: Credential.ID) throws {
    guard credentials[id] != nil else {
      throw CredentialStoreError(.notFound, "There is no such credential.")
    }
    current = id
  }
  public func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await body()
  }
}
