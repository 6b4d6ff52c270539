import IDXTesting
import IDXOAuth
import Testing

@testable import IDXStorage

@Suite("What every store owes", .timeLimit(.minutes(5)))
struct ContractTests {
  @Test("The store in memory keeps the contract", arguments: CredentialStoreContract.checks)
  func memory(check: CredentialStoreContract.Check) async throws {
    try await check.run(on: MemoryCredentialStore())
  }

  @Test("The store of files keeps the contract", arguments: CredentialStoreContract.checks)
  func files(check: CredentialStoreContract.Check) async throws {
    let sample = try FileStoreSample()
    try await check.run(on: sample.store)
  }

  @Test("A store that breaks the contract is found out")
  func violations() async throws {
    let broken: [(@Sendable () -> any CredentialStore, Int)] = [
      // How many of its races are lost depends on the machine.
      ({ ForgetfulStore() }, 12), ({ LockFreeStore() }, 1),
    ]
    for (makeStore, least) in broken {
      var violations = 0
      for check in CredentialStoreContract.checks {
        do {
          try await check.run(on: makeStore())
        } catch is CredentialStoreContract.Violation {
          violations += 1
        }
      }
      #expect(violations >= least)
    }
  }
}

/// Keeps nothing.
private struct ForgetfulStore: CredentialStore {
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

/// Keeps nobody out.
private struct LockFreeStore: CredentialStore {
  let store = MemoryCredentialStore()
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
