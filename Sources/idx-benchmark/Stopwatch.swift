/// Times work, several times over.
struct Stopwatch {
  let repetitions: Int
  /// A repetition goes on for at least this long, so that the clock's own steps do not count.
  var least: Duration = .milliseconds(40)

  /// Something to be timed.
  struct Work {
    let name: String
    /// How many of what is counted one pass does.
    let count: Int
    let pass: () async throws -> Void

    init(_ name: String, count: Int = 1, _ pass: @escaping () async throws -> Void) {
      self.name = name
      self.count = count
      self.pass = pass
    }
  }

  /// The seconds that one of what is counted takes, in each repetition.
  ///
  /// All work takes turns, so that what else the machine does falls on all alike.
  func seconds(of works: [Work]) async throws -> [[Double]] {
    var passes: [Int] = []
    for work in works { passes.append(try await Self.passes(of: work, within: least)) }
    var seconds = works.map { _ in [Double]() }
    for _ in 0..<repetitions {
      for (index, work) in works.enumerated() {
        let time = try await Self.time(of: work, passes: passes[index])
        seconds[index].append(time.seconds / Double(passes[index] * work.count))
      }
    }
    return seconds
  }

  /// How many passes take that long; counting them warms up, too.
  private static func passes(of work: Work, within least: Duration) async throws -> Int {
    var passes = 1
    while try await time(of: work, passes: passes) < least { passes *= 2 }
    return passes
  }

  private static func time(of work: Work, passes: Int) async throws -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<passes { try await work.pass() }
    return clock.now - start
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
