import Foundation
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth

/// What servers with a shared Redis need for 10 million sign-ins a day, computed from what one costs here.
///
/// A sign-in has a password and a code, and the keys of the org were fetched before.
struct Fleet {
  // What is not measured here. The table says it too.
  /// The finished sign-ins in a second at the busiest time, which has five times the mean.
  static let rate = 10_000_000.0 / 86_400 * 5
  private static let latency = 0.1
  private static let load = 0.5
  private static let assumptions = """
    Assumed: the busiest time has five times the mean, a person takes 60 s, for ten finished sign-ins one is
    abandoned, the org answers in 0.1 s, a process uses half a core, and Redis adds 300 bytes to an entry.
    """

  /// The requests to the org.
  private(set) var requests = 0.0
  /// The commands to the session store, its largest value in bytes, and how long it keeps a page in seconds.
  private(set) var commands = 0.0
  private(set) var savedBytes = 0.0
  private(set) var lifetime = 0.0
  /// The processor time in seconds, by the kind of connection; without https if nginx or openssl is missing.
  private(set) var times: [(connection: String, seconds: Double)] = []

  /// The memory of Redis at the busiest time, as if each entry were at its largest page.
  var memory: Double { Self.rate * (60 + 0.1 * lifetime) * (savedBytes + 300) }

  /// Measures sign-ins, and some of them over the network.
  ///
  /// `overTLS` says whether also over https, for which other programs are started.
  init(measuring count: Int, overTLS: Bool = true) async throws {
    let (store, sent) = (CountingStore(), Locked(0))
    let recording = try await RecordedSignIn().sending { CountingTransport($0, sent) }
    var before = (requests: 0, commands: 0)
    let inMemory = try await Self.signInTime(recording, in: store, count: count) {
      before = (sent.withLock { $0 }, await store.commands)
    }
    requests = Double(sent.withLock { $0 } - before.requests) / Double(count)
    commands = Double(await store.commands - before.commands) / Double(count)
    (savedBytes, lifetime) = (Double(await store.largest), await store.lifetime)
    times = [("responses in memory", inMemory)]
    let some = max(count / 10, Self.parallel)
    if let http = try await Self.networkTime(count: some, in: store, isSecure: false) {
      times.append(("over http, a connection for each request", http))
    }
    if overTLS, let https = try await Self.networkTime(count: some, in: store, isSecure: true) {
      times.append(("over https, a connection for each sign-in", https))
    }
  }

  /// The processor time of a sign-in over the network; nil if it should be secure and there is no TLS server.
  private static func networkTime(
    count: Int, in store: any OpenSignInStore, isSecure: Bool
  ) async throws -> Double? {
    let server = try RecordedServer()
    defer { server.stop() }
    let front = isSecure ? try TLSProxy(before: server.origin) : nil
    if isSecure, front == nil { return nil }
    let served = try await RecordedSignIn(origin: front?.origin ?? server.origin)
    server.start(after: latency, respond: served.response(to:_:))
    let connected = served.overNetwork(
      authorities: try front.map { try CertificateAuthorities(file: $0.authorities) })
    var before = 0.0
    let time = try await signInTime(connected, in: store, count: count, parallel: parallel) {
      before = server.processorTime
    }
    return time - (server.processorTime - before) / Double(count)
  }

  /// How many sign-ins over the network wait for the org at the same time.
  private static let parallel = 50

  /// The processor time of one sign-in of a server, in seconds; `begin` follows the first one, which does
  /// not count.
  private static func signInTime(
    _ recording: RecordedSignIn, in store: any OpenSignInStore, count: Int, parallel: Int = 1,
    begin: () async -> Void
  ) async throws -> Double {
    let sessions = OpenSignIns(
      client: recording.client, configuration: recording.configuration, store: store)
    try await signIn(recording, by: sessions)
    await begin()
    let start = Clock.processor.seconds
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        if index >= parallel { try await group.next() }
        group.addTask { try await signIn(recording, by: sessions) }
      }
      try await group.waitForAll()
    }
    return (Clock.processor.seconds - start) / Double(count)
  }

  private static func signIn(
    _ recording: RecordedSignIn, by sessions: OpenSignIns
  ) async throws {
    var result = try await sessions.start()
    for reply in recording.replies {
      guard case .page(let page) = result else { break }
      result = try await sessions.reply(reply, to: page.id, revision: page.revision)
    }
    guard case .signedIn = result else {
      throw BenchmarkError(description: "A sign-in did not end with tokens.", exitStatus: 1)
    }
  }

  var table: String {
    func row(_ name: String, _ value: Double, _ unit: String = "", _ digits: Int = 0) -> [String] {
      [name, String(format: "%.\(digits)f", value), unit]
    }
    let rows =
      [
        ["One sign-in", "", ""], row("requests to the org", requests),
        row("commands to the session store", commands),
        row("largest value in the session store", savedBytes, "bytes"),
      ] + times.map { row($0.connection, $0.seconds * 1e3, "ms of CPU", 2) }
      + [
        ["", "", ""], ["10 million sign-ins a day, at the busiest time", "", ""],
        row("finished sign-ins", Self.rate, "a second"),
        row("requests to the org", Self.rate * requests, "a second"),
        row("commands to Redis", Self.rate * commands, "a second"),
        row("memory of Redis", memory / 1_073_741_824, "GiB", 2),
      ]
      + times.map {
        row("processes, \($0.connection)", (Self.rate * $0.seconds / Self.load).rounded(.up))
      }
    return rows.aligned(left: [0, 2]).joined(separator: "\n") + "\n\n" + Self.assumptions
  }
}

/// Counts the requests that pass through it.
private struct CountingTransport: Transport {
  let transport: any Transport
  let count: Locked<Int>

  init(_ transport: any Transport, _ count: Locked<Int>) {
    (self.transport, self.count) = (transport, count)
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    count.withLock { $0 += 1 }
    return try await transport.send(request)
  }
}

/// A store in memory that counts commands.
private actor CountingStore: OpenSignInStore {
  private let store = MemoryOpenSignInStore()
  private(set) var commands = 0
  /// The bytes of the largest value, and the seconds that the longest kept one is kept.
  private(set) var largest = 0
  private(set) var lifetime = 0.0

  func load(_ id: String) async throws -> Data? {
    commands += 1
    return await store.load(id)
  }

  func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) async throws -> Bool {
    commands += 1
    largest = max(largest, data?.count ?? 0)
    self.lifetime = max(self.lifetime, lifetime / .seconds(1))
    return await store.replace(expected, by: data, for: id, lifetime: lifetime)
  }
}
