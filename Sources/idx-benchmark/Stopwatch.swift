#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Measures how long work takes, several times.
struct Stopwatch {
  let repetitions: Int
  /// The shortest duration of a repetition, so that the resolution of the clock does not matter.
  var minimum: Duration = .milliseconds(40)

  /// Work to measure.
  struct Work {
    let name: String
    /// The number of items in one pass.
    var count = 1
    let pass: () async throws -> Void
  }

  /// The processor time of this process, in seconds.
  static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The time per item of each kind of work.
  func measurements(of works: [Work]) async throws -> [Measurement] {
    zip(works, try await seconds(of: works)).map { work, seconds in
      Measurement(work.name, seconds.map { $0 * 1e6 }, unit: "µs")
    }
  }

  /// The seconds per item in each repetition, for each kind of work.
  ///
  /// In each repetition every kind of work runs once, so that other load on the computer affects all of
  /// them equally.
  func seconds(of works: [Work]) async throws -> [[Double]] {
    var passes = works.map { _ in 1 }
    for (index, work) in works.enumerated() {
      // This also warms up the caches.
      while try await time(of: work, passes: passes[index]) < minimum { passes[index] *= 2 }
    }
    var seconds = works.map { _ in [Double]() }
    for _ in 0..<repetitions {
      for (index, work) in works.enumerated() {
        let time = try await time(of: work, passes: passes[index])
        seconds[index].append(time / .seconds(passes[index] * work.count))
      }
    }
    return seconds
  }

  private func time(of work: Work, passes: Int) async throws -> Duration {
    try await ContinuousClock().measure { for _ in 0..<passes { try await work.pass() } }
  }
}

/// The result of one benchmark.
struct Measurement: Encodable {
  let name: String
  let unit: String
  let median: Double
  let min: Double
  let max: Double
  /// The median divided by that of the yardstick.
  private(set) var ratio: Double?
  /// The name of the measurement that this one is compared with.
  private(set) var yardstick: String?

  /// Creates the result from at least one value.
  init(_ name: String, _ values: [Double], unit: String) {
    let sorted = values.sorted()
    self.name = name
    self.unit = unit
    median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    min = sorted[0]
    max = sorted[sorted.count - 1]
  }

  /// Sets the yardstick: another measurement in the same unit.
  func compared(with yardstick: Measurement) -> Measurement {
    var compared = self
    compared.ratio = median / yardstick.median
    compared.yardstick = yardstick.name
    return compared
  }
}
