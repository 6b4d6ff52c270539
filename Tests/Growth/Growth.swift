import Foundation

/// Runs each case three times, with inputs of one, two and four times its size, under a tool that counts
/// instructions; `.ci/check-growth` builds and runs it.
///
/// An argument selects the cases whose target or name contains it.
@main
struct Growth {
  static func main() {
    let selected = CommandLine.arguments.dropFirst().first
    for growthCase in GrowthCase.all {
      let title = "\(growthCase.target.name)\t\(growthCase.name)"
      guard selected.map(title.contains) ?? true else { continue }
      let inputs = [1, 2, 4].map { growthCase.make($0 * growthCase.size) }
      // The first run also loads what later runs find loaded.
      growthCase.target.test(inputs[0])
      for input in inputs {
        growthMark()
        growthCase.target.test(input)
        growthMark()
      }
      print("\(title)\t\(growthCase.size)\t\(inputs.map { "\($0.count)" }.joined(separator: "\t"))")
    }
  }
}

/// The tool writes its counts whenever this function is called, so it must not be inlined or removed.
@inline(never) private func growthMark() { _ = getpid() }
