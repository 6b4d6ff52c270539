import IDXBase
import IDXSystem
/// One line, or one key, that a task waits for, from the call until it is answered or cancelled.
final class LineRequest: Sendable {
  /// What is waited for.
  enum Kind: Sendable, Hashable {
    /// A line that is seen while it is typed.
    case line
    /// A line that nobody may see.
    case secretLine
    /// Enter, `?` or Ctrl-D, under a status line; with text also a line of other characters. None of
    /// it is seen.
    case key(orText: Bool)

    var isKey: Bool { if case .key = self { true } else { false } }
  }

  private struct State {
    var prompt: String
    var continuation: CheckedContinuation<InteractiveTerminal.Line, any Error>?
    var isBegun = false
    var isCancelled = false
  }

  let kind: Kind
  private let state: Locked<State>

  init(_ kind: Kind, prompt: String = "") {
    self.kind = kind
    state = Locked(State(prompt: prompt))
  }

  /// What stands on the line before the cursor.
  var prompt: String { state.withLock { $0.prompt } }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func change(prompt: String) { state.withLock { $0.prompt = prompt } }

  /// Takes the one who waits; who was cancelled before does not wait.
  func wait(_ continuation: CheckedContinuation<InteractiveTerminal.Line, any Error>) {
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

  func finish(_ result: Result<InteractiveTerminal.Line, any Error>) {
    state.withLock { $0.continuation.take() }?.resume(with: result)
  }
}
