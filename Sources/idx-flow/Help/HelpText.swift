import Foundation
import IDXPrompt

/// The texts of `--help`.
enum HelpText {
  /// The output of `idx-flow --help`.
  static var overview: String {
    let commands = IDXFlowCommand.commands
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
    return [
      command.purpose,
      "Usage: \(forms)" + (aliases.isEmpty ? "" : "\nAlso: \(aliases.joined(separator: ", "))"),
      "Options:\n" + twoColumns(command.allOptions.map { ("  \($0.head)", $0.help) }),
      examples.isEmpty ? nil : "Examples:\n" + examples.joined(separator: "\n"),
      command.notes,
      command.details == nil
        ? nil : "The manual says more: idx-flow man > idx-flow.1; man ./idx-flow.1",
    ].compactMap(\.self).joined(separator: "\n\n") + "\n"
  }

  /// The output of `idx-flow help exit-status`.
  static var exitStatus: String {
    "The exit status of every command:\n\n\(ExitCode.table)\n"
  }
}

extension HelpText {
  /// A text of the program itself for a window of this width.
  ///
  /// Paragraphs are filled again. The second column of a table continues under its beginning. Commands, which
  /// are copied, stay on their line.
  static func fitted(_ text: String, to width: Int) -> String {
    let wrapper = TextWrapper(width: width)
    let end = text.hasSuffix("\n") ? "\n" : ""
    return text.dropLast(end.count).split(separator: "\n\n").map { paragraph -> String in
      let lines = paragraph.split(separator: "\n")
      guard lines.contains(where: { $0.count > width }) else {
        return lines.joined(separator: "\n")
      }
      if !lines.contains(where: { $0.hasPrefix(" ") || $0.hasPrefix("Usage:") }) {
        return wrapper.lines(of: lines.joined(separator: " ")).joined(separator: "\n")
      }
      return lines.flatMap { line -> [String] in
        guard line.count > width, let second = line.firstMatch(of: /^ *\S.*?  +(?=\S)/) else {
          return [String(line)]
        }
        let (first, rest) = (String(second.0), String(line[second.range.upperBound...]))
        // In a narrow window the second column is below the first.
        guard first.count * 3 <= width * 2 else {
          return [first] + wrapper.lines(of: rest, prefix: "      ")
        }
        return wrapper.lines(of: rest, prefix: first)
      }.joined(separator: "\n")
    }.joined(separator: "\n\n") + end
  }
}

/// Rows with two columns, the second of which starts two spaces after the longest text of the first.
func twoColumns(_ rows: [(String, String)]) -> String {
  let width = (rows.map(\.0.count).max() ?? 0) + 2
  return rows.map { $0.0.padding(toLength: width, withPad: " ", startingAt: 0) + $0.1 }
    .joined(separator: "\n")
}
