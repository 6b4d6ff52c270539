import Dispatch

/// A value that one thread at a time may touch.
///
/// `Mutex` of Synchronization is the same, but asks for macOS 15.
///
/// Unchecked because the compiler cannot see it: `value` is reached inside `queue.sync` alone, and
/// the queue lets one caller in at a time.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "idx-flow.guarded")
  private var value: Value

  package init(_ value: Value) {
    self.value = value
  }

  /// Runs the body with the value to itself, on the caller's thread.
  ///
  /// Not to be nested.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try queue.sync { try body(&value) }
  }
}
