import IDXBase
import IDXSystem

/// A line or a key that a task waits for, from the call until it is answered or canceled.
final class LineRequest: Sendable {
  enum Kind: Sendable, Hashable {
    /// A line that is shown while it is typed.
    case line
    /// A line that is hidden.
    case secretLine
    /// Enter, `?` or Ctrl-D, beside a status line, or also a line of text. Typed text is hidden.
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
  /// The lines to which Up and Down change the text; nil for the earlier answers.
  let lines: [String]?
  /// Whether the answer can be recalled by later questions.
  let isRemembered: Bool
  /// Whether text that was typed before the question may answer it.
  ///
  /// Nobody knows what it was typed for. It can be a password, so a question that shows its answer must not
  /// take it.
  let takesTypedAhead: Bool
  /// What to write if text that was typed before the question is dropped.
  let dropNotice: String
  /// Whether a text is shown while it is typed; others are hidden.
  let shows: @Sendable (String) -> Bool
  private let state: Locked<State>

  init(
    _ kind: Kind, prompt: String = "", lines: [String]? = nil, isRemembered: Bool = false,
    takesTypedAhead: Bool = false, dropNotice: String = "",
    shows: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.kind = kind
    self.takesTypedAhead = takesTypedAhead
    self.lines = lines
    self.isRemembered = isRemembered
    self.dropNotice = dropNotice
    self.shows = shows
    state = Locked(State(prompt: prompt))
  }

  /// The text on the line before the cursor.
  var prompt: String { state.withLock { $0.prompt } }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func change(prompt: String) { state.withLock { $0.prompt = prompt } }

  /// Stores the continuation of the waiting task, or resumes it at once if the request was canceled.
  func wait(_ continuation: CheckedContinuation<InteractiveTerminal.Line, any Error>) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return state.isCancelled
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  /// Whether a task still waits; if so, from now on only ``finish(_:)`` resumes it.
  func begin() -> Bool {
    state.withLock { state in
      state.isBegun = state.continuation != nil
      return state.isBegun
    }
  }

  /// Marks the request as canceled, and ends the wait if the request has not begun.
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
