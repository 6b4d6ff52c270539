/// Where requests wait until they are released or given up, and tests until one waits.
actor RequestGate {
  private var tickets = 0
  private var held: [Int: CheckedContinuation<Void, any Error>] = [:]
  private var watchers: [CheckedContinuation<Void, Never>] = []

  /// Waits to be released; throws `CancellationError` as soon as the task is cancelled.
  func hold() async throws {
    tickets += 1
    let ticket = tickets
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        guard !Task.isCancelled else {
          continuation.resume(throwing: CancellationError())
          return
        }
        held[ticket] = continuation
        for watcher in watchers { watcher.resume() }
        watchers = []
      }
    } onCancel: {
      Task { await self.abandon(ticket) }
    }
  }

  func waitUntilHeld() async {
    guard held.isEmpty else { return }
    await withCheckedContinuation { watchers.append($0) }
  }

  func release() {
    for continuation in held.values { continuation.resume() }
    held = [:]
  }

  private func abandon(_ ticket: Int) {
    held.removeValue(forKey: ticket)?.resume(throwing: CancellationError())
  }
}
