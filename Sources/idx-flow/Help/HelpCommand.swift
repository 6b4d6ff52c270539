import IDXBase

/// `idx-flow help`: shows the overview, the help of a command, or the exit statuses.
struct HelpCommand: Command {
  static let name = "help"
  static let summary = "Show this help, or the help of a command."
  static let purpose = "Show the overview, the help of a command, or the exit statuses."
  static let usage = ["help [COMMAND]", "help \(exitStatus)"]
  static let options: [OptionSpec] = []
  static let onlyPrints = true
  static let operand: OperandSpec? = OperandSpec("COMMAND", of: .command)

  static let exitStatus = "exit-status"

  static func run(_ call: CommandCall) throws -> ExitCode {
    switch call.options.operands.first {
    case nil: try call.streams.help(HelpText.overview(of: call.commands))
    case exitStatus: try call.streams.help(HelpText.exitStatus)
    case let name?:
      try call.streams.help(HelpText.help(for: try call.commands.command(named: name)))
    }
    return .done
  }
}

/// `idx-flow version`: prints the version.
struct VersionCommand: Command {
  static let name = "version"
  static let aliases = ["--version"]
  static let summary = "Print the version."
  static let purpose = "Print the version of this program."
  static let options = [OptionSpec.json]
  static let onlyPrints = true

  static func run(_ call: CommandCall) throws -> ExitCode {
    try call.result(
      "idx-flow \(Product.version)", ["version": .string(Product.version)])
    return .done
  }
}
