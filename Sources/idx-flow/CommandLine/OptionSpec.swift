/// An option of a command: a constant next to the code that reads its value.
///
/// The parser, the help, the manual page and the completions of shells all come from it.
struct OptionSpec {
  let name: String
  /// The name of the value in the help; nil if the option takes none.
  let value: String?
  /// Whether the value may be omitted; it is then empty.
  let isValueOptional: Bool
  /// What the value can be.
  let values: AcceptedValues
  /// The short name; nil for most options.
  let letter: Character?
  private(set) var help: String

  init(
    _ name: String, letter: Character? = nil, value: String? = nil, isValueOptional: Bool = false,
    of values: AcceptedValues = .anything, _ help: String
  ) {
    (self.name, self.letter, self.value) = (name, letter, value)
    (self.isValueOptional, self.values, self.help) = (isValueOptional, values, help)
  }

  /// The option and its value, as in the help.
  var head: String {
    let names = (letter.map { "-\($0), " } ?? "") + name
    guard let value else { return names }
    return isValueOptional ? "\(names) [\(value)]" : "\(names) \(value)"
  }

  /// The same option of a command for which another help is right.
  func with(help: String) -> OptionSpec {
    var option = self
    option.help = help
    return option
  }

  static let help = OptionSpec("--help", letter: "h", "show this help")
  static let json = OptionSpec("--json", "print the result as JSON")
}

extension [OptionSpec] {
  /// The option of an argument, and the value in it: `--name`, `--name=value`, `-n` or `-nvalue`; nil if there is no such
  /// option.
  func option(in argument: String) -> (option: OptionSpec, value: String?)? {
    if argument.hasPrefix("--") {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = first { $0.name == parts[0] }
      return option.map { ($0, parts.count > 1 ? String(parts[1]) : nil) }
    }
    guard let letter = argument.dropFirst().first,
      let option = first(where: { $0.letter == letter })
    else { return nil }
    let rest = argument.dropFirst(2)
    guard option.value != nil || rest.isEmpty else { return nil }
    return (option, rest.isEmpty ? nil : String(rest.first == "=" ? rest.dropFirst() : rest))
  }
}

/// The arguments of a command other than options.
struct OperandSpec {
  /// The name in the help.
  let name: String
  let isRequired: Bool
  let maximum: Int
  let values: AcceptedValues
  /// What the operands after the first one can be.
  let laterValues: AcceptedValues
  /// Whether all arguments after the first operand are operands too, because they are a command line.
  let endsOptions: Bool

  init(
    _ name: String, isRequired: Bool = false, maximum: Int = 1,
    of values: AcceptedValues = .anything, then laterValues: AcceptedValues? = nil,
    endsOptions: Bool = false
  ) {
    (self.name, self.isRequired, self.maximum) = (name, isRequired, maximum)
    (self.values, self.laterValues) = (values, laterValues ?? values)
    self.endsOptions = endsOptions
  }

  /// The operand, as in the help.
  var head: String {
    let head = maximum == 1 || endsOptions ? name : "\(name)..."
    return isRequired ? head : "[\(head)]"
  }
}

/// What an option or an operand accepts.
enum AcceptedValues {
  /// Any text.
  case anything
  /// One of these words; the parser refuses options with others.
  case oneOf([String])
  /// Some of these words, separated by commas.
  case listOf([String])
  /// The name of a file.
  case file
  /// The name of a demo, or `list`.
  case demo
  /// The name of a user with a saved credential.
  case user
  /// The name of a profile.
  case profile
  /// The name of a user with a saved credential, or of a profile.
  case userOrProfile
  /// The name of a profile, or the address of an org.
  case profileOrAddress
  /// The name of a command.
  case command
  /// The code of a language.
  case language
}
