import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXPrompt
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard streams: results go to standard output, everything else to standard error.
struct Streams: Sendable {
  /// The terminal that shows a sign-in, whose question or status stays below the notes; nil if there is none.
  var terminal: InteractiveTerminal?
  /// Where results go; to standard error if they are only a step of another command.
  var results = STDOUT_FILENO
  /// The program that shows the sign-in, which gets notes and the result as lines of JSON; nil if there is none.
  var program: ProgramLines?
  /// The words of the language that the person chose with `--lang` or the locale; nil for English.
  var chosenWords: Words?

  /// Keeps the words of each command in a line together, because a person copies it.
  var keepingCommands: @Sendable (_ line: String) -> String = { $0 }

  /// Asks the person at the terminal; nil if there is none.
  var dialog: TerminalDialog? { terminal.map { TerminalDialog(terminal: $0, words: words) } }

  /// The words for the person.
  var words: Words { chosenWords ?? .english }

  /// Whether results go to a terminal, where other people may see them.
  var showsResults: Bool { isatty(results) == 1 }

  /// Writes a line of results; throws if that fails, because a lost result is not a success.
  func result(_ line: String) throws(CommandFailure) {
    try result(bytes: Array((line + "\n").utf8))
  }

  /// Writes bytes to standard output as they are.
  func result(bytes: [UInt8]) throws(CommandFailure) {
    guard let code = write(all: bytes, to: results) else { return }
    let reason = String(cString: strerror(code))
    throw CommandFailure(.unexpected, "The output cannot be written: \(reason).")
  }

  /// Writes a text for the person to the results; at a terminal, a line that is longer than its window is
  /// broken between words.
  func result(text: String) throws(CommandFailure) {
    try result(Self.width(of: results).map { broken(text, at: $0) } ?? text)
  }

  private func broken(_ text: String, at width: Int) -> String {
    PageText.broken(text, at: width, keeping: keepingCommands)
  }

  /// Writes a text about this program; at a terminal, it fits the window.
  func page(_ text: String) throws(CommandFailure) {
    try result(Self.width(of: STDOUT_FILENO).map { PageText.fitted(text, to: $0) } ?? text)
  }

  /// Writes a text of the help: it fits the window of a terminal, and 80 columns elsewhere.
  func help(_ text: String) throws(CommandFailure) {
    guard isatty(STDOUT_FILENO) == 1 else { return try result(PageText.fitted(text, to: 80)) }
    let style = Self.style(of: STDOUT_FILENO)
    let fitted = Self.width(of: STDOUT_FILENO).map { PageText.fitted(text, to: $0) } ?? text
    let lines = fitted.split(separator: "\n", omittingEmptySubsequences: false)
    try result(
      lines.map { $0.hasSuffix(":") && !$0.hasPrefix(" ") ? style.bold(String($0)) : String($0) }
        .joined(separator: "\n"))
  }

  /// The columns for texts at a terminal; nil if no line is broken: in a file or a pipe, or if lines are read aloud.
  private static func width(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1, let width = TextWrapper.width(ofTerminal: descriptor) else {
      return nil
    }
    return style(of: descriptor).isAccessible ? nil : width
  }

  /// The colors of a stream, which a file or a pipe does not have.
  private static func style(of descriptor: Int32) -> TerminalStyle {
    guard isatty(descriptor) == 1 else {
      return TerminalStyle(usesColor: false, usesUnicode: false)
    }
    let names = ["TERM", "IDX_FLOW_ACCESSIBLE", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"]
    let variables = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return TerminalStyle(environment: Dictionary(uniqueKeysWithValues: variables))
  }

  /// The colors of results.
  var resultStyle: TerminalStyle { Self.style(of: results) }

  /// Writes a JSON value as a line of results.
  func result(_ json: JSONValue) throws(CommandFailure) {
    if let program { try program.end(json) } else { try result(json.visibleText) }
  }

  /// Writes the object for programs or the text for people.
  func result(asJSON: Bool, _ text: () -> String, _ json: () -> JSONValue) throws(CommandFailure) {
    if asJSON { try result(json()) } else { try result(text: text()) }
  }

  /// Writes a sentence for the person, in their language; errors are ignored.
  ///
  /// One that is only a remark is faint.
  func note(_ sentence: Sentence, isFaint: Bool = false) {
    let text = words.text(of: sentence)
    guard isFaint, program == nil else { return note(text: text) }
    let style = Self.style(of: STDERR_FILENO)
    log(text: text, style.dim)
  }

  /// Writes a text for the person as it is; errors are ignored.
  func note(text: String) {
    if program?.tell(.note, text) != true { log(text: text) }
  }

  /// Writes a sentence to standard error, in the language of the person, also if a program shows the sign-in.
  func log(_ sentence: Sentence) { log(text: words.text(of: sentence)) }

  /// Writes a text to standard error as it is, also if a program shows the sign-in; errors are ignored.
  ///
  /// If standard error is a terminal, a line that is longer than its window is broken between words.
  func log(text: String, _ styled: (String) -> String = { $0 }) {
    let lines = styled(Self.width(of: STDERR_FILENO).map { broken(text, at: $0) } ?? text)
    if let terminal, isatty(STDERR_FILENO) == 1 { return terminal.write(lines + "\n") }
    // A command that nobody listens to still saves or revokes what it got.
    _ = writeIgnoringClosedPipe(all: Array((lines + "\n").utf8), to: STDERR_FILENO)
  }

  /// Reports why a command failed: with a sentence on standard error and, with `--json` or for a program that shows
  /// the sign-in, an object on standard output.
  ///
  /// `state` is the last state of a sign-in, whose messages are added to the object, and whose forms if
  /// input was needed. Returns the exit status.
  func report(_ failure: CommandFailure, asJSON: Bool, at state: FlowState? = nil) -> ExitCode {
    // It may contain the name of a file or a word of the command line.
    let sentence = failure.sentence.mapValues(TextSanitizer().clean)
    let style = Self.style(of: STDERR_FILENO)
    let name = "idx-flow:"
    log(text: words.text(of: "idx-flow: \(sentence)")) { text in
      text.hasPrefix(name) ? style.red(name) + text.dropFirst(name.count) : text
    }
    let remedy = failure.remedySentence?.mapValues(TextSanitizer().clean)
    if let remedy { log("What to do: \(remedy)") }
    guard asJSON || program != nil else { return failure.exitCode }
    let summary = state.map { ResponseSummary(reporting: $0).json }
    let notes = state.flatMap { $0.isAtEnd ? Screen(end: $0).notes.map(\.sanitized) : nil } ?? []
    let object: JSONValue = [
      "status": "failed", "exit_status": JSONValue(Int(failure.exitCode.rawValue)),
      "message": .string("\(sentence)"),
    ]
    let json =
      object
      .adding("code", failure.code.map(JSONValue.string))
      .adding("setup_problem", failure.setup.map { .string($0.kind.rawValue) })
      .adding("remedy", remedy.map { .string("\($0)") })
      .adding("step", failure.cause?.remediation.map { .string($0.rawValue) })
      .adding("http_status", failure.cause?.status.map { JSONValue($0) })
      .adding("request_id", failure.cause?.requestID.map(JSONValue.string))
      .adding(
        "retry_after", failure.cause?.retryAfter.map { JSONValue(Int($0.components.seconds)) }
      )
      .adding("messages", summary?["messages"])
      .adding("notes", .array(notes.map(JSONValue.string)), if: !notes.isEmpty)
      .adding(
        "asks", summary?["remediations"],
        if: failure.exitCode == .inputNeeded
          || failure.code == FlowError.Code.invalidAnswers.rawValue)
    // If the object cannot be written, the exit status still reports the failure.
    try? result(json)
    return failure.exitCode
  }

  /// Opens `/dev/null` for each standard stream that was closed before the program started.
  ///
  /// Otherwise the next file or connection would get the number of the stream, and tokens could be
  /// written to it. The replacement cannot be written to, so that a lost result is still an error.
  static func fillClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
