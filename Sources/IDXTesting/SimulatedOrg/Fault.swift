/// Something that goes wrong with one request to a ``SimulatedOrg``.
public enum Fault: Sendable, Hashable {
  /// The org is not reached, and does not act on the request.
  case unreachable
  /// The org acts on the request, and the connection breaks before the response arrives.
  case responseLost
  /// The org does not act on the request, and answers with status 500 and no JSON.
  case serverError
  /// The org does not act on the request, and answers with status 429 and the header fields that say
  /// after how many seconds the limit ends.
  case rateLimited(seconds: Int)
  /// The org does not act on the request, and answers with status 400 and this error of OAuth, such as
  /// `access_denied`, `unauthorized_client` or `invalid_grant`.
  case refused(String)
  /// The org does not act on the request, and answers as if the sign-in had expired.
  case sessionExpired
  /// The request waits until it is released or its task is cancelled; then the org acts on it.
  ///
  /// See ``SimulatedOrg/waitUntilHeld()`` and ``SimulatedOrg/release()``.
  case held
}

/// Where requests wait until they are released, and where tests wait for such a request.
actor RequestGate {
  private var lastTicket = 0
  private var held: [Int: CheckedContinuation<Void, any Error>] = [:]
  private var watchers: [CheckedContinuation<Void, Never>] = []

  func hold() async throws {
    lastTicket += 1
    let ticket = lastTicket
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
      Task { await self.cancel(ticket) }
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

  private func cancel(_ ticket: Int) {
    held.removeValue(forKey: ticket)?.resume(throwing: CancellationError())
  }
}
