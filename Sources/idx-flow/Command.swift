/// One of the things that `idx-flow` does: `idx-flow NAME [OPTION...]`.
protocol Command {
  static var name: String { get }
  /// What it does, in a line of the overview.
  static var summary: String { get }
  static var help: CommandHelp { get }

  /// Takes the words after the name; throws a ``CommandFailure`` where they do not go together.
  init(_ options: CommandLineOptions, _ environment: [String: String]) throws

  func run(_ streams: Streams) async throws -> ExitCode
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
