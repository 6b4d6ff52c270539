import Dispatch
public import Foundation
public import IDXBase
import IDXSystem

/// The terminal that controls the process, apart from the standard streams.
///
/// Prompts are written to `/dev/tty` and answers are read from it, so that standard output contains
/// results only and standard input may be a pipe.
///
/// While ``TerminalTask/run(at:_:)`` runs, and while a line is read, the program owns the terminal: typed
/// keys are not shown by the system, and a line editor draws what may be seen. The earlier mode is restored
/// at the end, and after a signal.
///
/// Text that was typed when there was no question may be a password. So it answers only a question whose
/// answer is hidden, is never shown, and is dropped by any other question and at the end.
public final class InteractiveTerminal: Sendable {
  /// The result of reading a line.
  public enum Line: Sendable, Hashable {
    /// The text before Enter, without control characters. Invalid UTF-8 is repaired.
    case text(Secret)
    /// Ctrl-D on an empty line, or the terminal was closed.
    case endOfInput

    static func text(_ text: String) -> Line { .text(Secret(text)) }
  }

  private struct State {
    /// The request that is being served.
    var request: LineRequest?
    var editor = LineEditor()
    var row: InputRow
    /// How many callers own the terminal.
    var owners = 0
    /// The mode to restore; nil if the mode was not changed.
    var earlierMode: TerminalMode?
    /// The status line that is on the screen.
    var status: String?
    /// What the program is busy with, if that is the last thing that was shown.
    var busy: String?
    /// What to draw once the window is large enough.
    var laterDrawing: (@Sendable ((columns: Int, rows: Int)) -> String?)?
    var isSuspended = false
    /// Whether the terminal marks pasted text.
    var marksPastes = false
    var reader = KeyReader()
    /// The keys that were typed but not used.
    var keys: [Key] = []
    /// The visible answers so far, which later questions can recall.
    var history: [String] = []

    /// Drops the keys that were typed but not used, and a part of one.
    mutating func dropKeys() { (keys, reader) = ([], KeyReader()) }
  }

  /// The colors and symbols that suit the terminal.
  package let style: TerminalStyle

  private let device: TerminalDevice
  private let wake: SelfPipe
  private let state: Locked<State>
  // Reading blocks a thread, which a task must not do.
  private let readers = DispatchQueue(label: "idx-flow.terminal")

  /// Opens a terminal.
  ///
  /// - Parameters:
  ///   - path: The device; by default the terminal that controls the process.
  ///   - environment: The variables that choose colors and symbols: `TERM`, `NO_COLOR`, the locale, and
  ///     `IDX_FLOW_ACCESSIBLE`; by default those of the process.
  /// - Throws: ``TerminalError`` if there is no terminal, for example in a cron job.
  public init(
    path: String = "/dev/tty",
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(TerminalError) {
    device = try TerminalDevice(path: path)
    do { wake = try SelfPipe() } catch {
      throw TerminalError(
        .failed, message: "The terminal cannot be used: \(error).", systemCode: error.code)
    }
    style = TerminalStyle(environment: environment)
    state = Locked(State(row: InputRow(style: style)))
  }

  /// Whether another job of the shell uses the terminal, so that nobody answers here.
  package var isInBackground: Bool { device.isInBackground }

  /// The columns of the window; 80 if the terminal does not report them.
  package var columns: Int { device.size?.columns ?? 80 }

  /// The rows of the window; 24 if the terminal does not report them.
  package var rows: Int { device.size?.rows ?? 24 }

  // MARK: Owning

  /// Takes the terminal over until ``end()``, which must be called once for each call of this, so that keys
  /// that are typed between questions are not shown.
  package func begin() {
    // Starts the thread that reads, so that the first question need not wait for it.
    readers.async {}
    state.withLock { state in
      own(&state)
      state.marksPastes = style.usesColor
      if !state.isSuspended, !device.isInBackground { markPastes(true, state) }
    }
  }

  /// Restores the earlier mode, and drops what was typed and not used, so that it does not reach the shell.
  package func end() {
    state.withLock { state in
      guard state.owners > 0 else { return }
      // Somebody else may still own it.
      guard state.owners == 1 else { return disown(&state) }
      clearStatus(&state)
      state.dropKeys()
      state.history = []
      if !state.isSuspended, !device.isInBackground {
        device.discardInput()
        markPastes(false, state)
      }
      state.marksPastes = false
      disown(&state)
    }
  }

  /// Restores the mode of the terminal, before the process stops or exits while it owns the terminal.
  ///
  /// What was typed and not used is dropped, except the text of a visible line, which ``resume()`` shows
  /// again. Does nothing if the process does not own the terminal.
  package func suspend() {
    state.withLock { state in
      guard !state.isSuspended else { return }
      state.isSuspended = true
      clearStatus(&state)
      guard state.owners > 0, !device.isInBackground else { return }
      // A visible line is shown again later. A hidden one is dropped, because the person cannot see what was
      // typed.
      if state.request?.kind != .line { state.editor = editor(for: state.request, state) }
      state.dropKeys()
      device.discardInput()
      markPastes(false, state)
      state.earlierMode?.apply(to: device.descriptor)
    }
  }

  /// Takes the terminal over again after the process was stopped, with or without a call of ``suspend()``.
  ///
  /// Sets the mode of the terminal, and writes the prompt and the text of a visible line again. If the process
  /// is in the background, it stops again until it is brought to the foreground. Does nothing if the process
  /// does not own the terminal.
  package func resume() {
    let mustStop = state.withLock { state in
      guard state.owners > 0, state.request?.isCancelled != true else {
        state.isSuspended = false
        return false
      }
      guard !device.isInBackground else { return true }
      // The mode may have been changed from the shell in the meantime.
      if state.isSuspended { state.earlierMode = nil }
      state.isSuspended = false
      setMode(&state)
      markPastes(true, state)
      // If the process was stopped without `suspend()`, the prompt may already be on the line.
      if state.request?.kind.isKey == false { device.write("\r") }
      showPrompt(&state)
      return false
    }
    if mustStop { JobControl.stopInBackground() }
  }

  /// Draws the question again after the size of the window was changed.
  package func resized() {
    state.withLock { state in
      guard !state.isSuspended, !device.isInBackground else { return }
      guard let request = state.request else { return eraseBroken(&state) }
      let drawing = state.laterDrawing?((columns, rows))
      if drawing != nil { state.laterDrawing = nil }
      guard style.redraws else {
        if let drawing { device.write("\n" + drawing) }
        if drawing != nil { showPrompt(&state) }
        return
      }
      eraseBroken(&state)
      device.write(drawing ?? "")
      // A status line is drawn again at the next tick, for the new width.
      if !request.kind.isKey { showPrompt(&state) }
    }
  }

  /// Erases the row of a question or a status, which a window that became narrower has broken.
  ///
  /// The cursor is in one of its parts.
  private func eraseBroken(_ state: inout State) {
    let isLine = state.request?.kind.isKey == false
    guard isLine || state.status != nil else { return }
    let status = (state.status ?? "").replacing(/\u{1B}\[[0-9]*m/, with: "").columns
    let width = isLine ? state.row.width.beforeCursor : status
    let broken = max(width - 1, 0) / max(columns, 1)
    state.status = nil
    device.write("\r\(broken > 0 ? "\u{1B}[\(broken)A" : "")\u{1B}[J")
  }

  /// Keeps a drawing that did not fit, until the window is resized to a size at which it is a text.
  func draw(later drawing: (@Sendable ((columns: Int, rows: Int)) -> String?)?) {
    state.withLock { $0.laterDrawing = drawing }
  }

  /// The mode of the terminal without this program, the descriptor to set it, and whether it marks pasted text meanwhile.
  var modeToRestore: (descriptor: Int32, mode: TerminalMode, marksPastes: Bool)? {
    let (earlier, marksPastes) = state.withLock { ($0.earlierMode, $0.marksPastes) }
    let mode = earlier ?? TerminalMode(of: device.descriptor)
    return mode.map { (device.descriptor, $0, marksPastes) }
  }

  private func own(_ state: inout State) {
    state.owners += 1
    if !state.isSuspended { setMode(&state) }
  }

  private func disown(_ state: inout State) {
    state.owners -= 1
    guard state.owners == 0 else { return }
    if !state.isSuspended, !device.isInBackground {
      state.earlierMode?.apply(to: device.descriptor)
    }
    state.earlierMode = nil
  }

  /// Sets the mode to read keys, unless the terminal belongs to the shell.
  private func setMode(_ state: inout State) {
    guard !device.isInBackground else { return }
    state.earlierMode = state.earlierMode ?? TerminalMode(of: device.descriptor)
    state.earlierMode?.readingKeys.apply(to: device.descriptor)
  }

  /// Asks the terminal to mark pasted text, or to stop that.
  private func markPastes(_ isOn: Bool, _ state: State) {
    if state.marksPastes { device.write(Self.markingPastes(isOn)) }
  }

  /// The control sequence that asks for marks around pasted text, or for none (xterm's mode 2004).
  static func markingPastes(_ isOn: Bool) -> String { "\u{1B}[?2004\(isOn ? "h" : "l")" }

  // MARK: Writing

  /// Writes the whole text, unchanged, before it returns.
  ///
  /// Clean text from elsewhere with a ``/IDXBase/TextSanitizer`` first. While a question or a status line is
  /// shown, lines appear above it. If the terminal was closed, nothing is written, and the next line that is
  /// read is ``Line/endOfInput``.
  public func write(_ text: String) {
    state.withLock { state in
      state.busy = nil
      let hadStatus = clearStatus(&state)
      let hadPrompt =
        state.request?.kind.isKey == false && text.hasSuffix("\n") && !state.isSuspended
      if hadPrompt { device.write(style.redraws ? "\r\u{1B}[J" : "\n") }
      device.write(text)
      if hadPrompt || hadStatus && text.hasSuffix("\n") { showPrompt(&state) }
    }
  }

  /// Writes the prompt and waits for a line.
  ///
  /// Afterwards the cursor is at the start of a line, whatever the result. Arrows, Home, End, Delete,
  /// Ctrl-A, -E, -K, -U, -W and the usual keys for words edit the line. Several calls at once are served one
  /// after the other.
  ///
  /// - Parameters:
  ///   - prompt: The text before the cursor, which may be wrapped.
  ///   - secret: Whether the typed text is hidden. Only a hidden line may have been typed before the
  ///     prompt appeared.
  /// - Throws: `CancellationError` soon after the task is canceled; the text that was typed by then is
  ///   dropped, so that it reaches neither another question nor the shell. ``TerminalError`` if the
  ///   system fails.
  public func readLine(prompt: String, secret: Bool = false) async throws -> Line {
    try await serve(
      LineRequest(secret ? .secretLine : .line, prompt: prompt, takesTypedAhead: secret))
  }

  /// Writes the prompt and waits for a hidden line that was not typed before the question.
  ///
  /// `dropNotice` is the line to write if text that was typed before is dropped.
  func readSecretLine(prompt: String, dropNotice: String) async throws -> Line {
    try await serve(LineRequest(.secretLine, prompt: prompt, dropNotice: dropNotice))
  }

  /// Writes the prompt and waits for a line that is visible.
  ///
  /// - Parameters:
  ///   - lines: The lines to which Up and Down change the text; nil for the earlier answers.
  ///   - isRemembered: Whether later questions can recall the answer.
  ///   - dropNotice: The line to write if text that was typed before the question is dropped.
  ///   - shows: Whether a text is shown while it is typed; by default every text.
  func readLine(
    prompt: String, lines: [String]?, isRemembered: Bool = false, dropNotice: String,
    shows: @escaping @Sendable (String) -> Bool = { _ in true }
  ) async throws -> Line {
    try await serve(
      LineRequest(
        .line, prompt: prompt, lines: lines, isRemembered: isRemembered, dropNotice: dropNotice,
        shows: shows))
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
  ///   - status: Returns the status for the number of ticks so far, and of the characters that were typed
  ///     if text is accepted; not wider than the window, and nil to keep the last one.
  func waitForKey(
    acceptsText: Bool = false, ticks: AsyncStream<Void>,
    status: @escaping @Sendable (_ tick: Int, _ typed: Int) -> String?
  ) async throws -> Line {
    let request = LineRequest(.key(orText: acceptsText))
    @Sendable func update(at tick: Int) {
      let typed = state.withLock { $0.request === request ? $0.editor.text.count : 0 }
      show(status: status(tick, typed), for: request)
    }
    // Ends, and is waited for, when the request was served.
    async let _: Void = {
      update(at: 0)
      var count = 0
      for await _ in ticks where !Task.isCancelled {
        count += 1
        update(at: count)
      }
    }()
    return try await serve(request)
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
    if device.isInBackground { JobControl.stopInBackground() }
    state.withLock { state in
      // First, because a part of a line can be read only in the mode that reads keys.
      own(&state)
      if !request.takesTypedAhead { dropTypedAhead(&state, request.dropNotice) }
      clearStatus(&state)
      state.busy = nil
      state.request = request
      state.editor = editor(for: request, state)
      if !state.isSuspended { showPrompt(&state) }
    }
    do {
      let line = try waitForLine(request)
      finish(line, of: request)
      return line
    } catch {
      state.withLock { state in
        state.dropKeys()
        if !state.isSuspended, !device.isInBackground { device.discardInput() }
      }
      finish(nil, of: request)
      throw error
    }
  }

  private func editor(for request: LineRequest?, _ state: State) -> LineEditor {
    LineEditor(lines: request?.kind == .line ? request?.lines ?? state.history : [])
  }

  /// Drops the keys that were typed before a question, and says so if they were more than Enter.
  private func dropTypedAhead(_ state: inout State, _ notice: String) {
    if let bytes = try? device.readAvailable() { state.keys += state.reader.read(bytes) }
    let hadText = state.keys.contains { if case .text = $0 { true } else { false } }
    state.dropKeys()
    if hadText, !notice.isEmpty {
      clearStatus(&state)
      device.write(notice)
    }
  }

  private func finish(_ line: Line?, of request: LineRequest) {
    state.withLock { state in
      clearStatus(&state)
      var row = ""
      if request.kind == .line, line != nil, !state.isSuspended {
        row = state.row.finish(shown(state.editor, of: request), columns: columns)
      }
      if request.kind == .secretLine, case .text(let typed)? = line, !state.isSuspended,
        !["", "?"].contains(typed.revealed)
      {
        row = style.secretTrace
      }
      if !request.kind.isKey { device.write(row + "\n") }
      if request.isRemembered, case .text(let typed)? = line, !typed.revealed.isEmpty,
        state.history.last != typed.revealed
      {
        state.history.append(typed.revealed)
      }
      state.request = nil
      state.editor = LineEditor()
      disown(&state)
    }
  }

  // MARK: Keys

  private func waitForLine(_ request: LineRequest) throws -> Line {
    while true {
      if request.isCancelled { throw CancellationError() }
      if let line = state.withLock({ takeKeys(&$0, request) }) {
        if request.kind.isKey, line == .text("?") { try dropEnter() }
        return line
      }
      guard let bytes = try JobControl.stoppable({ try device.readAvailable() }) else {
        return .endOfInput
      }
      if !bytes.isEmpty {
        state.withLock { $0.keys += $0.reader.read(bytes) }
      } else if state.withLock({ $0.reader.isIncomplete }) {
        // An Escape alone is dropped. One that begins a sequence is followed by the rest at once.
        if try !Readiness.canRead(device.descriptor, within: 100) {
          state.withLock { $0.keys += $0.reader.flush() }
        }
      } else {
        // Emptied before the check, so that whoever cancels after it is heard.
        wake.drain()
        if request.isCancelled { continue }
        try Readiness.waitToRead([device.descriptor, wake.descriptor])
      }
    }
  }

  /// Uses the keys up to the one that ends the request; the others are left for the next one.
  private func takeKeys(_ state: inout State, _ request: LineRequest) -> Line? {
    guard !state.keys.isEmpty else { return nil }
    var used = 0
    var line: Line?
    while line == nil, used < state.keys.count {
      line = take(state.keys[used], &state.editor, request.kind)
      used += 1
    }
    state.keys.removeFirst(used)
    // The end of a line draws it too.
    if line == nil, request.kind == .line, !state.isSuspended {
      device.write(state.row.update(shown(state.editor, of: request), columns: columns))
    }
    return line
  }

  /// What a line shows of its text: all or nothing.
  private func shown(_ editor: LineEditor, of request: LineRequest) -> LineEditor {
    request.shows(editor.text) ? editor : LineEditor()
  }

  private func take(
    _ key: Key, _ editor: inout LineEditor, _ kind: LineRequest.Kind
  ) -> Line? {
    guard case .key(let orText) = kind else {
      return editor.press(key)
    }
    switch key {
    // In an address a question mark is part of the text.
    case .text("?") where !orText || !editor.text.contains(":"): return .text("?")
    case .enter: return .text(orText ? editor.text : "")
    case .endOfInput: return .endOfInput
    default:
      if orText { _ = editor.press(key) }
      return nil
    }
  }

  /// Drops an Enter that follows within 300 ms: at other prompts `?` needs an Enter.
  private func dropEnter() throws {
    if state.withLock({ $0.keys.isEmpty }),
      try Readiness.canRead(device.descriptor, within: 300),
      let bytes = try device.readAvailable()
    {
      state.withLock { $0.keys += $0.reader.read(bytes) }
    }
    state.withLock { state in
      if state.keys.first == .enter { state.keys.removeFirst() }
    }
  }

  // MARK: Prompt and status

  /// Writes the prompt and the text that is typed, unless the process is in the background.
  private func showPrompt(_ state: inout State) {
    guard let request = state.request, !device.isInBackground else { return }
    let prompt = request.prompt
    if request.kind.isKey {
      if !prompt.isEmpty { showStatus(prompt, &state) }
      return
    }
    let rows = state.row.begin(prompt, columns: columns)
    device.write(rows.map { $0 + "\n" }.joined())
    device.write(
      request.kind == .line
        ? state.row.redraw(shown(state.editor, of: request), columns: columns)
        : state.row.prompt)
  }

  private func show(status: String?, for request: LineRequest) {
    guard let status else { return }
    guard style.redraws else {
      write(status + "\n")
      return
    }
    request.change(prompt: status)
    state.withLock { state in
      guard state.request === request, !state.isSuspended, !device.isInBackground
      else { return }
      showStatus(status, &state)
    }
  }

  /// Whether the last thing that was shown is what the program is busy with.
  var isBusy: Bool { state.withLock { $0.busy != nil } }

  /// Shows what the program is busy with, unless a question is on the screen.
  ///
  /// Without redrawing, it is a line that is written once, until another one or something else is shown.
  func show(busy status: String) {
    state.withLock { state in
      guard state.request == nil, !state.isSuspended, !device.isInBackground else { return }
      if style.redraws {
        showStatus(status, &state)
      } else if state.busy != status {
        device.write(status + "\n")
      }
      state.busy = status
    }
  }

  /// Removes the line of ``show(busy:)``.
  func hideBusy() {
    state.withLock { state in
      if state.busy != nil { clearStatus(&state) }
    }
  }

  private func showStatus(_ status: String, _ state: inout State) {
    device.write(Self.replacingLine(with: status))
    state.status = status
  }

  /// Removes the status line; returns whether one was shown.
  @discardableResult
  private func clearStatus(_ state: inout State) -> Bool {
    guard state.status != nil else { return false }
    state.status = nil
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
