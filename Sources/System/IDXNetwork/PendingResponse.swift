import IDXBase

/// The result of one request, which comes once, and the task that waits for it.
final class PendingResponse: Sendable {
  private struct State {
    var waiter: CheckedContinuation<TransportResponse, any Error>?
    var result: Result<TransportResponse, any Error>?
  }

  private let state = Locked(State())

  /// Starts the request and waits for its result.
  ///
  /// If the task is canceled, this throws `CancellationError` at once, and `cancel` stops the request without
  /// being waited for.
  func value(
    start: () -> Void, cancel: @escaping @Sendable () -> Void
  ) async throws -> TransportResponse {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state in
          if state.result == nil { state.waiter = continuation }
          return state.result
        }
        if let result {
          continuation.resume(with: result)
        } else {
          start()
        }
      }
    } onCancel: {
      finish(.failure(CancellationError()))
      cancel()
    }
  }

  /// Whether there is a result.
  var isFinished: Bool { state.withLock { $0.result != nil } }

  /// Sets the result unless there is one.
  func finish(_ result: Result<TransportResponse, any Error>) {
    let waiter: CheckedContinuation<TransportResponse, any Error>? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: result)
  }
}
