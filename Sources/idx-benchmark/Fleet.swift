import Foundation
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXScreens

/// What a fleet of servers with a shared Redis needs, computed from what sign-ins cost on this computer.
struct Fleet {
  /// What is not measured here.
  private enum Assumption {
    static let signInsADay = 10_000_000.0
    /// The rate at the busiest time, compared with the mean.
    static let peakFactor = 5.0
    /// The seconds in which a person signs in.
    static let duration = 60.0
    /// How many sign-ins are left open, for each that is finished.
    static let abandoned = 0.1
    /// The seconds in which the org answers a request.
    static let latency = 0.1
    /// The share of a core that a process may use at the peak.
    static let load = 0.5
    /// The bytes of Redis 7 for an entry, besides its value; for 50,000 entries of 5000 bytes it was 286.
    static let entryOverhead = 300.0
  }

  /// What one sign-in costs.
  struct Costs {
    /// The bytes that the store keeps after each page, the result last.
    var saved: [Int] = []
    /// How long the store keeps a page and the result, in seconds.
    var lifetimes: (page: Double, result: Double) = (0, 0)
    /// The requests to the org, and the bytes of their bodies in both directions.
    var requests = 0.0
    var requestBytes = 0.0
    /// The commands to the store, and their bytes in both directions.
    var commands = 0.0
    var commandBytes = 0.0
    /// The processor time in seconds, with responses from memory.
    var engineTime = 0.0
    /// The same over http, without the server, which answers after the assumed time.
    var networkTime = 0.0
    /// The same over https; nil if there is no TLS server.
    var secureTime: Double?
  }

  let costs: Costs
  private let count: Int

  /// Measures sign-ins, and some of them over the network.
  ///
  /// `overTLS` says whether also over https, for which other programs are started.
  init(measuring count: Int, overTLS: Bool = true) async throws {
    self.count = count
    let (store, counter) = (CountingStore(), Locked(Traffic()))
    let recording = try await RecordedSignIn().sending { CountingTransport($0, counter) }
    var costs = Costs()
    costs.engineTime = try await Self.signInTime(recording, in: store, count: count) {
      // From now on, the keys of the org are known.
      costs.saved = await store.sizes
      costs.lifetimes = await store.lifetimes
      await store.reset()
      counter.withLock { $0 = Traffic() }
    }
    let (sent, stored) = (counter.withLock { $0 }, await store.traffic)
    costs.requests = Double(sent.count) / Double(count)
    costs.requestBytes = Double(sent.bytes) / Double(count)
    costs.commands = Double(stored.count) / Double(count)
    costs.commandBytes = Double(stored.bytes) / Double(count)

    let some = max(count / 10, Self.parallel)
    costs.networkTime = try await Self.networkTime(count: some, in: store, isSecure: false) ?? 0
    if overTLS {
      costs.secureTime = try await Self.networkTime(count: some, in: store, isSecure: true)
    }
    self.costs = costs
  }

  /// The processor time of a sign-in over the network; nil if it should be secure and there is no TLS server.
  private static func networkTime(
    count: Int, in store: any SessionStore, isSecure: Bool
  ) async throws -> Double? {
    let server = try RecordedServer()
    defer { server.stop() }
    let front = isSecure ? try TLSProxy(before: server.origin) : nil
    if isSecure, front == nil { return nil }
    let served = try await RecordedSignIn(origin: front?.origin ?? server.origin)
    server.start(after: Assumption.latency, respond: served.response(to:_:))
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
    _ recording: RecordedSignIn, in store: any SessionStore, count: Int, parallel: Int = 1,
    begin: () async -> Void
  ) async throws -> Double {
    let sessions = SignInSessions(
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
    _ recording: RecordedSignIn, by sessions: SignInSessions
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

  // MARK: Output

  /// What the fleet needs at the peak.
  struct Needs {
    /// Finished sign-ins a second.
    let signIns: Double
    /// The sign-ins that Redis keeps.
    let entries: Double
    /// The memory of Redis in bytes.
    let memory: Double

    init(of costs: Costs) {
      signIns = Assumption.signInsADay / 86_400 * Assumption.peakFactor
      entries =
        signIns
        * (Assumption.duration + Assumption.abandoned * costs.lifetimes.page
          + costs.lifetimes.result)
      // Each entry counts as if it were at its largest page.
      memory = entries * (Double(costs.saved.max() ?? 0) + Assumption.entryOverhead)
    }

    func processes(_ seconds: Double) -> Double {
      (signIns * seconds / Assumption.load).rounded(.up)
    }
  }

  var table: String {
    let (pages, needs) = (Double(costs.saved.count), Needs(of: costs))
    let sizes = costs.saved.enumerated().map { index, size in
      let isLast = index == costs.saved.count - 1
      return Line("saved \(isLast ? "result" : "page \(index + 1)")", Double(size), "bytes")
    }
    let measured =
      [
        Line("Measured, for one sign-in with a password and a code (mean of \(count))"),
        Line("pages that a person asks for or answers", pages),
        Line("requests to the org", costs.requests),
        Line("bodies to and from the org", costs.requestBytes, "bytes"),
        Line("commands to the store", costs.commands),
        Line("values to and from the store", costs.commandBytes, "bytes"),
        Line("processor time, without a network", costs.engineTime * 1e3, "ms"),
        Line("processor time over http, \(Self.parallel) at once", costs.networkTime * 1e3, "ms"),
      ] + secure("processor time over https, \(Self.parallel) at once", "ms") { $0 * 1e3 } + [
        Line("lifetime of a saved page", costs.lifetimes.page, "s"),
        Line("lifetime of a saved result", costs.lifetimes.result, "s"),
      ]
    let assumed = [
      Line(""), Line("Assumed"),
      Line("sign-ins", Assumption.signInsADay, "a day"),
      Line("peak", Assumption.peakFactor, "× the mean"),
      Line("time that a person takes", Assumption.duration, "s"),
      Line("abandoned sign-ins", Assumption.abandoned, "× the finished ones"),
      Line("time in which the org answers", Assumption.latency, "s"),
      Line("load of a process", Assumption.load, "cores"),
      Line("an entry of Redis, besides its value", Assumption.entryOverhead, "bytes"),
    ]
    let needed =
      [
        Line(""), Line("Needed at the peak"),
        Line("finished sign-ins", needs.signIns, "a second"),
        Line("requests of browsers, without redirects", needs.signIns * pages, "a second"),
        Line("requests to the org", needs.signIns * costs.requests, "a second"),
        Line("bodies to and from the org", needs.signIns * costs.requestBytes / 1e6, "MB a second"),
        Line("commands to Redis", needs.signIns * costs.commands, "a second"),
        Line("values to and from Redis", needs.signIns * costs.commandBytes / 1e6, "MB a second"),
        Line("entries of Redis", needs.entries.rounded()),
        Line("memory of Redis", needs.memory / 1_073_741_824, "GiB"),
        Line("processes, without a network", needs.processes(costs.engineTime)),
        Line("processes, over http", needs.processes(costs.networkTime)),
      ] + secure("processes, over https", "", needs.processes)
    return (measured + sizes + assumed + needed).map(\.columns).aligned(left: [0, 2])
      .joined(separator: "\n")
  }

  /// The line of a figure about https, if it was measured.
  private func secure(
    _ name: String, _ unit: String, _ value: (Double) -> Double
  ) -> [Line] {
    costs.secureTime.map { [Line(name, value($0), unit)] } ?? []
  }

  private struct Line {
    let columns: [String]

    init(_ name: String, _ value: Double? = nil, _ unit: String = "") {
      columns = [value == nil ? name : "  " + name, value.map(Fleet.text) ?? "", unit]
    }
  }

  private static func text(_ value: Double) -> String {
    if value == value.rounded() { return String(format: "%.0f", value) }
    return String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
  }
}

/// How often something was asked for, and how many bytes were exchanged.
private struct Traffic {
  var count = 0
  var bytes = 0
}

/// Counts the requests that pass through it.
private struct CountingTransport: Transport {
  let transport: any Transport
  let counter: Locked<Traffic>

  init(_ transport: any Transport, _ counter: Locked<Traffic>) {
    self.transport = transport
    self.counter = counter
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let response = try await transport.send(request)
    counter.withLock {
      $0.count += 1
      $0.bytes += request.body.count + response.body.count
    }
    return response
  }
}

/// A store in memory that counts commands, and notes what it keeps.
private actor CountingStore: SessionStore {
  private let store = MemorySessionStore()
  private(set) var traffic = Traffic()
  /// The bytes of what was kept, without those of the claims that a request makes before it sends anything.
  private(set) var sizes: [Int] = []
  private(set) var lifetimes: (page: Double, result: Double) = (0, 0)
  private var commands = 0

  func reset() { traffic = Traffic() }

  func load(_ id: String) async throws -> Data? {
    let data = await store.load(id)
    traffic.count += 1
    traffic.bytes += data?.count ?? 0
    return data
  }

  func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) async throws -> Bool {
    traffic.count += 1
    traffic.bytes += (expected?.count ?? 0) + (data?.count ?? 0)
    // A sign-in is created, and then each reply claims it and saves its result.
    commands += 1
    if commands % 2 == 1 {
      sizes.append(data?.count ?? 0)
      if expected == nil { lifetimes.page = lifetime / .seconds(1) }
      lifetimes.result = lifetime / .seconds(1)
    }
    return await store.replace(expected, by: data, for: id, lifetime: lifetime)
  }
}
