import Foundation

extension Collection {
  /// The first element, and then one of each `step` elements; all of them if the variable `IDX_FLOW_TESTS` is `all`.
  ///
  /// For tests with many cases of the same kind. `Tests/Checks/test_all_cases.py` runs each suite that calls this with
  /// all cases.
  package func sample(every step: Int) -> [Element] {
    let takesAll = ProcessInfo.processInfo.environment["IDX_FLOW_TESTS"] == "all"
    return enumerated().filter { takesAll || $0.offset.isMultiple(of: step) }.map(\.element)
  }
}
