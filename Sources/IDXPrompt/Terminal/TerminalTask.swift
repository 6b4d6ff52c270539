import IDXBase

/// Work that a signal cancels, and during which the program owns the terminal.
///
///     let terminal = try InteractiveTerminal()
///     let outcome = try await TerminalTask.run(at: terminal) {
///       try await coordinator.run(configuration)
///     }
public enum TerminalTask {
  /// Runs a body after the terminal was taken over, so that nothing typed meanwhile is shown, and restores
  /// the terminal when it has ended.
  ///
  /// SIGINT, SIGQUIT, SIGTERM and SIGHUP cancel the body. Without a terminal (nil), it is only watched for
  /// them. Throws what the body throws; after a signal, that is usually `CancellationError`.
  public static func run<Result: Sendable>(
    at terminal: InteractiveTerminal?, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let running = Locked<Task<Result, any Error>?>(nil)
    // A signal waits for the lock, so that one that comes before the task cancels the task too.
    let (watch, task) = running.withLock { task in
      let watch = SignalWatch(terminal: terminal) { _ in running.withLock { $0?.cancel() } }
      terminal?.begin()
      let started = Task {
        try Task.checkCancellation()
        return try await body()
      }
      task = started
      return (watch, started)
    }
    defer { watch.end() }
    defer { terminal?.end() }
    return try await task.value
  }
}
