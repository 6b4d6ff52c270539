import IDXOAuth
import IDXSimulatedOrg

/// What can come next on a command line, from the definitions that the parser uses too.
enum Completion: Equatable {
  /// The name of a file: the shell completes it.
  case files
  /// These words; the list may be empty.
  case words([Word])

  struct Word: Equatable {
    let text: String
    /// One line about the word; may be empty.
    var summary = ""
  }

  /// The words for the end of a command line; the last element of `words` is being typed, and may be empty.
  ///
  /// `users` returns the names of users for the options of the command line, and `profiles` those of
  /// profiles. A shell asks for this at every Tab key, so it throws nothing and says nothing about a command
  /// line that is wrong.
  static func next(
    after words: [String], among commands: CommandList,
    users: (CommandLineOptions) async -> [String],
    profiles: () -> [String] = { [] }
  ) async -> Completion {
    let typed = words.last ?? ""
    guard words.count > 1 else { return .words(names(of: commands, startingWith: typed)) }
    guard let command = commands[words[0]] else { return .words([]) }
    var line = PartialLine(of: command)
    for word in words.dropFirst().dropLast() { line.take(word) }
    let values: AcceptedValues
    var prefix = ""
    if let option = line.awaited, !(option.isValueOptional && typed.hasPrefix("-")) {
      values = option.values
    } else if !line.hasEndedOptions, typed.hasPrefix("-") {
      guard let sign = typed.firstIndex(of: "=") else {
        return .words(
          command.allOptions.filter { $0.name.hasPrefix(typed) }
            .map { Word(text: $0.name, summary: $0.help) })
      }
      let name = typed[..<sign]
      guard let option = command.allOptions.first(where: { $0.name == name && $0.value != nil })
      else { return .words([]) }
      values = option.values
      prefix = typed[...sign].description
    } else {
      guard let operand = command.operand, line.operands < operand.maximum else {
        return .words([])
      }
      values = line.operands == 0 ? operand.values : operand.laterValues
    }
    if case .file = values { return .files }
    if case .listOf = values {
      let start = typed.dropFirst(prefix.count)
      prefix += start.lastIndex(of: ",").map { String(start[...$0]) } ?? ""
    }
    let known: [Word]
    switch values {
    case .file, .anything: known = []
    case .oneOf(let words), .listOf(let words): known = words.map { Word(text: $0) }
    case .demo:
      let name = line.options[Setting.flow.option] ?? "idx"
      let demos = OrgScenario.all.filter { demo in
        demo.protocols.contains { $0.rawValue == name }
      }
      known =
        demos.map { Word(text: $0.name, summary: $0.summary) }
        + [Word(text: Demo.listName, summary: "list the demos")]
    case .user: known = await users(line.options).map { Word(text: $0) }
    case .profile, .profileOrAddress: known = profiles().map { Word(text: $0) }
    case .userOrProfile:
      known = (await users(line.options) + profiles()).map { Word(text: $0) }
    case .language: known = LanguageChoice.codes.map { Word(text: $0) }
    case .command:
      known = names(of: commands, startingWith: "") + [Word(text: HelpCommand.exitStatus)]
    }
    return .words(
      known.map { Word(text: prefix + $0.text, summary: $0.summary) }
        .filter { $0.text.hasPrefix(typed) })
  }

  private static func names(
    of commands: CommandList, startingWith text: String
  ) -> [Word] {
    commands.all.flatMap { command in
      // The other name of a command is offered only if the name does not fit.
      let names = command.name.hasPrefix(text) ? [command.name] : command.names
      return names.filter { $0.hasPrefix(text) }.map { Word(text: $0, summary: command.summary) }
    }
  }
}
