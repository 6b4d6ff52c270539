import Dispatch
public import IDXBase
import IDXSystem

/// The terminal that controls the process, apart from the standard streams.
///
/// Prompts are written to `/dev/tty` and answers are read from it, so that standard output contains
/// results only and standard input may be a pipe. The system edits lines; a line may have 4095 bytes on
/// Linux and 1024 on macOS.
///
/// While a line is read, the terminal is in another mode. The earlier mode is restored when the line is
/// complete, the input ends, or the task is cancelled. For signals, use a ``SignalWatch``.
public final class InteractiveTerminal: Sendable {
  /// The result of reading a line.
  public enum Line: Sendable, Hashable {
    /// The text before Enter, without control characters. Invalid UTF-8 is repaired.
    case text(String)
    /// Ctrl-D on an empty line, or the terminal was closed.
    case endOfInput
  }

  private struct State {
    /// The request that is being served.
    var request: LineRequest?
    /// The mode to restore; nil if the mode was not changed.
    var earlierMode: TerminalMode?
    var isStatusShown = false
    var isSuspended = false
    /// The bytes that were read but not used.
    var pending: [UInt8] = []
  }

  /// The bytes that were typed, or `?` alone; nil at the end of the input.
  private struct Typed {
    var bytes: [UInt8]?
    /// Whether Enter followed, rather than Ctrl-D.
    var hasEnter = true
  }

  /// The colors and symbols that suit the terminal.
  public let style: TerminalStyle

  private let device: TerminalDevice
  private let wake: SelfPipe
  private let state = Locked(State())
  // Reading blocks a thread, which a task must not do.
  private let readers = DispatchQueue(label: "idx-flow.terminal")

  /// Opens a terminal.
  ///
  /// - Parameters:
  ///   - path: The device; by default the terminal that controls the process.
  ///   - environment: The variables for ``TerminalStyle/init(environment:)``.
  /// - Throws: ``TerminalError`` if there is no terminal, for example in a cron job.
  public init(
    path: String = "/dev/tty", environment: [String: String]
  ) throws(TerminalError) {
    device = try TerminalDevice(path: path)
    do { wake = try SelfPipe() } catch {
      throw TerminalError(
        .failed, message: "The terminal cannot be used: \(error).", systemCode: error.code)
    }
    style = TerminalStyle(environment: environment)
  }

  /// The columns of the window; 80 if the terminal does not report them.
  public var columns: Int { device.size?.columns ?? 80 }

  /// The rows of the window; 24 if the terminal does not report them.
  public var rows: Int { device.size?.rows ?? 24 }

  /// Writes the whole text, unchanged, before it returns.
  ///
  /// Clean text from elsewhere with a ``TextSanitizer`` first. While a status line is shown, the text
  /// appears above it. If the terminal was closed, nothing is written, and the next line that is read
  /// is ``Line/endOfInput``.
  public func write(_ text: String) {
    state.withLock { state in
      let hadStatus = clearStatus(&state)
      device.write(text)
      if hadStatus, text.hasSuffix("\n") { showPrompt(&state) }
    }
  }

  /// Writes the prompt and waits for a line.
  ///
  /// Afterwards the cursor is at the start of a line, whatever the result. A line that was typed before
  /// the prompt appeared is accepted, and shown after the prompt unless it is secret. Several calls at
  /// once are served one after the other.
  ///
  /// - Parameters:
  ///   - prompt: The text before the cursor, written unchanged.
  ///   - secret: Whether the typed text is hidden.
  /// - Throws: `CancellationError` soon after the task is cancelled; the text that was typed by then is
  ///   dropped, so that it reaches neither another question nor the shell. ``TerminalError`` if the
  ///   system fails.
  public func readLine(prompt: String, secret: Bool = false) async throws -> Line {
    try await serve(LineRequest(secret ? .secretLine : .line, prompt: prompt))
  }

  /// Shows a status line and waits for a key: Enter returns an empty text, `?` returns `?`, and Ctrl-D
  /// returns the end of input.
  ///
  /// Other typed text is hidden. It is dropped, or returned when Enter follows if text is accepted. An
  /// Enter directly after `?` is dropped. Without escape sequences, each status is a line of its own,
  /// which stays; otherwise the status line is removed at the end.
  ///
  /// - Parameters:
  ///   - acceptsText: Whether a line of text is an answer too.
  ///   - ticks: Updates the status at each element.
  ///   - status: Returns the status for the number of ticks so far, not wider than the window; nil to
  ///     keep the last one.
  func waitForKey(
    acceptsText: Bool = false, ticks: AsyncStream<Void>,
    status: @escaping @Sendable (Int) -> String?
  ) async throws -> Line {
    let request = LineRequest(.key(orText: acceptsText))
    // Ends, and is waited for, when the request was served.
    async let _: Void = {
      show(status: status(0), for: request)
      var count = 0
      for await _ in ticks where !Task.isCancelled {
        count += 1
        show(status: status(count), for: request)
      }
    }()
    return try await serve(request)
  }

  /// Restores the mode of the terminal, before the process stops or exits while a line is read.
  ///
  /// The typed part of the line is dropped. Does nothing if no line is being read.
  public func suspend() {
    state.withLock { state in
      guard !state.isSuspended else { return }
      state.isSuspended = true
      clearStatus(&state)
      if state.request != nil { restoreMode(state, discardingInput: true) }
    }
  }

  /// Continues to read the line after the process was stopped, with or without a call of ``suspend()``.
  ///
  /// Sets the mode of the terminal and writes the prompt again. If the process is in the background, it
  /// stops again until it is brought to the foreground. Does nothing if no line is being read.
  public func resume() {
    let mustStop = state.withLock { state in
      guard let request = state.request, !request.isCancelled else {
        state.isSuspended = false
        return false
      }
      guard !device.isInBackground else { return true }
      // The mode may have been changed from the shell in the meantime.
      if state.isSuspended { state.earlierMode = nil }
      state.isSuspended = false
      // If the process was stopped without `suspend()`, the prompt may already be on the line.
      device.write("\r")
      showPrompt(&state)
      return false
    }
    if mustStop { JobControl.stopInBackground() }
  }

  // MARK: Requests

  private func serve(_ request: LineRequest) async throws -> Line {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        request.wait(continuation)
        readers.async {
          guard request.begin() else { return }
          request.finish(Result { try self.read(request) })
        }
      }
    } onCancel: {
      request.cancel()
      wake.send(0)
    }
  }

  /// Serves a request on the reading thread.
  private func read(_ request: LineRequest) throws -> Line {
    let isTypedAhead =
      try state.withLock { $0.pending.contains(Self.newline) }
      || Readiness.canRead(device.descriptor)
    let lineEnd = request.kind.isKey ? "" : "\n"
    if device.isInBackground { JobControl.stopInBackground() }
    state.withLock { state in
      state.request = request
      if !state.isSuspended { showPrompt(&state) }
    }
    let typed: Typed
    do { typed = try waitForInput(request) } catch {
      end(discardingInput: true, writing: lineEnd)
      throw error
    }
    let text = typed.bytes.map {
      ControlSequences.removed(from: String(decoding: $0, as: UTF8.self))
    }
    // The system echoes a line, unless it was typed ahead.
    let isEchoed = request.kind == .line && typed.hasEnter
    let echo = isTypedAhead ? "\(text ?? "")\n" : ""
    end(discardingInput: false, writing: isEchoed ? echo : lineEnd)
    return text.map(Line.text) ?? .endOfInput
  }

  private func end(discardingInput: Bool, writing text: String) {
    state.withLock { state in
      if discardingInput { state.pending = [] }
      clearStatus(&state)
      if !state.isSuspended { restoreMode(state, discardingInput: discardingInput) }
      state.request = nil
      state.earlierMode = nil
      device.write(text)
    }
  }

  // MARK: Input

  private static let newline = UInt8(ascii: "\n")
  private static let questionMark = UInt8(ascii: "?")

  private func waitForInput(_ request: LineRequest) throws -> Typed {
    while true {
      if request.isCancelled { throw CancellationError() }
      if let typed = try takeTyped(request.kind) { return typed }
      guard let bytes = try JobControl.stoppable({ try device.readAvailable() }) else {
        let rest = state.withLock { state in
          defer { state.pending = [] }
          return state.pending
        }
        return Typed(bytes: rest.isEmpty || request.kind.isKey ? nil : rest, hasEnter: false)
      }
      state.withLock { $0.pending += bytes }
      if bytes.isEmpty {
        try Readiness.waitToRead([device.descriptor, wake.descriptor])
        wake.drain()
      }
    }
  }

  /// Takes a line, or the first key with a meaning, from the bytes that were read.
  ///
  /// The bytes before a key are dropped unless text is accepted.
  private func takeTyped(_ kind: LineRequest.Kind) throws -> Typed? {
    let acceptsText = kind != .key(orText: false)
    let typed = state.withLock { state -> Typed? in
      let bytes = state.pending
      let endOfInput = state.earlierMode?.endOfInput ?? 0x04
      // In an address a question mark is part of the text.
      let colon = acceptsText ? bytes.firstIndex(of: UInt8(ascii: ":")) : nil
      let end = bytes.indices.first { index in
        switch bytes[index] {
        case Self.newline: true
        case Self.questionMark: kind.isKey && index < colon ?? bytes.count
        case endOfInput: kind.isKey
        default: false
        }
      }
      guard let end else {
        if kind.isKey, !acceptsText || bytes.count > 16_384 { state.pending = [] }
        return nil
      }
      defer { state.pending.removeSubrange(...end) }
      switch bytes[end] {
      case Self.questionMark: return Typed(bytes: [Self.questionMark])
      case Self.newline: return Typed(bytes: acceptsText ? Array(bytes[..<end]) : [])
      default: return Typed(bytes: nil)
      }
    }
    if kind.isKey, typed?.bytes == [Self.questionMark] { try dropEnter() }
    return typed
  }

  /// Drops an Enter that follows within 300 ms: at other prompts `?` needs an Enter.
  private func dropEnter() throws {
    if state.withLock({ $0.pending.isEmpty }),
      try Readiness.canRead(device.descriptor, within: 300),
      let bytes = try device.readAvailable()
    {
      state.withLock { $0.pending += bytes }
    }
    state.withLock { state in
      if state.pending.first == Self.newline { state.pending.removeFirst() }
    }
  }

  // MARK: Prompt and status

  /// Sets the mode and writes the prompt, unless the process is in the background.
  private func showPrompt(_ state: inout State) {
    guard let request = state.request, !device.isInBackground else { return }
    state.earlierMode = state.earlierMode ?? TerminalMode(of: device.descriptor)
    state.earlierMode?.asking(for: request.kind).apply(to: device.descriptor)
    let prompt = request.prompt
    state.isStatusShown = request.kind.isKey && !prompt.isEmpty
    device.write(state.isStatusShown ? Self.replacingLine(with: prompt) : prompt)
  }

  private func restoreMode(_ state: State, discardingInput: Bool) {
    // In the background the terminal belongs to the shell, and a change would stop the process.
    guard !device.isInBackground else { return }
    if discardingInput { device.discardInput() }
    state.earlierMode?.apply(to: device.descriptor)
  }

  private func show(status: String?, for request: LineRequest) {
    guard let status else { return }
    guard style.usesColor else {
      write(status + "\n")
      return
    }
    request.change(prompt: status)
    state.withLock { state in
      guard state.request === request, !state.isSuspended, !device.isInBackground
      else { return }
      device.write(Self.replacingLine(with: status))
      state.isStatusShown = true
    }
  }

  /// Removes the status line; returns whether one was shown.
  @discardableResult
  private func clearStatus(_ state: inout State) -> Bool {
    guard state.isStatusShown else { return false }
    state.isStatusShown = false
    device.write(Self.replacingLine(with: ""))
    return true
  }

  /// The escape sequences that replace the line of the cursor by a text.
  private static func replacingLine(with text: String) -> String { "\r\(text)\u{1B}[K" }
}

extension InteractiveTerminal.Line: Redacted {
  /// The kind of result, without the typed text.
  public var description: String {
    switch self {
    case .text: "a line"
    case .endOfInput: "end of input"
    }
  }
}
