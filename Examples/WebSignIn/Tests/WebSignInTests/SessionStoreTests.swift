import Foundation
import IDXScreens
import SignInSite
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

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

  @Test("While Redis hangs, one request in five seconds waits for it, and the others fail at once")
  func hangingRedis() async throws {
    let listener = try SilentListener()
    let clock = TestClock()
    let store = RedisSessionStore(
      host: "127.0.0.1", port: Int32(listener.port), timeout: .milliseconds(50),
      now: { clock.now })
    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          await #expect(throws: RedisSessionStore.Failure.self) { try await store.load("x") }
        }
      }
    }
    #expect(listener.connections() == 1)
    clock.advance(by: .milliseconds(4999))
    await #expect(throws: RedisSessionStore.Failure.self) { try await store.load("x") }
    #expect(listener.connections() == 0)
    clock.advance(by: .milliseconds(1))
    for _ in 0..<3 {
      await #expect(throws: RedisSessionStore.Failure.self) { try await store.load("x") }
    }
    #expect(listener.connections() == 1)
  }

  @Test("A Redis that refuses connections is tried again at the next request")
  func refusedConnection() async throws {
    let clock = TestClock()
    let port = try SilentListener().port
    let store = RedisSessionStore(
      host: "127.0.0.1", port: Int32(port), timeout: .milliseconds(50), now: { clock.now })
    for _ in 0..<2 {
      let error = await #expect(throws: RedisSessionStore.Failure.self) {
        try await store.load("x")
      }
      #expect(error?.description.contains("cannot be reached: Connection refused") == true)
    }
  }

  @Test("Without Redis, the error says what cannot be reached")
  func unreachable() async throws {
    let store = RedisSessionStore(host: "127.0.0.1", port: 1)
    let error = await #expect(throws: RedisSessionStore.Failure.self) { try await store.load("x") }
    #expect(error?.description.contains("Redis at 127.0.0.1:1 cannot be reached") == true)
  }
}

/// Accepts connections, but never answers.
private final class SilentListener: Sendable {
  private struct Failed: Error {}

  let port: UInt16
  private let descriptor: Int32

  init() throws {
    descriptor = LoopbackClient.streamSocket()
    var address = LoopbackClient.address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 50) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Failed() }
  }

  deinit { close(descriptor) }

  /// How many connections were opened since the last call.
  func connections() -> Int {
    var count = 0
    while case let connection = accept(descriptor, nil, nil), connection >= 0 {
      close(connection)
      count += 1
    }
    return count
  }
}

private final class TestClock: Sendable {
  private let time = Mutex(ContinuousClock().now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
