import IDXOAuth
import Testing

@testable import IDXStorage

@Suite("The store in memory", .timeLimit(.minutes(5)))
struct MemoryStoreTests {
  private let id = Credential.sample().id

  @Test("Those who wait for a lock get it in the order in which they came")
  func order() async throws {
    let store = MemoryCredentialStore()
    let turns = Turns()
    try await store.withLock(on: id) {
      for number in 0..<20 {
        let waiting = await store.waiterCount
        await turns.start { [id] in
          try await store.withLock(on: id) { await turns.take(number) }
        }
        while await store.waiterCount == waiting { await Task.yield() }
      }
    }
    try await turns.finish()
    #expect(await turns.taken == Array(0..<20))
  }

  @Test("Waiting for longer than the timeout throws that it is busy, and the lock stays in order")
  func timeout() async throws {
    let store = MemoryCredentialStore(timeout: .milliseconds(10))
    try await store.withLock(on: id) { [id] in
      let error = try await storeError { try await store.withLock(on: id) {} }
      #expect(error?.code == .busy)
    }
    try await store.withLock(on: id) {}
  }
}

/// Tasks, and in which order they took their turns.
private actor Turns {
  private(set) var taken: [Int] = []
  private var tasks: [Task<Void, any Error>] = []

  func start(_ body: @escaping @Sendable () async throws -> Void) {
    tasks.append(Task { try await body() })
  }

  func take(_ number: Int) { taken.append(number) }

  func finish() async throws {
    for task in tasks { try await task.value }
  }
}
