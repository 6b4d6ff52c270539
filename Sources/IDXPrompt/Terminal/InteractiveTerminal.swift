public import IDXBase
import Dispatch
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

  /// The request that is being served.
  private struct Active {
    let request: LineRequest
    /// The mode to restore; nil if the mode was not changed.
    var earlierMode: TerminalMode?
    var isStatusShown = false
  }

  private struct State {
    var active: Active?
    var isSuspended = false
    /// The bytes that were read but not used.
    var pending: [UInt8] = []
  }

  private enum Typed {
    /// The bytes before Enter, or `?` alone.
    case line([UInt8])
    /// The bytes before Ctrl-D, without Enter.
    case unfinishedLine([UInt8])
    case end
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
  /// Enter directly after `?` is dropped. Afterwards the status line is removed and the cursor is at
  /// its start. Cancelling and suspending work as for ``readLine(prompt:secret:)``. Without escape
  /// sequences, each status is a line of its own, which stays.
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
    return try await withThrowingTaskGroup(of: Line?.self) { group in
      group.addTask { try await self.serve(request) }
      group.addTask {
        self.show(status: status(0), for: request)
        var count = 0
        for await _ in ticks where !Task.isCancelled {
          count += 1
          self.show(status: status(count), for: request)
        }
        return nil
      }
      defer { group.cancelAll() }
      while let line = try await group.next() {
        if let line { return line }
      }
      throw CancellationError()
    }
  }

  /// Restores the mode of the terminal, before the process stops or exits while a line is read.
  ///
  /// The typed part of the line is dropped. Does nothing if no line is being read.
  public func suspend() {
    state.withLock { state in
      guard !state.isSuspended else { return }
      state.isSuspended = true
      clearStatus(&state)
      if let active = state.active { restoreMode(of: active, discardingInput: true) }
    }
  }

  /// Continues to read the line after the process was stopped, with or without a call of ``suspend()``.
  ///
  /// Sets the mode of the terminal and writes the prompt again. If the process is in the background, it
  /// stops again until it is brought to the foreground. Does nothing if no line is being read.
  public func resume() {
    let mustStop = state.withLock { state in
      guard let active = state.active, !active.request.isCancelled else {
        state.isSuspended = false
        return false
      }
      guard !device.isInBackground else { return true }
      // The mode may have been changed from the shell in the meantime.
      if state.isSuspended { state.active?.earlierMode = nil }
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
    let isTypedAhead = try hasLine()
    let lineEnd = request.kind.isKey ? "" : "\n"
    begin(request)
    let typed: Typed
    do {
      typed = try waitForInput(request)
    } catch {
      end(discardingInput: true, writing: lineEnd)
      throw error
    }
    switch typed {
    case .line(let bytes):
      let text = Self.text(bytes)
      // The system did not echo a line that was typed ahead.
      let echo = isTypedAhead ? text + "\n" : ""
      end(discardingInput: false, writing: request.kind == .line ? echo : lineEnd)
      return .text(text)
    case .unfinishedLine(let bytes):
      end(discardingInput: false, writing: lineEnd)
      return .text(Self.text(bytes))
    case .end:
      end(discardingInput: false, writing: lineEnd)
      return .endOfInput
    }
  }

  private func begin(_ request: LineRequest) {
    if device.isInBackground { JobControl.stopInBackground() }
    state.withLock { state in
      state.active = Active(request: request)
      if !state.isSuspended { showPrompt(&state) }
    }
  }

  private func end(discardingInput: Bool, writing text: String) {
    state.withLock { state in
      if discardingInput { state.pending = [] }
      clearStatus(&state)
      if let active = state.active, !state.isSuspended {
        restoreMode(of: active, discardingInput: discardingInput)
      }
      state.active = nil
      device.write(text)
    }
  }

  // MARK: Input

  private static let newline = UInt8(ascii: "\n")
  private static let questionMark = UInt8(ascii: "?")
  /// How soon after `?` an Enter is dropped, in milliseconds: at other prompts `?` needs an Enter.
  private static let enterTimeout: Int32 = 300

  private func hasLine() throws -> Bool {
    if state.withLock({ $0.pending.contains(Self.newline) }) { return true }
    return try Readiness.canRead(device.descriptor)
  }

  private func waitForInput(_ request: LineRequest) throws -> Typed {
    while true {
      if request.isCancelled { throw CancellationError() }
      if let typed = try takeTyped(request.kind) { return typed }
      switch try JobControl.stoppable({ try device.readAvailable() }) {
      case .bytes(let bytes):
        state.withLock { $0.pending += bytes }
      case .end:
        let rest = state.withLock { state in
          defer { state.pending = [] }
          return state.pending
        }
        return rest.isEmpty || request.kind.isKey ? .end : .unfinishedLine(rest)
      case .nothing:
        try Readiness.waitToRead([device.descriptor, wake.descriptor])
        wake.drain()
      }
    }
  }

  private func takeTyped(_ kind: LineRequest.Kind) throws -> Typed? {
    guard case .key(let orText) = kind else {
      return state.withLock { Self.takeLine(&$0.pending) }.map(Typed.line)
    }
    let typed = state.withLock { state in
      let endOfInput = state.active?.earlierMode?.endOfInput ?? 0x04
      return Self.takeKey(&state.pending, orText: orText, endOfInput: endOfInput)
    }
    if case .line([Self.questionMark])? = typed { try dropEnter() }
    return typed
  }

  /// Drops an Enter that follows at once.
  private func dropEnter() throws {
    if state.withLock({ $0.pending.isEmpty }),
      try Readiness.canRead(device.descriptor, within: Self.enterTimeout),
      case .bytes(let bytes) = try device.readAvailable()
    {
      state.withLock { $0.pending += bytes }
    }
    state.withLock { state in
      if state.pending.first == Self.newline { state.pending.removeFirst() }
    }
  }

  private static func takeLine(_ pending: inout [UInt8]) -> [UInt8]? {
    guard let end = pending.firstIndex(of: newline) else { return nil }
    defer { pending.removeSubrange(...end) }
    return Array(pending[..<end])
  }

  /// The first key with a meaning; the bytes before it are dropped unless text is accepted.
  private static func takeKey(
    _ pending: inout [UInt8], orText: Bool, endOfInput: UInt8
  ) -> Typed? {
    // In an address a question mark is part of the text.
    let colon = orText ? pending.firstIndex(of: UInt8(ascii: ":")) ?? pending.count : pending.count
    let end = pending.indices.first { index in
      let byte = pending[index]
      return byte == newline || byte == endOfInput || (byte == questionMark && index < colon)
    }
    guard let end else {
      if !orText || pending.count > 16_384 { pending = [] }
      return nil
    }
    defer { pending.removeSubrange(...end) }
    switch pending[end] {
    case questionMark: return .line([questionMark])
    case newline: return .line(orText ? Array(pending[..<end]) : [])
    default: return .end
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    ControlSequences.removed(from: String(decoding: bytes, as: UTF8.self))
  }

  // MARK: Prompt and status

  /// Sets the mode and writes the prompt, unless the process is in the background.
  private func showPrompt(_ state: inout State) {
    guard let active = state.active, !device.isInBackground else { return }
    let earlierMode = active.earlierMode ?? TerminalMode(of: device.descriptor)
    state.active?.earlierMode = earlierMode
    earlierMode?.asking(for: active.request.kind).apply(to: device.descriptor)
    let prompt = active.request.prompt
    let isStatus = active.request.kind.isKey && !prompt.isEmpty
    device.write(isStatus ? Self.replacingLine(with: prompt) : prompt)
    state.active?.isStatusShown = isStatus
  }

  private func restoreMode(of active: Active, discardingInput: Bool) {
    // In the background the terminal belongs to the shell, and a change would stop the process.
    guard !device.isInBackground else { return }
    if discardingInput { device.discardInput() }
    active.earlierMode?.apply(to: device.descriptor)
  }

  private func show(status: String?, for request: LineRequest) {
    guard let status else { return }
    guard style.usesColor else {
      write(status + "\n")
      return
    }
    request.change(prompt: status)
    state.withLock { state in
      guard state.active?.request === request, !state.isSuspended, !device.isInBackground
      else { return }
      device.write(Self.replacingLine(with: status))
      state.active?.isStatusShown = true
    }
  }

  /// Removes the status line; returns whether one was shown.
  @discardableResult
  private func clearStatus(_ state: inout State) -> Bool {
    guard state.active?.isStatusShown == true else { return false }
    state.active?.isStatusShown = false
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
