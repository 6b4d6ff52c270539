import IDXBase
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lines of JSON between this command and a program that shows the sign-in (`--front-end json`).
///
/// The schema `front-end-1.schema.json` of the documentation says what each line is.
struct ProgramLines: Sendable {
  static let option = OptionSpec(
    "--front-end", value: "FORMAT", of: .oneOf(["json"]),
    "let a program show the sign-in, with lines of this format: json")

  /// What a line of news is.
  enum News: String {
    /// The server has accepted something.
    case success
    /// Something to know.
    case note
    /// A line of the program cannot be used.
    case error
  }

  /// The lines of the program.
  let input: LineReader

  private let output: Int32
  /// Whether the last line was written; the lock also keeps lines apart.
  private let hasEnded = Locked(false)

  init(reading input: Int32 = STDIN_FILENO, writing output: Int32 = STDOUT_FILENO) {
    self.input = LineReader(input)
    self.output = output
  }

  /// Writes a screen; throws if the program does not read any more.
  func show(_ screen: JSONValue) throws(CommandFailure) {
    try write("screen", ["screen": screen])
  }

  /// Writes news; returns whether that worked.
  @discardableResult
  func tell(_ kind: News, _ text: String) -> Bool {
    (try? write("news", ["kind": .string(kind.rawValue), "text": .string(text)])) != nil
  }

  /// Writes the result as the last line.
  func end(_ result: JSONValue) throws(CommandFailure) { try write("end", result, isLast: true) }

  private func write(
    _ type: String, _ members: JSONValue, isLast: Bool = false
  ) throws(CommandFailure) {
    let head: JSONValue = ["type": .string(type), "version": 1]
    let line = (members.object?.members ?? []).reduce(head) { $0.adding($1.name, $1.value) }
    let bytes = Array((line.visibleText + "\n").utf8)
    let code: Int32? = hasEnded.withLock { hasEnded in
      guard !hasEnded else { return EPIPE }
      hasEnded = isLast
      return IDXSystem.write(all: bytes, to: output)
    }
    guard let code else { return }
    throw CommandFailure(
      .unexpected, "The output cannot be written: \(String(cString: strerror(code))).")
  }
}
