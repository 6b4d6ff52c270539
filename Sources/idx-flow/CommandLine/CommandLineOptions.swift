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
        throw Self.unknown(name, among: specs.map(\.name), of: command)
      }
      let attached = parts.count > 1 ? String(parts[1]) : nil
      guard let placeholder = spec.value else {
        guard attached == nil else {
          throw CommandFailure(.usage, "\(name) takes no value.")
        }
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

  private static func unknown(
    _ name: String, among names: [String], of command: String
  ) -> CommandFailure {
    CommandFailure(
      .usage,
      "\(command) has no option \(name).\(suggestion(for: name, among: names)) See: idx-flow "
        + "\(command) --help")
  }

  /// A question with the most similar word, after a space; empty if none is similar enough.
  static func suggestion(for word: String, among words: [String]) -> String {
    nearest(to: word, among: words).map { " Did you mean \($0)?" } ?? ""
  }

  /// The most similar word; nil if none is similar enough.
  static func nearest(to word: String, among words: [String]) -> String? {
    let ranked = words.map { (word: $0, distance: distance(from: word, to: $0)) }
    return ranked.min { $0.distance < $1.distance }
      .flatMap { $0.distance <= max(2, word.count / 3) ? $0.word : nil }
  }

  /// The number of characters to insert, delete or replace (Levenshtein distance).
  private static func distance(from left: String, to right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let change = diagonal + (character == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[right.count]
  }
}
