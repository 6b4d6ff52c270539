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
      return word == "--" || command.allOptions.option(in: word) != nil
    }
    guard let operand = command.operand, operands < operand.maximum else { return false }
    switch operands == 0 ? operand.values : operand.laterValues {
    case .oneOf(let words): return words.contains(word)
    // Our texts name a profile with its option.
    case .profileOrAddress: return word.contains("://")
    default: return true
    }
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
      guard let (option, value) = command.allOptions.option(in: word) else { return }
      if option.value == nil || option.isValueOptional { options.set(option, to: nil) }
      if option.value != nil {
        if let value {
          options.set(option, to: value)
        } else {
          awaited = option
        }
      }
    }
  }
}
