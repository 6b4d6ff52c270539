import IDXNetwork

/// What `idx-flow --help` prints.
enum Help {
  static let version = URLSessionTransport.version

  static var overview: String {
    let commands = IDXFlowCommand.commands
    let width = commands.map { $0.name.count }.max() ?? 0
    let lines = commands.map { command in
      let pad = String(repeating: " ", count: width - command.name.count + 4)
      return "  " + command.name + pad + command.summary
    }
    return """
      idx-flow signs people in to Okta Identity Engine, at a prompt, with several factors, and keeps
      the tokens.

      Usage: idx-flow COMMAND [OPTION...]

      Commands:
      \(lines.joined(separator: "\n"))

      idx-flow COMMAND --help explains a command, idx-flow --version tells the version.

      Exit status:
      \(ExitCode.table)

      """
  }
}
