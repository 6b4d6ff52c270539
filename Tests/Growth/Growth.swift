import Foundation

/// Runs each case with inputs of one, two and four times its size; `pytest -k growth` builds and runs it.
///
/// `time [NAME]` prints how many nanoseconds the processor worked for each. `count [NAME]` runs each once, between
/// two calls of a function at which a tool writes how many instructions it has counted. `NAME` selects the cases whose
/// target or name contains it.
@main
struct Growth {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let name = arguments.dropFirst().first
    for growthCase in GrowthCase.all {
      let title = "\(growthCase.target.name)\t\(growthCase.name)"
      guard name.map(title.contains) ?? true else { continue }
      let inputs = [1, 2, 4].map { growthCase.make($0 * growthCase.size) }
      // The first run also loads what later runs find loaded.
      growthCase.target.test(inputs[0])
      let work =
        arguments.first == "count"
        ? inputs.map { count(growthCase.target, $0) } : times(growthCase.target, inputs)
      print(([title, "\(growthCase.size)"] + work.map(String.init)).joined(separator: "\t"))
    }
  }

  /// The shortest of several times for each input: other programs can only make one longer.
  private static func times(_ target: FuzzTarget, _ inputs: [[UInt8]]) -> [UInt64] {
    var shortest = inputs.map { _ in UInt64.max }
    for _ in 0..<3 {
      for (index, input) in inputs.enumerated() {
        let start = processorTime()
        target.test(input)
        shortest[index] = min(shortest[index], processorTime() - start)
      }
    }
    return shortest
  }

  private static func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Runs an input between two marks; 0, because the tool has the number.
  private static func count(_ target: FuzzTarget, _ input: [UInt8]) -> UInt64 {
    growthMark()
    target.test(input)
    growthMark()
    return 0
  }
}

/// The tool writes its counts whenever this function is called, so it must not be inlined or removed.
@inline(never) private func growthMark() { _ = getpid() }
