import Foundation

/// A value that one thread at a time may touch.
///
/// Unchecked, because the compiler cannot see that the lock guards the value: `withLock` is the
/// only way to it, and a `Sendable` value leaves nothing shared behind. `Mutex` would do the same,
/// but needs macOS 15.
final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
