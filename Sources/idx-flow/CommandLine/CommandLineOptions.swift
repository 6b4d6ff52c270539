/// The arguments after a command, as options and operands.
///
/// `--name value`, `--name=value`, `-n value` and `-nvalue` are the same; `--` ends the options.
struct CommandLineOptions {
  /// The last value of each option.
  private(set) var values: [String: String] = [:]
  /// All values of each option, in order.
  private var lists: [String: [String]] = [:]
  private(set) var flags: Set<String> = []
  private(set) var operands: [String] = []

  init(
    _ arguments: [String], accepting specs: [OptionSpec], operand: OperandSpec? = nil,
    of command: String
  ) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        guard operand?.endsOptions != true else {
          operands += rest
          return
        }
        continue
      }
      guard let (spec, attached) = specs.option(in: argument) else {
        let name = String(argument.prefix { $0 != "=" })
        let hint =
          name.hasPrefix("--") ? Spelling.hint(for: name, among: specs.map(\.name)) : ""
        throw CommandFailure(
          .usage, "\(command) has no option \(name).\(hint) See: idx-flow \(command) --help")
      }
      let name = spec.name
      guard let placeholder = spec.value else {
        guard attached == nil else { throw CommandFailure(.usage, "\(name) takes no value.") }
        set(spec, to: nil)
        continue
      }
      if spec.isValueOptional, attached == nil, rest.first?.hasPrefix("-") != false {
        set(spec, to: "")
        continue
      }
      guard let value = attached ?? rest.popFirst(), !(attached == nil && value.hasPrefix("--"))
      else {
        throw CommandFailure(.usage, "\(name) needs a value: \(name) \(placeholder).")
      }
      if case .oneOf(let words) = spec.values, !words.contains(value) {
        let hint = Spelling.hint(for: value, among: words)
        throw CommandFailure(
          .usage, "\(name) must be \(words.alternatives), not \(value).\(hint)")
      }
      set(spec, to: value)
    }
  }

  /// No options.
  init() {}

  /// Adds an option with a value, or a flag.
  mutating func set(_ option: OptionSpec, to value: String?) {
    guard let value else {
      flags.insert(option.name)
      return
    }
    values[option.name] = value
    lists[option.name, default: []].append(value)
  }

  /// The value of an option; nil if the option is not given.
  subscript(option: OptionSpec) -> String? { values[option.name] }

  /// All values of an option that can be repeated.
  func all(_ option: OptionSpec) -> [String] { lists[option.name] ?? [] }

  /// Whether an option is given, with a value or as a flag.
  func has(_ option: OptionSpec) -> Bool {
    flags.contains(option.name) || values[option.name] != nil
  }
}

extension [String] {
  /// The words in a sentence: `a, b or c`.
  var alternatives: String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " or \(self[count - 1])"
  }
}
