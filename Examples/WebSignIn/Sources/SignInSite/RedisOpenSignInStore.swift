import CHiredis
public import Foundation
public import IDXFlow

/// Keeps sign-ins in Redis, so that several processes share them, and none is lost when a process ends.
///
/// The states of sign-ins contain secrets in the clear: let nobody else reach this Redis, which needs version 5
/// or later. One connection serves all requests; it is opened again after a failure.
public actor RedisOpenSignInStore: OpenSignInStore {
  /// Redis cannot be used.
  public struct Failure: Error, CustomStringConvertible {
    /// What happened.
    public let description: String
  }

  private static let prefix = "sign-in:"
  /// Replaces a value in one step, if it is as expected, and if it is not too late.
  private static let script = """
    local time = redis.call('TIME')
    if time[1] * 1000 + time[2] / 1000 > tonumber(ARGV[6]) then return -1 end
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

  /// How long requests fail at once after Redis did not answer in time.
  private static let pause = Duration.seconds(5)

  private let host: String
  private let port: Int32
  private let timeout: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  /// When Redis is tried again; nil if it has answered.
  private var nextTry: ContinuousClock.Instant?
  private let queue = QueueExecutor(label: "redis")
  private var connection: RedisConnection?
  /// What undoes the replacements whose replies were lost, as they may have been carried out.
  private var undoing: [Command] = []

  /// Calls of hiredis block, so they have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Creates a store; it connects when it is first used.
  ///
  /// - Parameters:
  ///   - host: The host of Redis.
  ///   - port: The port of Redis.
  ///   - timeout: How long to wait for a connection or an answer. After that, all requests fail at once for
  ///     five seconds, and then one tries again. Without this, they would wait one after the other.
  ///   - now: The current time.
  public init(
    host: String, port: Int32, timeout: Duration = .seconds(2),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now }
  ) {
    self.host = host
    self.port = port
    self.timeout = timeout
    self.now = now
  }

  /// The data of a sign-in; nil if there is none.
  public func load(_ id: String) throws -> Data? {
    let command = Command(words: ["GET", Self.prefix + id].map { Data($0.utf8) })
    guard case .bytes(let data) = try send(command) else { return nil }
    return data
  }

  /// Replaces the data in one step, if it is as expected.
  ///
  /// If it throws, nothing is replaced later: Redis does not carry out a request that it reads too late, and
  /// if a reply was lost, the replacement is undone before the next request.
  public func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) throws -> Bool {
    var command = Self.replacement(expected, data, id, lifetime)
    command.undo = Self.replacement(data, expected, id, lifetime).words
    guard case .number(1) = try send(command) else { return false }
    return true
  }

  private static func replacement(
    _ expected: Data?, _ data: Data?, _ id: String, _ lifetime: Duration
  ) -> Command {
    let arguments = [
      Data((expected == nil ? "none" : "some").utf8), expected ?? Data(),
      Data((data == nil ? "delete" : "set").utf8), data ?? Data(),
      Data(String(Int(lifetime / .milliseconds(1))).utf8),
    ]
    let words = ["EVAL", script, "1", prefix + id].map { Data($0.utf8) } + arguments
    return Command(words: words, hasDeadline: true)
  }

  // MARK: The connection

  private struct Command {
    let words: [Data]
    /// Whether the last word is until when Redis may carry it out, by its own clock.
    var hasDeadline = false
    /// What undoes it; nil for one that changes nothing.
    var undo: [Data]?
  }

  /// Sends a command; once more if the connection was lost, for example because Redis was restarted.
  private func send(_ command: Command) throws -> RedisConnection.Response {
    if let nextTry, now() < nextTry {
      throw Failure(description: "Redis at \(host):\(port) did not answer a moment ago.")
    }
    do {
      if let connection {
        do { return try send(command, by: connection) } catch let lost as RedisConnection.Lost {
          self.connection = nil
          if lost.isTimeout { throw lost }
        }
      }
      let connection = try RedisConnection(host: host, port: port, timeout: timeout, now: now)
      while let undo = undoing.last {
        _ = try send(undo, by: connection)
        undoing.removeLast()
      }
      let answer = try send(command, by: connection)
      self.connection = connection
      nextTry = nil
      return answer
    } catch let lost as RedisConnection.Lost {
      if lost.isTimeout { nextTry = now() + Self.pause }
      throw Failure(description: "Redis at \(host):\(port) \(lost.reason).")
    }
  }

  private func send(
    _ command: Command, by connection: RedisConnection
  ) throws -> RedisConnection.Response {
    let deadline = command.hasDeadline ? [connection.time(at: now() + timeout)] : []
    let answer: RedisConnection.Response
    do {
      answer = try connection.send(command.words + deadline.map { Data(String($0).utf8) })
    } catch let lost as RedisConnection.Lost {
      if let undo = command.undo { undoing.append(Command(words: undo, hasDeadline: true)) }
      throw lost
    }
    // The clock of Redis may have been set; the next connection asks for it again.
    if case .number(-1) = answer { throw RedisConnection.Lost(reason: "is too late") }
    return answer
  }
}

/// One connection to Redis.
private final class RedisConnection {
  enum Response {
    case bytes(Data)
    case number(Int64)
    case nothing
  }

  /// The connection is of no more use.
  struct Lost: Error {
    let reason: String
    let isTimeout: Bool

    init(reason: String) { (self.reason, isTimeout) = (reason, false) }

    /// Must be called before anything else can change `errno`.
    init(_ what: String, _ context: UnsafeMutablePointer<redisContext>) {
      // A connection that was closed leaves `errno` as it was.
      isTimeout =
        context.pointee.err != REDIS_ERR_EOF
        && [EAGAIN, EWOULDBLOCK, ETIMEDOUT, EINPROGRESS].contains(errno)
      reason = withUnsafeBytes(of: &context.pointee.errstr) { buffer in
        "\(what): \(String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self))"
      }
    }
  }

  private static let time =
    "local time = redis.call('TIME') return time[1] * 1000 + math.floor(time[2] / 1000)"

  private let pointer: UnsafeMutablePointer<redisContext>
  /// A moment, and an earlier one by the clock of Redis, in milliseconds.
  private var moment: (here: ContinuousClock.Instant, there: Int64)

  init(
    host: String, port: Int32, timeout: Duration, now: () -> ContinuousClock.Instant
  ) throws {
    let (seconds, attoseconds) = timeout.components
    let limit = timeval(
      tv_sec: Int(seconds), tv_usec: numericCast(attoseconds / 1_000_000_000_000))
    guard let pointer = redisConnectWithTimeout(host, port, limit) else {
      throw RedisOpenSignInStore.Failure(description: "There is no memory for Redis.")
    }
    self.pointer = pointer
    moment = (now(), 0)
    guard pointer.pointee.err == 0 else { throw Lost("cannot be reached", pointer) }
    redisSetTimeout(pointer, limit)
    guard case .number(let time) = try send(["EVAL", Self.time, "0"].map { Data($0.utf8) }) else {
      throw Lost(reason: "does not tell the time")
    }
    moment = (now(), time)
  }

  deinit { redisFree(pointer) }

  /// A moment by the clock of Redis, in milliseconds; not a later one.
  func time(at instant: ContinuousClock.Instant) -> Int64 {
    moment.there + Int64((instant - moment.here) / .milliseconds(1))
  }

  /// Sends a command and waits for the answer.
  func send(_ command: [Data]) throws -> Response {
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
      throw Lost("does not answer", pointer)
    }
    defer { freeReplyObject(reply) }
    let text = reply.pointee.str.map { Data(bytes: $0, count: reply.pointee.len) } ?? Data()
    switch reply.pointee.type {
    case REDIS_REPLY_INTEGER: return .number(reply.pointee.integer)
    case REDIS_REPLY_NIL: return .nothing
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return .bytes(text)
    default:
      throw RedisOpenSignInStore.Failure(
        description: "Redis refuses: \(String(decoding: text, as: UTF8.self)).")
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
