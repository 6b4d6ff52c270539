import IDXBase

/// The outcome of one request, which comes once, and the task that waits for it.
final class PendingResponse: Sendable {
  typealias Outcome = Result<TransportResponse, any Error>

  private struct State {
    var waiter: CheckedContinuation<TransportResponse, any Error>?
    var outcome: Outcome?
  }

  private let state = Locked(State())

  /// Starts the request and waits for its outcome.
  ///
  /// If the task is canceled, this throws `CancellationError` at once, and `cancel` stops the request without
  /// being waited for.
  func value(
    start: () -> Void, cancel: @escaping @Sendable () -> Void
  ) async throws -> TransportResponse {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiter = continuation }
          return state.outcome
        }
        if let outcome {
          continuation.resume(with: outcome)
        } else {
          start()
        }
      }
    } onCancel: {
      finish(.failure(CancellationError()))
      cancel()
    }
  }

  /// Whether there is an outcome.
  var isFinished: Bool { state.withLock { $0.outcome != nil } }

  /// Sets the outcome unless there is one.
  func finish(_ outcome: Outcome) {
    let waiter: CheckedContinuation<TransportResponse, any Error>? = state.withLock { state in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: outcome)
  }
}
