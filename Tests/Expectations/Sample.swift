import Foundation

extension Collection {
  /// Every `step`-th element, beginning with the first; all elements if the variable `IDX_FLOW_TESTS` is `all`.
  ///
  /// For tests with many cases of the same kind. `Tests/Checks/test_all_cases.py` runs each suite that calls this with
  /// all cases.
  package func sample(
    every step: Int, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [Element] {
    let takesAll = environment["IDX_FLOW_TESTS"] == "all"
    return enumerated().filter { takesAll || $0.offset.isMultiple(of: step) }.map(\.element)
  }
}
