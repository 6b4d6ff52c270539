package import IDXBase

/// A clock whose time passes only in sleep.
package final class TestClock: Clock {
  package struct Instant: InstantProtocol {
    var time: Duration
    package func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    package func duration(to other: Instant) -> Duration { other.time - time }
    package static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  package let pauses = Locked<[Duration]>([])
  package let minimumResolution: Duration = .zero
  package var now: Instant { Instant(time: pauses.withLock { $0.reduce(.zero, +) }) }

  package init() {}

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let pause = now.duration(to: deadline)
    pauses.withLock { $0.append(pause) }
  }
}
