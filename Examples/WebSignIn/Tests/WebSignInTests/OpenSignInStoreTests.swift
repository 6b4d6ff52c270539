import Foundation
import IDXFlow
import SignInSite
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Stores of sign-ins")
struct OpenSignInStoreTests {
  /// The stores; Redis only if a check has started one on a port.
  static let stores: [any OpenSignInStore] = {
    let port = ProcessInfo.processInfo.environment["IDX_REDIS_PORT"].flatMap { Int32($0) }
    return [MemoryOpenSignInStore()]
      + (port.map { [RedisOpenSignInStore(host: "127.0.0.1", port: $0)] } ?? [])
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

  @Test(
    "While Redis hangs, one request in five seconds waits for it, and the others fail at once",
    .promise("redis-hangs"))
  func hangingRedis() async throws {
    let listener = try SilentListener()
    let clock = TestClock()
    let store = RedisOpenSignInStore(
      host: "127.0.0.1", port: Int32(listener.port), timeout: .milliseconds(50),
      now: { clock.now })
    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          await #expect(throws: RedisOpenSignInStore.Failure.self) { try await store.load("x") }
        }
      }
    }
    #expect(listener.connections() == 1)
    clock.advance(by: .milliseconds(4999))
    await #expect(throws: RedisOpenSignInStore.Failure.self) { try await store.load("x") }
    #expect(listener.connections() == 0)
    clock.advance(by: .milliseconds(1))
    for _ in 0..<3 {
      await #expect(throws: RedisOpenSignInStore.Failure.self) { try await store.load("x") }
    }
    #expect(listener.connections() == 1)
  }

  @Test(
    "A replacement tells Redis until when it may be carried out, so that it is not carried out later",
    .promise("redis-replacement")
  )
  func deadline() async throws {
    let redis = try ScriptedRedis(answers: [":1800000000000", ":1", ":-1", ":1800000009000", ":1"])
    let clock = TestClock()
    let store = RedisOpenSignInStore(
      host: "127.0.0.1", port: Int32(redis.port), timeout: .seconds(2), now: { clock.now })
    #expect(try await store.replace(nil, by: Data(), for: "x", lifetime: .seconds(60)))
    clock.advance(by: .milliseconds(500))
    // Redis says that it is too late, as its clock was set: the store asks for the time again.
    #expect(try await store.replace(nil, by: Data(), for: "x", lifetime: .seconds(60)))
    let deadlines = redis.commands.map(\.last)
    #expect(deadlines == ["0", "1800000002000", "1800000002500", "0", "1800000011000"])
  }

  @Test(
    "If the reply to a replacement is lost, it is undone before anything else is sent",
    .promise("redis-replacement"))
  func lostResponse() async throws {
    let redis = try ScriptedRedis(
      answers: [":0", "$-1", "", ":0", ":1", "", ":0", ":1", "$-1"])
    let store = RedisOpenSignInStore(host: "127.0.0.1", port: Int32(redis.port))
    let (old, new) = (Data("old".utf8), Data("new".utf8))
    #expect(try await store.load("x") == nil)
    // The replies to its first and to its second try are lost.
    await #expect(throws: RedisOpenSignInStore.Failure.self) {
      try await store.replace(old, by: new, for: "x", lifetime: .seconds(60))
    }
    #expect(try await store.load("x") == nil)
    let done = redis.commands.map { $0[0] == "GET" || $0.count < 9 ? $0[0] : $0[5] + "→" + $0[7] }
    #expect(
      done == [
        "EVAL", "GET", "old→new", "EVAL", "new→old", "old→new", "EVAL", "new→old", "GET",
      ])
  }

  @Test("A Redis that refuses connections is tried again at the next request")
  func refusedConnection() async throws {
    let clock = TestClock()
    let port = try SilentListener().port
    let store = RedisOpenSignInStore(
      host: "127.0.0.1", port: Int32(port), timeout: .milliseconds(50), now: { clock.now })
    for _ in 0..<2 {
      let error = await #expect(throws: RedisOpenSignInStore.Failure.self) {
        try await store.load("x")
      }
      #expect(error?.description.contains("cannot be reached: Connection refused") == true)
    }
  }

  @Test("Without Redis, the error says what cannot be reached")
  func unreachable() async throws {
    let store = RedisOpenSignInStore(host: "127.0.0.1", port: 1)
    let error = await #expect(throws: RedisOpenSignInStore.Failure.self) {
      try await store.load("x")
    }
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

  /// Waits for a connection.
  func nextConnection() -> UnsafeMutablePointer<FILE>? {
    _ = fcntl(descriptor, F_SETFL, 0)
    return fdopen(accept(descriptor, nil, nil), "r+")
  }

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

/// Answers commands with prepared lines, over one connection after the other.
private final class ScriptedRedis: Sendable {
  private struct Failed: Error {}

  let port: UInt16
  private let received = Mutex<[[String]]>([])

  /// The commands so far.
  var commands: [[String]] { received.withLock { $0 } }

  init(answers: [String]) throws {
    let listener = try SilentListener()
    port = listener.port
    Thread.detachNewThread { [self] in
      var rest = answers[...]
      while !rest.isEmpty, let file = listener.nextConnection() {
        var isOpen = true
        while isOpen, !rest.isEmpty {
          let command = Self.command(from: file)
          isOpen = !command.isEmpty
          guard isOpen, let answer = rest.popFirst() else { break }
          received.withLock { $0.append(command) }
          // Without an answer, the connection is lost.
          guard !answer.isEmpty else { break }
          fputs(answer + "\r\n", file)
          fflush(file)
        }
        fclose(file)
      }
    }
  }

  /// The words of the next command; empty at the end of the connection.
  private static func command(from file: UnsafeMutablePointer<FILE>) -> [String] {
    let count = line(from: file).flatMap { Int($0.dropFirst()) } ?? 0
    return (0..<count).map { _ in
      let size = line(from: file).flatMap { Int($0.dropFirst()) } ?? 0
      let bytes = (0..<size + 2).map { _ in UInt8(truncatingIfNeeded: fgetc(file)) }
      return String(decoding: bytes.dropLast(2), as: UTF8.self)
    }
  }

  private static func line(from file: UnsafeMutablePointer<FILE>) -> String? {
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF, byte != Int32(UInt8(ascii: "\n")) {
      bytes.append(UInt8(byte))
    }
    return bytes.isEmpty ? nil : String(decoding: bytes.dropLast(), as: UTF8.self)
  }
}

private final class TestClock: Sendable {
  private let time = Mutex(ContinuousClock().now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
