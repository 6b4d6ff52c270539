import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXPrompt

/// A command of `idx-flow`: `idx-flow NAME [OPTION...]`.
///
/// The parser, the help, the manual page and the completions of shells come from these definitions.
protocol Command: Sendable {
  static var name: String { get }
  /// Other names, which the help mentions.
  static var aliases: [String] { get }
  /// The place in the overview; by default the last one.
  static var group: CommandGroup { get }
  /// One line for the overview.
  static var summary: String { get }
  /// What the command does, in full sentences.
  static var purpose: String { get }
  /// The forms of the command line, without the name of the program.
  static var usage: [String] { get }
  /// The options without `--help`, which every command has.
  static var options: [OptionSpec] { get }
  /// The options in groups with a heading, for the help; by default one group.
  static var optionGroups: [OptionGroup] { get }
  /// Options of other commands that are accepted and change nothing; by default none.
  ///
  /// They are in no help.
  static var ignoredOptions: [OptionSpec] { get }
  /// The arguments other than options; nil, the default, if there are none.
  static var operand: OperandSpec? { get }
  /// Command lines that are useful as they are.
  static var examples: [Example] { get }
  /// More information, after the examples.
  static var notes: String? { get }
  /// What only the manual page says, in paragraphs.
  static var details: String? { get }

  /// Whether it only prints a text, which needs no other files.
  static var onlyPrints: Bool { get }

  /// Runs the command on the main thread, so that a simple command starts no other thread.
  @MainActor static func run(_ call: CommandCall) async throws -> ExitCode
}

/// A part of the overview.
enum CommandGroup: String, CaseIterable {
  case signIn = "Sign in and out"
  case credentials = "See who is signed in"
  case tokens = "Use the tokens"
  case other = "Other commands"
}

/// Some of the options of a command, under a heading of its help.
struct OptionGroup {
  let heading: String
  let options: [OptionSpec]
}

/// A command line, and what it does.
struct Example {
  /// One line.
  let purpose: String
  /// One or more lines, as typed in a shell.
  let text: String

  init(_ purpose: String, _ text: String) {
    self.purpose = purpose
    self.text = text
  }
}

extension Command {
  static var aliases: [String] { [] }
  static var group: CommandGroup { .other }
  static var usage: [String] {
    [[name, "[OPTION...]", operand?.head].compactMap(\.self).joined(separator: " ")]
  }
  static var ignoredOptions: [OptionSpec] { [] }
  static var operand: OperandSpec? { nil }
  static var examples: [Example] { [] }
  static var notes: String? { nil }
  static var details: String? { nil }
  static var onlyPrints: Bool { false }

  static var optionGroups: [OptionGroup] { [OptionGroup(heading: "Options", options: allOptions)] }
  static var allOptions: [OptionSpec] { options + [.help] }

  /// The name and the aliases.
  static var names: [String] { [name] + aliases }
}

/// The commands of the program.
struct CommandList: Sendable {
  /// A command with its names.
  ///
  /// They are known without its other code, which is loaded from the file of the program only if it is used.
  struct Entry: Sendable {
    let command: any Command.Type
    let names: [String]

    init<Listed: Command>(_ command: Listed.Type) {
      (self.command, names) = (command, [Listed.name] + Listed.aliases)
    }
  }

  private let entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  var all: [any Command.Type] { entries.map(\.command) }

  /// The command with a name or alias; nil if there is none.
  subscript(name: String) -> (any Command.Type)? {
    entries.first { $0.names.contains(name) }?.command
  }

  /// The command with a name or alias; throws if there is none.
  func command(named name: String) throws -> any Command.Type {
    if let command = self[name] { return command }
    let isOption = name.hasPrefix("-")
    let option = String(name.prefix { $0 != "=" })
    if let owner = all.first(where: { $0.allOptions.contains { $0.name == option } }) {
      throw CommandFailure(
        .usage,
        "Options come after the command, such as: idx-flow \(owner.name) \(option). See: idx-flow --help"
      )
    }
    let known = isOption ? [OptionSpec.help.name, "--version"] : entries.flatMap(\.names)
    let hint = Spelling.hint(for: name, among: known)
    throw CommandFailure(
      .usage,
      "There is no \(isOption ? "option" : "command") \(name).\(hint) See: idx-flow --help")
  }
}

/// The options of a command line, and what a command needs to run.
struct CommandCall {
  var options: CommandLineOptions
  /// All commands, for those that describe others.
  var commands = CommandList([])
  var streams = Streams()

  /// Read only when a command needs it, because it takes memory.
  var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// The terminal of this process, where a person can be asked; nil if there is none.
  func openTerminal() -> InteractiveTerminal? {
    try? InteractiveTerminal(environment: environment)
  }

  /// Whether somebody can be asked: at a terminal, unless the options say that nobody is to be asked.
  var hasPerson: Bool {
    !has(SignInOptions.noInput) && openTerminal().map { !$0.isInBackground } ?? false
  }

  var asJSON: Bool { has(.json) }

  /// The value of an option; nil if the option is not given.
  subscript(option: OptionSpec) -> String? { options[option] }

  /// Whether an option is given, with a value or as a flag.
  func has(_ option: OptionSpec) -> Bool { options.has(option) }

  /// The value of an option, or else of the first variable that is not empty, and the name of its source.
  func value(of option: OptionSpec, or variables: String...) -> (name: String, text: String)? {
    if let text = self[option] { return (option.name, text) }
    return variables.lazy.map { ($0, environment[$0] ?? "") }.first { !$0.1.isEmpty }
  }

  /// A sentence in the language of the person.
  func text(_ sentence: Sentence) -> String { streams.words.text(of: sentence) }

  /// Writes a result: the object with `--json`, otherwise the text.
  func result(_ text: @autoclosure () -> String, _ json: @autoclosure () -> JSONValue) throws {
    try streams.result(asJSON: asJSON, text, json)
  }
}
