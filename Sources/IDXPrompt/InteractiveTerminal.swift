public import IDXBase
import IDXSystem
import Dispatch

/// The terminal of the person who runs the program, apart from the standard streams.
///
/// Prompts go to `/dev/tty` and answers come from it, so that standard output holds results alone and
/// standard input may be a pipe. Lines are edited by the system, which on Linux takes 4095 bytes to a
/// line, on macOS 1024.
///
/// The terminal is put into another mode for as long as a line is read and put back after, whether the
/// line came, the input ended, or the task was cancelled. Signals are not watched here: ``SignalWatch``
/// ties them to a terminal.
public final class InteractiveTerminal: Sendable {
  /// What came of asking for a line.
  public enum Line: Sendable, Hashable {
    /// What was typed before Enter, without control characters; bytes that are no UTF-8 are repaired.
    case text(String)
    /// Ctrl-D on an empty line, or the terminal is gone.
    case endOfInput
  }

  struct Asking {
    let request: LineRequest
    /// The mode to go back to; nil while the terminal is as it was.
    var earlierMode: TerminalMode?
    var isStatusShown = false
  }

  struct State {
    var asking: Asking?
    var isSuspended = false
    var pending: [UInt8] = []
  }

  /// The colours and glyphs that suit the terminal.
  public let style: TerminalStyle

  let device: TerminalDevice
  let wake: SelfPipe
  let state = Locked(State())
  // A thread of its own: reading blocks, which a task may not.
  private let readers = DispatchQueue(label: "idx-flow.terminal")

  /// Opens a terminal.
  ///
  /// - Parameters:
  ///   - path: The device; by default the terminal that controls the process.
  ///   - environment: The variables that ``TerminalStyle/init(environment:)`` reads.
  /// - Throws: A ``TerminalError`` where there is no terminal, as under cron.
  public init(
    path: String = "/dev/tty", environment: [String: String]
  ) throws(TerminalError) {
    device = try TerminalDevice(path: path)
    do { wake = try SelfPipe() } catch {
      throw TerminalError(
        .failed, message: "No pipe could be opened (error \(error.code)).", systemCode: error.code)
    }
    style = TerminalStyle(environment: environment)
  }

  /// How many columns the window has now; 80 where the terminal does not know.
  public var columns: Int { device.size?.columns ?? 80 }

  /// How many rows the window has now; 24 where the terminal does not know.
  public var rows: Int { device.size?.rows ?? 24 }

  /// Writes the text as it is, all of it before it returns.
  ///
  /// Text from elsewhere is to pass a ``TextSanitizer`` first. If the terminal is gone nothing happens;
  /// the next line asked for is then ``Line/endOfInput``. Under a status line it stands above that.
  public func write(_ text: String) {
    state.withLock { state in
      let isOverStatus = clearStatus(&state)
      device.put(text)
      if isOverStatus, text.hasSuffix("\n") { show(&state) }
    }
  }

  /// Writes the prompt and waits for a line.
  ///
  /// Whatever comes of it, the cursor is at the start of a line afterwards. A line that was typed before
  /// the prompt was written counts, and is shown after its prompt unless it is secret. If several ask at
  /// once, they are served in turn.
  ///
  /// - Parameters:
  ///   - prompt: What to write before the cursor, as it is.
  ///   - secret: Whether what is typed stays unseen.
  /// - Throws: `CancellationError` soon after the task was cancelled; what had been typed by then is
  ///   dropped, lest it answer another question or end up in the shell. A ``TerminalError`` where the
  ///   system fails.
  public func readLine(prompt: String, secret: Bool = false) async throws -> Line {
    try await serve(LineRequest(secret ? .secretLine : .line, prompt: prompt))
  }

  /// Has a request served in its turn.
  func serve(_ request: LineRequest) async throws -> Line {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        request.wait(continuation)
        readers.async { self.answer(request) }
      }
    } onCancel: {
      request.cancel()
      wake.send(0)
    }
  }

  /// Puts the terminal back as it was before a line was asked for, to be called before the process
  /// stops or exits in the middle of it.
  ///
  /// What was typed of the line is dropped. Without a line being asked for it does nothing.
  public func suspend() {
    state.withLock { state in
      guard !state.isSuspended else { return }
      state.isSuspended = true
      clearStatus(&state)
      if let asking = state.asking { restore(asking, discarding: true) }
    }
  }

  /// Goes on asking after the process was stopped, whether or not ``suspend()`` was called before.
  ///
  /// The mode of the terminal is set and the prompt written anew. In the background, where the shell has
  /// the terminal, the process stops once more, until it is brought to the foreground. Without a line
  /// being asked for it does nothing.
  public func resume() {
    let mustStop = state.withLock { state in
      guard let asking = state.asking, !asking.request.isCancelled else {
        state.isSuspended = false
        return false
      }
      guard !device.isInBackground else { return true }
      // The person may have changed the mode from the shell meanwhile.
      if state.isSuspended { state.asking?.earlierMode = nil }
      state.isSuspended = false
      // Where the process was stopped without `suspend()`, the prompt may stand there already.
      device.put("\r")
      show(&state)
      return false
    }
    if mustStop { JobControl.stopInBackground() }
  }
}

extension InteractiveTerminal.Line: Redacted {
  /// Whether there was a line, never what was typed.
  public var description: String {
    switch self {
    case .text: "a line"
    case .endOfInput: "end of input"
    }
  }
}
