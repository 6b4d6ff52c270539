/// A sleep that lasts until the test ends it.
actor ManualSleep {
  private let started = AsyncStream.makeStream(of: Duration.self)
  private var sleeper: AsyncStream<Void>.Continuation?

  /// Sleeps until ``wake()``; throws if the task is cancelled.
  func sleep(_ duration: Duration) async throws {
    let (end, sleeper) = AsyncStream.makeStream(of: Void.self)
    self.sleeper = sleeper
    started.continuation.yield(duration)
    for await _ in end { return }
    throw CancellationError()
  }

  /// Waits until something sleeps, and returns for how long it wants to.
  func next() async -> Duration? { await started.stream.first { _ in true } }

  /// Ends the last sleep.
  func wake() { sleeper?.yield() }
}
