import Foundation
import IDXFlow
import IDXStorage

/// Stores credentials as the rows of a table, here a dictionary.
///
/// Only this process uses it. A table that others use too needs locks of its own: `CredentialLocks`.
actor TableStore: CredentialStore {
  nonisolated let location = "the table of credentials"

  private var rows: [Credential.ID: Data] = [:]
  private var current: Credential.ID?
  // A store in memory has the locks that this one needs.
  private let locks = MemoryCredentialStore(timeout: .seconds(3600))

  func entries() -> [StoredCredential] { rows.keys.map(entry) }

  func credential(_ id: Credential.ID) throws -> Credential? {
    rows[id] == nil ? nil : try read(id)
  }

  func save(_ credential: Credential) throws {
    // A row that cannot be read is not overwritten.
    _ = try self.credential(credential.id)
    rows[credential.id] = try JSONEncoder().encode(credential)
  }

  func remove(_ id: Credential.ID) {
    rows[id] = nil
    if current == id { current = nil }
  }

  func currentID() -> Credential.ID? { current }

  func makeCurrent(_ id: Credential.ID) throws {
    guard rows[id] != nil else {
      throw CredentialStoreError(.notFound, "There is no such credential.")
    }
    current = id
  }

  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await locks.withLock(on: id, body)
  }

  private func entry(_ id: Credential.ID) -> StoredCredential {
    do { return .readable(try read(id)) } catch { return .unreadable(error) }
  }

  private func read(_ id: Credential.ID) throws(CredentialStoreError) -> Credential {
    do { return try JSONDecoder().decode(Credential.self, from: rows[id] ?? Data()) } catch {
      throw CredentialStoreError(.damaged, "A row of \(location) cannot be read.")
    }
  }
}
