// Threads that share a value with a lock: of the standard library, or with `LOCKED` of this package.
import Dispatch

#if LOCKED
  let numbers = Locked([0])
#else
  import Synchronization

  final class Numbers: Sendable { let value = Mutex([0]) }
  let numbers = Numbers()
#endif

@main
struct Program {
  static func main() {
    DispatchQueue.concurrentPerform(iterations: 400_000) { _ in
      #if LOCKED
        numbers.withLock { $0 = [$0[0] + 1] }
      #else
        numbers.value.withLock { $0 = [$0[0] + 1] }
      #endif
    }
  }
}
