import IDXStorage
import IDXOAuth

/// A store that can be written to so many times; below zero nothing can be removed either.
actor FullStore: CredentialStore {
  nonisolated let location = "a full store"
  private let inner: MemoryCredentialStore
  private var room: Int
  init(_ inner: MemoryCredentialStore, room: Int) {
    self.inner = inner
    self.room = room
  }
  func setRoom(_ room: Int) { self.room = room }
  func entries() async -> [StoredCredential] { await inner.entries() }
  func credential(_ id: Credential.ID) async -> Credential? { await inner.credential(id) }
  func save(_ credential: Credential) async throws {
    guard room > 0 else { throw CredentialStoreError(.notWritable, "The disk is full.") }
    room -= 1
    await inner.save(credential)
  }
  func remove(_ id: Credential.ID) async throws {
    guard room >= 0 else { throw CredentialStoreError(.notWritable, "It is not permitted.") }
    await inner.remove(id)
  }
  func currentID() async -> Credential.ID? { await inner.currentID() }
  func makeCurrent(_ id: Credential.ID) async throws { try await inner.makeCurrent(id) }
  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result { try await inner.withLock(on: id, body) }
}
