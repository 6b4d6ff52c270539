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
    let run = Locked<(task: Task<Result, any Error>?, isCancelled: Bool)>((nil, false))
    let watch = SignalWatch(terminal: terminal) { _ in
      run.withLock { run in
        run.isCancelled = true
        run.task?.cancel()
      }
    }
    defer { watch.end() }
    terminal?.begin()
    defer { terminal?.end() }
    let task = try run.withLock { run in
      // After a signal during the takeover, the body never starts.
      guard !run.isCancelled else { throw CancellationError() }
      let task = Task { try await body() }
      run.task = task
      return task
    }
    return try await task.value
  }
}
