/// Something that goes wrong with one request to a ``SimulatedOrg``.
///
/// The org processes the request only with ``responseLost`` and ``held``.
public enum Fault: Sendable, Hashable {
  /// The connection fails before the request arrives.
  case unreachable
  /// The org processes the request, but the connection fails before the response arrives.
  case responseLost
  /// The org responds with status 500 and no JSON.
  case serverError
  /// The org responds with status 429 and header fields with the number of seconds until the limit ends.
  case rateLimited(seconds: Int)
  /// The org responds with status 400 and this OAuth error, such as `access_denied`, `unauthorized_client` or
  /// `invalid_grant`.
  case refused(String)
  /// The org responds as if the sign-in had expired.
  case sessionExpired
  /// The request waits until it is released, and then the org processes it; or until its task is canceled.
  ///
  /// See ``SimulatedOrg/waitUntilHeld()`` and ``SimulatedOrg/release()``.
  case held
}

/// Holds requests until they are released, and lets tests wait for a held request.
actor RequestGate {
  private var lastID = 0
  private var held: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  private var watchers: [CheckedContinuation<Void, Never>] = []

  func hold() async throws {
    lastID += 1
    let id = lastID
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        guard !Task.isCancelled else {
          continuation.resume(throwing: CancellationError())
          return
        }
        held.append((id, continuation))
        for watcher in watchers { watcher.resume() }
        watchers = []
      }
    } onCancel: {
      Task { await self.cancel(id) }
    }
  }

  func waitUntilHeld() async {
    guard held.isEmpty else { return }
    await withCheckedContinuation { watchers.append($0) }
  }

  func release() {
    for request in held { request.continuation.resume() }
    held = []
  }

  private func cancel(_ id: Int) {
    guard let index = held.firstIndex(where: { $0.id == id }) else { return }
    held.remove(at: index).continuation.resume(throwing: CancellationError())
  }
}
