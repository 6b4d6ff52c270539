import CHiredis
public import Foundation
public import IDXScreens

/// Keeps sign-ins in Redis, so that several processes share them, and none is lost when a process ends.
///
/// The states of sign-ins contain secrets in the clear: let nobody else reach this Redis. One connection
/// serves all requests; it is opened again after a failure.
public actor RedisSessionStore: SessionStore {
  /// Redis cannot be used.
  public struct Failure: Error, CustomStringConvertible {
    /// What happened.
    public let description: String
  }

  private static let prefix = "sign-in:"
  /// Replaces a value in one step, if it is as expected.
  private static let script = """
    local value = redis.call('GET', KEYS[1])
    if ARGV[1] == 'none' then
      if value then return 0 end
    elseif value ~= ARGV[2] then
      return 0
    end
    if ARGV[3] == 'delete' then
      redis.call('DEL', KEYS[1])
    else
      redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
    end
    return 1
    """

  private let host: String
  private let port: Int32
  private let queue = QueueExecutor(label: "redis")
  private var connection: RedisConnection?
  /// How often a connection was opened.
  private var reconnections = 0

  /// Calls of hiredis block, so they have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Creates a store; it connects when it is first used.
  public init(host: String, port: Int32) {
    self.host = host
    self.port = port
  }

  /// The data of a sign-in; nil if there is none.
  public func load(_ id: String) throws -> Data? {
    guard case .bytes(let data) = try send(["GET", Self.prefix + id]) else { return nil }
    return data
  }

  /// Replaces the data in one step, if it is as expected.
  public func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) throws -> Bool {
    let arguments = [
      Data((expected == nil ? "none" : "some").utf8), expected ?? Data(),
      Data((data == nil ? "delete" : "set").utf8), data ?? Data(),
      Data(String(Int(lifetime / .milliseconds(1))).utf8),
    ]
    let command = ["EVAL", Self.script, "1", Self.prefix + id].map { Data($0.utf8) } + arguments
    let before = reconnections
    guard case .number(1) = try send(command) else {
      // The first of two tries may have arrived although its reply was lost.
      return try reconnections > before && load(id) == data
    }
    return true
  }

  // MARK: The connection

  private func send(_ words: [String]) throws -> RedisConnection.Answer {
    try send(words.map { Data($0.utf8) })
  }

  /// Sends a command; once more if the connection was lost, for example because Redis was restarted.
  private func send(_ command: [Data]) throws -> RedisConnection.Answer {
    if let connection {
      do { return try connection.send(command) } catch is RedisConnection.Lost {
        self.connection = nil
      }
    }
    let connection = try RedisConnection(host: host, port: port)
    reconnections += 1
    do {
      let answer = try connection.send(command)
      self.connection = connection
      return answer
    } catch let error as RedisConnection.Lost {
      throw Failure(description: "Redis does not answer: \(error.reason).")
    }
  }
}

/// One connection to Redis.
private final class RedisConnection {
  enum Answer {
    case bytes(Data)
    case number(Int64)
    case nothing
  }

  /// The connection is of no more use.
  struct Lost: Error {
    let reason: String
  }

  private let pointer: UnsafeMutablePointer<redisContext>

  init(host: String, port: Int32) throws {
    let limit = timeval(tv_sec: 2, tv_usec: 0)
    guard let pointer = redisConnectWithTimeout(host, port, limit) else {
      throw RedisSessionStore.Failure(description: "There is no memory for Redis.")
    }
    self.pointer = pointer
    redisSetTimeout(pointer, limit)
    guard pointer.pointee.err == 0 else {
      throw RedisSessionStore.Failure(
        description: "Redis at \(host):\(port) cannot be reached: \(reason).")
    }
  }

  deinit { redisFree(pointer) }

  /// Sends a command and waits for the answer, at most two seconds.
  func send(_ command: [Data]) throws -> Answer {
    // The bytes of all arguments, one after the other, so that they stay in place.
    let bytes = command.reduce(into: Data()) { $0 += $1 }
    let reply = bytes.withUnsafeBytes { buffer -> UnsafeMutableRawPointer? in
      var arguments: [UnsafePointer<CChar>?] = []
      var start = 0
      for argument in command {
        arguments.append(
          buffer.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) })
        start += argument.count
      }
      return redisCommandArgv(pointer, Int32(command.count), &arguments, command.map(\.count))
    }
    guard let reply = reply?.assumingMemoryBound(to: redisReply.self) else {
      throw Lost(reason: reason)
    }
    defer { freeReplyObject(reply) }
    let text = reply.pointee.str.map { Data(bytes: $0, count: reply.pointee.len) } ?? Data()
    switch reply.pointee.type {
    case REDIS_REPLY_INTEGER: return .number(reply.pointee.integer)
    case REDIS_REPLY_NIL: return .nothing
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return .bytes(text)
    default:
      throw RedisSessionStore.Failure(
        description: "Redis refuses: \(String(decoding: text, as: UTF8.self)).")
    }
  }

  private var reason: String {
    withUnsafeBytes(of: &pointer.pointee.errstr) { buffer in
      String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// Runs an actor on a queue of its own.
private final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
