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
    /// Read after the lock is taken and written before it is given back, so that the thread
    /// sanitizer sees the order: a thread that has to wait for a `Mutex` waits inside the standard
    /// library, which the sanitizer does not watch, and every such wait would be reported as a race.
    private let order = Atomic<UInt8>(0)
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
      try lock.withLock { value in
        _ = order.load(ordering: .acquiring)
        defer { order.store(0, ordering: .releasing) }
        return try body(&value)
      }
    #endif
  }
}
