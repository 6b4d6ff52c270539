import IDXBase
import IDXSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What time it is in an org: some clock's time, and what was added to it.
///
/// It is shared, so that a client may live by the same time without asking the org.
struct OrgClock: Sendable {
  private let clock: @Sendable () -> Date
  private let added = Locked<TimeInterval>(0)

  init(_ clock: @escaping @Sendable () -> Date) { self.clock = clock }

  var now: Date { clock().addingTimeInterval(ahead) }

  /// By how many seconds it is ahead of the clock.
  var ahead: TimeInterval { added.withLock { $0 } }

  func advance(by seconds: TimeInterval) { added.withLock { $0 += seconds } }
}
