import Expectations
import IDXOAuth
import IDXStorage
import IDXTesting
import Testing

@Suite("CredentialStoreContract", .timeLimit(.minutes(10)))
struct CredentialStoreContractTests {
  @Test("A store that violates the contract is detected")
  func violations() async throws {
    let broken: [(@Sendable () -> any CredentialStore, Int)] = [
      // How many checks of the lock fail depends on the machine.
      ({ EmptyStore() }, 12), ({ UnlockedStore() }, 1),
    ]
    for (makeStore, minimum) in broken {
      var violations = 0
      for check in CredentialStoreContract.checks {
        do {
          try await check.run(on: makeStore())
        } catch is CredentialStoreContract.Violation {
          violations += 1
        }
      }
      expect(violations >= minimum)
    }
  }
}

/// A store that saves nothing.
private struct EmptyStore: CredentialStore {
  let location = "nowhere"
  func entries() -> [StoredCredential] { [] }
  func credential(_ id: Credential.ID) -> Credential? { nil }
  func save(_ credential: Credential) {}
  func remove(_ id: Credential.ID) {}
  func currentID() -> Credential.ID? { nil }
  func makeCurrent(_ id: Credential.ID) {}
  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await body()
  }
}

/// A store that does not lock.
private struct UnlockedStore: CredentialStore {
  let store = MemoryCredentialStore(timeout: patience)
  let location = "the memory"
  func entries() async -> [StoredCredential] { await store.entries() }
  func credential(_ id: Credential.ID) async -> Credential? { await store.credential(id) }
  func save(_ credential: Credential) async { await store.save(credential) }
  func remove(_ id: Credential.ID) async { await store.remove(id) }
  func currentID() async -> Credential.ID? { await store.currentID() }
  func makeCurrent(_ id: Credential.ID) async throws { try await store.makeCurrent(id) }
  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await body()
  }
}
