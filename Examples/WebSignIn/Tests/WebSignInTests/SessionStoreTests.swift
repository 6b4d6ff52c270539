import Foundation
import IDXScreens
import SignInSite
import Testing

@Suite("Stores of sign-ins")
struct SessionStoreTests {
  /// The stores; Redis only if a check has started one on a port.
  static let stores: [any SessionStore] = {
    let port = ProcessInfo.processInfo.environment["IDX_REDIS_PORT"].flatMap { Int32($0) }
    return [MemorySessionStore()]
      + (port.map { [RedisSessionStore(host: "127.0.0.1", port: $0)] } ?? [])
  }()

  @Test("Data is replaced only if it is as expected", arguments: stores.indices)
  func replace(index: Int) async throws {
    let store = Self.stores[index]
    let id = UUID().uuidString
    let (first, second) = (Data([0, 1, 0x0A, 0xFF]), Data("zwei".utf8))
    #expect(try await store.load(id) == nil)
    #expect(try await !store.replace(first, by: second, for: id, lifetime: .seconds(60)))
    #expect(try await store.replace(nil, by: first, for: id, lifetime: .seconds(60)))
    #expect(try await !store.replace(nil, by: second, for: id, lifetime: .seconds(60)))
    #expect(try await store.load(id) == first)
    #expect(try await store.replace(first, by: second, for: id, lifetime: .seconds(60)))
    #expect(try await !store.replace(first, by: nil, for: id, lifetime: .seconds(60)))
    #expect(try await store.replace(second, by: nil, for: id, lifetime: .seconds(60)))
    #expect(try await store.load(id) == nil)
  }

  @Test(
    "Of many callers with the same expectation, one replaces the data", arguments: stores.indices)
  func race(index: Int) async throws {
    let store = Self.stores[index]
    let id = UUID().uuidString
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for caller in 0..<20 {
        group.addTask {
          try await store.replace(nil, by: Data([UInt8(caller)]), for: id, lifetime: .seconds(60))
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(winners == 1)
  }

  @Test("Without Redis, the error says what cannot be reached")
  func unreachable() async throws {
    let store = RedisSessionStore(host: "127.0.0.1", port: 1)
    let error = await #expect(throws: RedisSessionStore.Failure.self) { try await store.load("x") }
    #expect(error?.description.contains("Redis at 127.0.0.1:1 cannot be reached") == true)
  }
}
