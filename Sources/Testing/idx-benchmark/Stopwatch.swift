#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the time of a row is measured with.
enum Clock {
  /// The processor time of this process, to which other programs add nothing.
  case processor
  /// The processor time of the current thread.
  case thread
  /// The time that passes, for work on several cores.
  case real

  /// The seconds since some moment.
  var seconds: Double {
    let clock =
      switch self {
      case .processor: CLOCK_PROCESS_CPUTIME_ID
      case .thread: CLOCK_THREAD_CPUTIME_ID
      case .real: CLOCK_MONOTONIC
      }
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// Measures how long work takes, several times.
struct Stopwatch {
  let repetitions: Int
  /// The shortest time of a repetition in seconds, so that the resolution of the clock does not matter.
  var minimum = 0.04

  /// Work to measure.
  struct Work {
    let name: String
    /// The number of items in one pass.
    var count = 1
    var clock = Clock.processor
    let pass: () async throws -> Void
  }

  /// The processor time per item of each kind of work.
  func measurements(of works: [Work]) async throws -> [Measurement] {
    zip(works, try await seconds(of: works)).map { work, seconds in
      Measurement(work.name, seconds.map { $0 * 1e6 }, unit: "µs of CPU")
    }
  }

  /// The seconds per item in each repetition, for each kind of work.
  ///
  /// In each repetition every kind of work runs once, so that a change in the speed of the computer affects all
  /// of them equally.
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
        seconds[index].append(time / Double(passes[index] * work.count))
      }
    }
    return seconds
  }

  private func time(of work: Work, passes: Int) async throws -> Double {
    let start = work.clock.seconds
    for _ in 0..<passes { try await work.pass() }
    return work.clock.seconds - start
  }
}

/// The result of one benchmark.
struct Measurement: Encodable {
  /// By how much the slowest run of a steady row may differ from the quickest, as a share of the median.
  static let steadySpread = 0.2

  let name: String
  let unit: String
  let median: Double
  let min: Double
  let max: Double
  /// Whether the runs differ by at most ``steadySpread``.
  let isSteady: Bool
  /// The median divided by that of the reference.
  private(set) var ratio: Double?
  /// The name of the measurement that this one is compared with.
  private(set) var reference: String?

  /// Creates the result from at least one value.
  init(_ name: String, _ values: [Double], unit: String) {
    let sorted = values.sorted()
    self.name = name
    self.unit = unit
    median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    min = sorted[0]
    max = sorted[sorted.count - 1]
    isSteady = max - min <= Self.steadySpread * median
  }

  /// Sets the reference: another measurement in the same unit.
  func compared(with reference: Measurement) -> Measurement {
    var compared = self
    compared.ratio = median / reference.median
    compared.reference = reference.name
    return compared
  }
}
