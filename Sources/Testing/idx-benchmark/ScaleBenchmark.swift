import Foundation
import IDXFlow

/// Opens more and more sign-ins in one process, and measures what one of them costs.
///
/// Every sign-in is open at its second form when the memory is measured. Then one more step is taken in each.
struct ScaleBenchmark {
  /// What was measured while this many sign-ins were open.
  struct Row {
    let count: Int
    /// The memory of one sign-in, in bytes.
    let bytes: Double
    /// The open file descriptors of this process.
    let descriptors: Int
    /// The seconds of each step, sorted.
    let times: [Double]
  }

  private(set) var rows: [Row] = []
  private let clock: Clock

  /// `open` opens a sign-in, and `step` takes a step in it.
  private init<Item>(
    count: Int, clock: Clock = .processor, open: () async throws -> Item,
    step: (Item) async throws -> Item
  ) async throws {
    self.clock = clock
    var items: [Item] = []
    items.reserveCapacity(count)
    // What is made for the first sign-in only does not count, and caches are warm for all rows.
    for _ in 0..<max(1, count / 100) { _ = try await step(try await open()) }
    let before = try LiveMemory.residentBytes()
    for count in Set([count / 100, count / 10, count]).filter({ $0 > 0 }).sorted() {
      let first = items.count
      for _ in first..<count { items.append(try await open()) }
      let grown = try LiveMemory.residentBytes() - before
      let descriptors = try Self.openDescriptors()
      var times: [Double] = []
      for index in first..<count {
        let start = clock.seconds
        items[index] = try await step(items[index])
        times.append(clock.seconds - start)
      }
      rows.append(
        Row(
          count: count, bytes: Double(grown) / Double(count), descriptors: descriptors,
          times: times.sorted()))
    }
  }

  /// How many files and connections this process has open.
  static func openDescriptors() throws -> Int {
    // One of them is the folder itself.
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
  }

  // MARK: What is opened

  /// States, whose responses come from memory.
  static func ofSignIns(count: Int) async throws -> ScaleBenchmark {
    let recording = try await RecordedSignIn(asksForIDToken: false)
    return try await ScaleBenchmark(
      count: count, open: recording.stateBeforePassword, step: recording.answerPassword)
  }

  /// The sign-ins of a server in a store in memory, whose responses come from memory.
  static func ofSessions(count: Int) async throws -> ScaleBenchmark {
    let recording = try await RecordedSignIn(asksForIDToken: false)
    let sessions = OpenSignIns(
      client: recording.client, configuration: recording.configuration,
      store: MemoryOpenSignInStore(maximumCount: count * 2))
    let replies = recording.replies
    func page(_ result: OpenSignInResult) throws -> (id: String, revision: Int) {
      guard case .page(let page) = result else {
        throw BenchmarkError(description: "A sign-in ended too early.", exitStatus: 1)
      }
      return (page.id, page.revision)
    }
    return try await ScaleBenchmark(count: count) {
      let first = try page(try await sessions.start())
      return try page(
        try await sessions.reply(replies[0], to: first.id, revision: first.revision))
    } step: {
      try page(try await sessions.reply(replies[1], to: $0.id, revision: $0.revision))
    }
  }

  /// States, whose responses come from a server on this computer through one transport.
  static func overNetwork(count: Int) async throws -> String {
    let server = try RecordedServer()
    defer { server.stop() }
    let recording = try await RecordedSignIn(asksForIDToken: false, origin: server.origin)
    server.start(respond: recording.response(to:_:))
    let connected = recording.overNetwork()
    return try await ScaleBenchmark(
      count: count, clock: .real, open: connected.stateBeforePassword,
      step: connected.answerPassword
    ).table
  }

  // MARK: Steps in turn

  /// The time of a step while 1,000 and while 100,000 states are open, each in a process of its own.
  ///
  /// The two processes take turns, so that a change in the speed of the computer affects both equally.
  static func stepMeasurements(repetitions: Int) throws -> [Measurement] {
    let opened = try [1000, 100_000].map { count in
      (count: count, process: try ChildProcess(["steps", "--passes", "\(count)"]))
    }
    for (_, process) in opened { _ = try process.line() }
    var times = opened.map { _ in [Double]() }
    // The first round warms up the caches.
    for round in 0...repetitions {
      for (index, (_, process)) in opened.enumerated() {
        let seconds = try process.number(after: "\(round)")
        if round > 0 { times[index].append(seconds * 1e6) }
      }
    }
    let measured = zip(opened, times).map {
      Measurement("a step with \($0.count) open sign-ins", $1, unit: "µs of CPU")
    }
    return [measured[0], measured[1].compared(with: measured[0])]
  }

  /// Opens states, takes a step in 1,000 of them for each number that it reads, and prints the mean time.
  ///
  /// The 1,000 are spread over all states, and are others for another number. The new states are not kept.
  static func serveSteps(open count: Int) async throws {
    let recording = try await RecordedSignIn(asksForIDToken: false)
    var states: [FlowState] = []
    for _ in 0..<count { states.append(try await recording.stateBeforePassword()) }
    let distance = (count + 999) / 1000
    try await ChildProcess.serve("\(count)") { [states] round in
      let chosen = stride(from: (Int(round) ?? 0) % distance, to: count, by: distance)
      let start = Clock.processor.seconds
      for index in chosen { _ = try await recording.answerPassword(states[index]) }
      return "\((Clock.processor.seconds - start) / Double(chosen.underestimatedCount))"
    }
  }

  // MARK: Output

  var table: String {
    func row(_ name: String, _ text: (Row) -> String) -> [String] { [name] + rows.map(text) }
    func time(_ name: String, _ seconds: @escaping (Row) -> Double) -> [String] {
      row("a step, \(name), µs\(clock == .real ? "" : " of CPU")") {
        String(format: "%.1f", seconds($0) * 1e6)
      }
    }
    var lines = [
      row("open sign-ins") { "\($0.count)" },
      row("memory of one, KiB") { String(format: "%.2f", $0.bytes / 1024) },
      row("open file descriptors") { "\($0.descriptors)" },
      time("median") { $0.median },
      time("mean") { $0.times.reduce(0, +) / Double($0.times.count) },
      time("99th percentile") { $0.times[$0.times.count * 99 / 100] },
      time("slowest") { $0.times[$0.times.count - 1] },
    ].aligned(left: [0])
    if let first = rows.first, let last = rows.last, rows.count > 1 {
      let ratio = String(format: "%.2f", last.median / first.median)
      lines += [
        "",
        "A step takes \(ratio) times as long with \(last.count) sign-ins as with \(first.count).",
      ]
    }
    return lines.joined(separator: "\n")
  }
}

extension ScaleBenchmark.Row {
  fileprivate var median: Double { times[times.count / 2] }
}
