import Foundation

/// The texts of `--help`.
enum HelpText {
  /// The output of `idx-flow --help`.
  static func overview(of list: CommandList) -> String {
    let commands = list.all
    let width = commands.map { $0.name.count }.max() ?? 0
    let groups = CommandGroup.allCases.map { group in
      let rows = commands.filter { $0.group == group }.map { command in
        let words = command.aliases.filter { !$0.hasPrefix("-") }
        let aliases = words.isEmpty ? "" : " Also: \(words.joined(separator: ", "))."
        let name = command.name.padding(toLength: width, withPad: " ", startingAt: 0)
        return ("  \(name)", command.summary + aliases)
      }
      return "\(group.rawValue):\n" + twoColumns(rows)
    }
    return """
      idx-flow signs you in to Okta Identity Engine at a prompt, with one or more factors, and saves
      the tokens.

      Usage: idx-flow COMMAND [OPTION...]

      \(groups.joined(separator: "\n\n"))

      Examples:
        idx-flow signin --demo            try it with an org simulated in memory
        idx-flow signin --demo list       see what else can be tried
        idx-flow status                   see who is signed in

      Help: idx-flow COMMAND --help, idx-flow help exit-status, idx-flow man

      """
  }

  /// The output of `idx-flow NAME --help`.
  static func help(for command: any Command.Type) -> String {
    let forms = command.usage.map { "idx-flow \($0)" }.joined(separator: "\n       ")
    let aliases = command.aliases.map { "idx-flow \($0)" }
    let examples = command.examples.map { example in
      let lines = example.text.split(separator: "\n").map { "  \($0)" }
      return (["  # \(example.purpose)"] + lines).joined(separator: "\n")
    }
    let groups = command.optionGroups
    let width = groups.flatMap(\.options).map(\.head.count).max() ?? 0
    let options = groups.map { group in
      let rows = group.options.map { option in
        ("  " + option.head.padding(toLength: width, withPad: " ", startingAt: 0), option.help)
      }
      return "\(group.heading):\n" + twoColumns(rows)
    }
    let also = aliases.isEmpty ? "" : "\nAlso: \(aliases.joined(separator: ", "))"
    let manual = "The manual says more: idx-flow man > idx-flow.1; man ./idx-flow.1"
    let paragraphs: [String?] = [
      command.purpose, "Usage: \(forms)\(also)", options.joined(separator: "\n\n"),
      examples.isEmpty ? nil : "Examples:\n\(examples.joined(separator: "\n"))", command.notes,
      command.details == nil ? nil : manual,
    ]
    return paragraphs.compactMap(\.self).joined(separator: "\n\n") + "\n"
  }

  /// The output of `idx-flow help exit-status`.
  static var exitStatus: String {
    "The exit status of every command:\n\n\(ExitCode.table)\n"
  }
}
