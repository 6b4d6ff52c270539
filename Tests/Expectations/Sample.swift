import Foundation

extension Collection {
  /// Every so-manieth element, beginning with the first; all of them if the variable `IDX_FLOW_TESTS` is `all`.
  ///
  /// For tests that would play hundreds of cases of the same kind. `Tests/Checks/test_all_cases.py` runs each file
  /// that calls this with all cases.
  package func sample(every step: Int) -> [Element] {
    let takesAll = ProcessInfo.processInfo.environment["IDX_FLOW_TESTS"] == "all"
    return enumerated().filter { takesAll || $0.offset.isMultiple(of: step) }.map(\.element)
  }
}
