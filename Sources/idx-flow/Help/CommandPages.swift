/// The pages of the documentation about the commands, in Markdown (CommonMark), from the definitions that the parser
/// uses too.
enum CommandPages {
  /// All pages, one after the other; each begins with a heading of the first level.
  static func text(of commands: CommandList) -> String {
    commands.all.map(page).joined(separator: "\n")
  }

  private static func page(of command: any Command.Type) -> String {
    let forms = command.usage.map { "idx-flow \($0)" }
    var blocks = [
      "# idx-flow \(command.name)", line(command.summary), "## Overview", text(command.purpose),
      code(forms.joined(separator: "\n"), in: "text"),
    ]
    if !command.aliases.isEmpty {
      blocks.append("Also: \(command.aliases.map { "`idx-flow \($0)`" }.joined(separator: ", "))")
    }
    let rows = command.allOptions.map { "| `\($0.head)` | \(line($0.help)) |" }
    blocks += [
      "### Options", (["| Option | Meaning |", "| --- | --- |"] + rows).joined(separator: "\n"),
    ]
    if !command.examples.isEmpty { blocks.append("### Examples") }
    for example in command.examples {
      blocks += ["\(line(example.purpose)):", code(example.text, in: "sh")]
    }
    let notes = [command.notes, command.details].compactMap(\.self)
    if !notes.isEmpty { blocks += ["### More information"] + notes.map(text) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// Paragraphs; one with indented lines is shown as it is written.
  private static func text(_ text: String) -> String {
    var blocks: [[Substring]] = [[]]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty { blocks.append([]) } else { blocks[blocks.count - 1].append(line) }
    }
    return blocks.map { lines in
      let block = lines.joined(separator: "\n")
      return block.hasPrefix(" ") ? code(block, in: "text") : line(block)
    }.joined(separator: "\n\n")
  }

  private static func code(_ text: String, in language: String) -> String {
    "```\(language)\n\(text)\n```"
  }

  /// A text in which options are shown as code, and no other character has a meaning.
  private static func line(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let option = word.prefix { $0 == "-" || $0.isLetter }
      guard option.hasPrefix("--"), option.count > 2 else { return escaped(word) }
      return "`\(option)`" + escaped(word[option.endIndex...])
    }.joined(separator: " ")
  }

  private static func escaped(_ text: Substring) -> String {
    text.reduce(into: "") { result, character in
      if #"\`*_[]<>|"#.contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
