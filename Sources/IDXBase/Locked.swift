#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A value that only one thread at a time can access.
///
/// It replaces `Mutex` of Synchronization, which needs macOS 15.
package final class Locked<Value: Sendable>: Sendable {
  #if canImport(Darwin)
    private let lock: OSAllocatedUnfairLock<Value>
  #else
    private let lock: Mutex<Value>
  #endif

  package init(_ value: Value) {
    #if canImport(Darwin)
      lock = OSAllocatedUnfairLock(initialState: value)
    #else
      lock = Mutex(value)
    #endif
  }

  /// Runs a body with exclusive access to the value; do not nest calls.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    #if canImport(Darwin)
      try lock.withLockUnchecked(body)
    #else
      try lock.withLock { value in try body(&value) }
    #endif
  }
}
