import IDX
import IDXBase

/// A command of `idx-flow`: `idx-flow NAME [OPTION...]`.
protocol Command {
  static var name: String { get }
  /// One line for the overview.
  static var summary: String { get }
  static var help: CommandHelp { get }
  /// The number of operands, which are arguments other than options; by default none.
  static var operands: ClosedRange<Int> { get }
  /// The operand as it is written in the usage: `USER`.
  static var operandName: String { get }

  /// Runs the command on the main thread, so that a simple command starts no other thread.
  @MainActor static func run(_ call: CommandCall) async throws -> ExitCode
}

extension Command {
  static var operands: ClosedRange<Int> { 0...0 }
  static var operandName: String { "an operand" }
}

/// The options of a command line, and what a command needs to run.
struct CommandCall {
  let options: CommandLineOptions
  let streams: Streams
  let readEnvironment: @Sendable () -> [String: String]

  var environment: [String: String] { readEnvironment() }

  var asJSON: Bool { has("--json") }

  func has(_ flag: String) -> Bool { options.flags.contains(flag) }

  /// Writes a result: the object with `--json`, otherwise the text.
  func result(_ text: @autoclosure () -> String, _ json: @autoclosure () -> JSONValue) throws {
    try streams.result(asJSON ? json().text : text())
  }
}

/// The output of `idx-flow NAME --help`.
struct CommandHelp {
  /// What the command does, in full sentences.
  let purpose: String
  /// The forms of the command line, without the name of the program.
  let usage: [String]
  /// The options without `--help`, which every command has.
  let options: [OptionSpec]
  /// More information, after the options.
  var notes: String?

  var allOptions: [OptionSpec] { options + [OptionSpec("--help", "show this help")] }

  var text: String {
    let forms = usage.enumerated().map {
      ($0.offset == 0 ? "Usage: " : "       ") + "idx-flow \($0.element)"
    }
    let sections: [String?] = [
      purpose, forms.joined(separator: "\n"), "Options:\n" + optionList, notes,
      "Exit status:\n" + ExitCode.table,
    ]
    return sections.compactMap(\.self).joined(separator: "\n\n") + "\n"
  }

  private var optionList: String {
    let heads = allOptions.map(\.head)
    let width = heads.map(\.count).max() ?? 0
    return zip(heads, allOptions).map { head, option in
      "  " + head + String(repeating: " ", count: width - head.count + 2) + option.help
    }.joined(separator: "\n")
  }
}
