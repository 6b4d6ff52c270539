/// One line that a task waits for, from the call until it is answered or cancelled.
final class LineRequest: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Terminal.Line, any Error>?
    var isBegun = false
    var isCancelled = false
  }

  let prompt: String
  let isSecret: Bool
  private let state = Guarded(State())

  init(prompt: String, isSecret: Bool) {
    self.prompt = prompt
    self.isSecret = isSecret
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Takes the one who waits; who was cancelled before does not wait.
  func wait(_ continuation: CheckedContinuation<Terminal.Line, any Error>) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return state.isCancelled
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  /// Whether anyone waits still, who from now on is answered by ``finish(_:)`` alone.
  func begin() -> Bool {
    state.withLock { state in
      state.isBegun = state.continuation != nil
      return state.isBegun
    }
  }

  /// Marks the request cancelled and, before its turn has come, ends the wait.
  func cancel() {
    let waiting = state.withLock { state in
      state.isCancelled = true
      return state.isBegun ? nil : state.continuation.take()
    }
    waiting?.resume(throwing: CancellationError())
  }

  func finish(_ result: Result<Terminal.Line, any Error>) {
    state.withLock { $0.continuation.take() }?.resume(with: result)
  }
}
