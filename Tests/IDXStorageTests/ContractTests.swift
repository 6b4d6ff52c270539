import Expectations
import IDXOAuth
import IDXTesting
import Testing

@testable import IDXStorage

@Suite("The contract of credential stores", .timeLimit(.minutes(10)))
struct ContractTests {
  @Test(
    "A store in memory, and one in files, fulfill the contract",
    arguments: CredentialStoreContract.checks, [true, false])
  func contract(check: CredentialStoreContract.Check, inMemory: Bool) async throws {
    guard !inMemory else {
      return try await check.run(on: MemoryCredentialStore(timeout: patience))
    }
    let sample = try FileStoreSample()
    try await check.run(on: sample.store)
  }

  @Test("Stores in memory and in files, and their entries, do not show a token")
  func redaction() async throws {
    let memory = MemoryCredentialStore()
    let sample = try FileStoreSample()
    for store in [memory, sample.store] as [any CredentialStore] {
      try await store.save(.sample())
      expectNoToken(in: store)
      try await expectNoToken(in: store.entries())
    }
  }
}

@Suite("MemoryCredentialStore", .timeLimit(.minutes(10)))
struct MemoryStoreTests {
  private let id = Credential.sample().id

  @Test("Waiting tasks get the lock in order of arrival")
  func order() async throws {
    let store = MemoryCredentialStore(timeout: patience)
    let turns = Turns()
    try await store.withLock(on: id) {
      for number in 0..<20 {
        let count = await store.waiterCount
        await turns.start { [id] in
          try await store.withLock(on: id) { await turns.record(number) }
        }
        while await store.waiterCount == count { await Task.yield() }
      }
    }
    try await turns.finish()
    await expectEqual(turns.order, Array(0..<20))
  }

  @Test("Waiting longer than the timeout throws busy, and the lock can be used afterwards")
  func timeout() async throws {
    let store = MemoryCredentialStore(timeout: .milliseconds(10), sleep: { _ in })
    try await store.withLock(on: id) { [id] in
      let error = try await storeError { try await store.withLock(on: id) {} }
      expectEqual(error?.code, .busy)
    }
    try await store.withLock(on: id) {}
  }

  @Test("A task that is cancelled just before the lock is free does not get it")
  func cancelledTurn() async throws {
    let store = MemoryCredentialStore(timeout: patience)
    let (turns, id) = (Turns(), id)
    let task = try await store.withLock(on: id) {
      let task = Task { try await store.withLock(on: id) { await turns.record(1) } }
      while await store.waiterCount == 0 { await Task.yield() }
      task.cancel()
      return task
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await store.withLock(on: id) { await turns.record(2) }
    await expectEqual(turns.order, [2])
  }
}

/// Tasks, and the order in which they got the lock.
private actor Turns {
  private(set) var order: [Int] = []
  private var tasks: [Task<Void, any Error>] = []

  func start(_ body: @escaping @Sendable () async throws -> Void) {
    tasks.append(Task { try await body() })
  }

  func record(_ number: Int) { order.append(number) }

  func finish() async throws {
    for task in tasks { try await task.value }
  }
}
