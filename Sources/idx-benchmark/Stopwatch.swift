/// Measures how long work takes, several times.
struct Stopwatch {
  let repetitions: Int
  /// The shortest duration of a repetition, so that the resolution of the clock does not matter.
  var minimum: Duration = .milliseconds(40)

  /// Work to measure.
  struct Work {
    let name: String
    /// The number of items in one pass.
    let count: Int
    let pass: () async throws -> Void

    init(_ name: String, count: Int = 1, _ pass: @escaping () async throws -> Void) {
      self.name = name
      self.count = count
      self.pass = pass
    }
  }

  /// The seconds per item in each repetition, for each kind of work.
  ///
  /// In each repetition every kind of work runs once, so that other load on the computer affects all of
  /// them equally.
  func seconds(of works: [Work]) async throws -> [[Double]] {
    var passes: [Int] = []
    for work in works { passes.append(try await Self.passes(of: work, lasting: minimum)) }
    var seconds = works.map { _ in [Double]() }
    for _ in 0..<repetitions {
      for (index, work) in works.enumerated() {
        let time = try await Self.time(of: work, passes: passes[index])
        seconds[index].append(time.seconds / Double(passes[index] * work.count))
      }
    }
    return seconds
  }

  /// The number of passes that last at least this long.
  ///
  /// Counting them also warms up the caches.
  private static func passes(of work: Work, lasting minimum: Duration) async throws -> Int {
    var passes = 1
    while try await time(of: work, passes: passes) < minimum { passes *= 2 }
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

/// The result of one benchmark.
struct Measurement: Encodable {
  let name: String
  let unit: String
  let median: Double
  let min: Double
  let max: Double
  /// The ratio to the time of JSONSerialization on the same bytes, if that was measured.
  let ratio: Double?

  init(_ name: String, _ values: [Double], unit: String, ratio: Double? = nil) {
    let sorted = values.sorted()
    self.name = name
    self.unit = unit
    let middle = sorted.count / 2
    median =
      switch sorted.count {
      case 0: 0
      case let count where count.isMultiple(of: 2): (sorted[middle - 1] + sorted[middle]) / 2
      default: sorted[middle]
      }
    min = sorted.first ?? 0
    max = sorted.last ?? 0
    self.ratio = ratio
  }
}
