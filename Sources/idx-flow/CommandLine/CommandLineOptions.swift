/// An option of a command.
struct OptionSpec {
  let name: String
  /// The name of the value in the help; nil if the option takes none.
  let value: String?
  /// Whether the value may be omitted; it is then empty.
  let isValueOptional: Bool
  let help: String

  init(_ name: String, value: String? = nil, isValueOptional: Bool = false, _ help: String) {
    self.name = name
    self.value = value
    self.isValueOptional = isValueOptional
    self.help = help
  }

  /// The option and its value, as in the help.
  var head: String {
    guard let value else { return name }
    return isValueOptional ? "\(name) [\(value)]" : "\(name) \(value)"
  }
}

/// The arguments after a command, as options and operands.
///
/// `--name value` and `--name=value` are the same; `--` ends the options.
struct CommandLineOptions {
  private(set) var values: [String: String] = [:]
  private(set) var flags: Set<String> = []
  private(set) var operands: [String] = []

  init(_ arguments: [String], accepting specs: [OptionSpec], of command: String) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0] == "-h" ? "--help" : String(parts[0])
      guard let spec = specs.first(where: { $0.name == name }) else {
        let hint = Self.suggestion(for: name, among: specs.map(\.name))
        throw CommandFailure(
          .usage, "\(command) has no option \(name).\(hint) See: idx-flow \(command) --help")
      }
      let attached = parts.count > 1 ? String(parts[1]) : nil
      guard let placeholder = spec.value else {
        guard attached == nil else { throw CommandFailure(.usage, "\(name) takes no value.") }
        flags.insert(name)
        continue
      }
      if spec.isValueOptional, attached == nil, rest.first?.hasPrefix("-") != false {
        values[name] = ""
        continue
      }
      guard let value = attached ?? rest.popFirst(), !(attached == nil && value.hasPrefix("--"))
      else {
        throw CommandFailure(.usage, "\(name) needs a value: \(name) \(placeholder).")
      }
      values[name] = value
    }
  }

  /// A question with the most similar word, after a space; empty if none is similar enough.
  ///
  /// The distance of two words is the number of characters to insert and remove.
  static func suggestion(for word: String, among words: [String]) -> String {
    let ranked = words.map { (word: $0, distance: word.difference(from: $0).count) }
    guard let nearest = ranked.min(by: { $0.distance < $1.distance }),
      nearest.distance <= max(2, word.count / 3)
    else { return "" }
    return " Did you mean \(nearest.word)?"
  }
}
