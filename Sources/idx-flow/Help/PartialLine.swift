/// The first arguments of a command line, read as the parser does, without its errors.
struct PartialLine {
  let command: any Command.Type
  private(set) var options = CommandLineOptions()
  private(set) var operands = 0
  private(set) var hasEndedOptions = false
  /// The option whose value comes next.
  private(set) var awaited: OptionSpec?

  init(of command: any Command.Type) { self.command = command }

  /// Whether a word can come next, as an option, its value or an operand.
  func accepts(_ word: String) -> Bool {
    if let option = awaited, !(option.isValueOptional && word.hasPrefix("-")) { return true }
    if !hasEndedOptions, word.hasPrefix("-"), word != "-" {
      let name = word.prefix { $0 != "=" }
      return word == "--" || command.allOptions.contains { $0.name == name }
    }
    guard let operand = command.operand, operands < operand.maximum else { return false }
    guard case .oneOf(let words) = operands == 0 ? operand.values : operand.laterValues else {
      return true
    }
    return words.contains(word)
  }

  mutating func take(_ word: String) {
    if let option = awaited, !(option.isValueOptional && word.hasPrefix("-")) {
      options.set(option, to: word)
      awaited = nil
      return
    }
    awaited = nil
    if !hasEndedOptions, word == "--" {
      hasEndedOptions = true
    } else if hasEndedOptions || !word.hasPrefix("-") || word == "-" {
      operands += 1
      if command.operand?.endsOptions == true { hasEndedOptions = true }
    } else {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = command.allOptions.first(where: { $0.name == parts[0] }) else { return }
      if option.value == nil || option.isValueOptional { options.set(option, to: nil) }
      if option.value != nil {
        if parts.count > 1 {
          options.set(option, to: String(parts[1]))
        } else {
          awaited = option
        }
      }
    }
  }
}
