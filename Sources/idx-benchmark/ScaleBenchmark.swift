import Foundation
import IDXFlow
import IDXScreens

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

  /// `open` opens a sign-in, and `step` takes a step in it.
  private init<Item>(
    count: Int, open: () async throws -> Item, step: (Item) async throws -> Item
  ) async throws {
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
        let start = ContinuousClock.now
        items[index] = try await step(items[index])
        times.append((.now - start) / .seconds(1))
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
    try await ofStates(of: try await RecordedSignIn(asksForIDToken: false), count: count)
  }

  private static func ofStates(
    of recording: RecordedSignIn, count: Int
  ) async throws -> ScaleBenchmark {
    let (client, answers) = (recording.client, recording.answers)
    return try await ScaleBenchmark(count: count) {
      let state = try await client.start(recording.configuration)
      return try await client.proceed(answers[0].name, answers[0].answers, from: state)
    } step: {
      try await client.proceed(answers[1].name, answers[1].answers, from: $0)
    }
  }

  /// The sign-ins of a server in a store in memory, whose responses come from memory.
  static func ofSessions(count: Int) async throws -> ScaleBenchmark {
    let recording = try await RecordedSignIn(asksForIDToken: false)
    let sessions = SignInSessions(
      client: recording.client, configuration: recording.configuration,
      store: MemorySessionStore(maximumCount: count * 2))
    let replies = recording.replies
    func page(_ result: SessionResult) throws -> (id: String, revision: Int) {
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
    return try await ofStates(of: recording.overNetwork(), count: count).table
  }

  // MARK: Output

  /// The median time of a step for the fewest and the most sign-ins; the first is the yardstick.
  var measurements: [Measurement] {
    guard let first = rows.first, let last = rows.last else { return [] }
    let measured = [first, last].map { row in
      Measurement(
        "a step with \(row.count) open sign-ins", row.times.map { $0 * 1e6 }, unit: "µs")
    }
    return [measured[0], measured[1].compared(with: measured[0])]
  }

  var table: String {
    func row(_ name: String, _ text: (Row) -> String) -> [String] { [name] + rows.map(text) }
    func time(_ name: String, _ seconds: @escaping (Row) -> Double) -> [String] {
      row(name) { String(format: "%.1f", seconds($0) * 1e6) }
    }
    var lines = [
      row("open sign-ins") { "\($0.count)" },
      row("memory of one, KiB") { String(format: "%.2f", $0.bytes / 1024) },
      row("open file descriptors") { "\($0.descriptors)" },
      time("a step, median, µs") { $0.median },
      time("a step, mean, µs") { $0.times.reduce(0, +) / Double($0.times.count) },
      time("a step, 99th percentile, µs") { $0.times[$0.times.count * 99 / 100] },
      time("a step, slowest, µs") { $0.times[$0.times.count - 1] },
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
