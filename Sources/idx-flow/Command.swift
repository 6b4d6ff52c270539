import IDXBase
import IDX

/// One of the things that `idx-flow` does: `idx-flow NAME [OPTION...]`.
protocol Command {
  static var name: String { get }
  /// What it does, in a line of the overview.
  static var summary: String { get }
  static var help: CommandHelp { get }
  /// How many words may follow that are no options.
  static var operands: ClosedRange<Int> { get }

  /// Runs it; on the main thread, so that what needs no other starts none.
  @MainActor static func run(_ call: CommandCall) async throws -> ExitCode
}

extension Command {
  static var operands: ClosedRange<Int> { 0...0 }
}

/// What a command is called with.
struct CommandCall {
  let options: CommandLineOptions
  let streams: Streams
  let readEnvironment: @Sendable () -> [String: String]

  var environment: [String: String] { readEnvironment() }

  var asJSON: Bool { has("--json") }

  func has(_ flag: String) -> Bool { options.flags.contains(flag) }

  /// Prints the object where JSON is asked for, else the text.
  func result(_ text: @autoclosure () -> String, _ json: @autoclosure () -> JSONValue) throws {
    try streams.result(asJSON ? json().text : text())
  }
}

/// What `--help` tells of a command.
struct CommandHelp {
  /// What it does, in full sentences.
  let purpose: String
  /// The forms that the command line may have, without the program's name.
  let usage: [String]
  /// The options but `--help`, which every command has.
  let options: [OptionSpec]
  /// What else there is to know; nil for nothing.
  var notes: String?

  /// Every option.
  var allOptions: [OptionSpec] { options + [OptionSpec("--help", "this text")] }

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
