import Foundation
import IDXNetwork

@main
struct IDXFlowCommand {
  static var commands: [any Command.Type] {
    [
      SignInCommand.self, StatusCommand.self, WhoAmICommand.self, TokenCommand.self,
      RefreshCommand.self, SignOutCommand.self, ListCommand.self, UseCommand.self,
      InspectCommand.self,
    ]
  }

  static let version = URLSessionTransport.version

  /// The output of `idx-flow --help`.
  static var overview: String {
    let width = commands.map { $0.name.count }.max() ?? 0
    let lines = commands.map { command in
      let pad = String(repeating: " ", count: width - command.name.count + 4)
      return "  " + command.name + pad + command.summary
    }
    return """
      idx-flow signs you in to Okta Identity Engine at a prompt, with one or more factors, and saves
      the tokens.

      Usage: idx-flow COMMAND [OPTION...]

      Commands:
      \(lines.joined(separator: "\n"))

      Run idx-flow COMMAND --help for help with a command, or idx-flow --version for the version.

      Exit status:
      \(ExitCode.table)

      """
  }

  @MainActor static func main() async {
    // The parent process may have ignored this signal, which is inherited. Then no child process could
    // be waited for, and the keyring would seem to be missing.
    signal(SIGCHLD, SIG_DFL)
    Streams.fillClosed()
    let streams = Streams()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let code = await run(arguments, streams) { ProcessInfo.processInfo.environment }
    exit(code.rawValue)
  }

  /// Runs a command line.
  ///
  /// The environment is read only when a command needs it, because it takes memory.
  @MainActor static func run(
    _ arguments: [String], _ streams: Streams,
    _ environment: @escaping @Sendable () -> [String: String]
  ) async -> ExitCode {
    do {
      switch arguments.first {
      case "--version": try streams.result("idx-flow \(version)")
      case "help" where arguments.count > 1:
        return await run([arguments[1], "--help"], streams, environment)
      case "--help", "-h", "help": try streams.result(overview)
      case nil:
        streams.note(overview)
        return .usage
      case let name?:
        guard let command = commands.first(where: { $0.name == name }) else {
          throw unknown(name)
        }
        return try await run(command, Array(arguments.dropFirst()), streams, environment)
      }
      return .done
    } catch {
      let report = FailureReport(streams: streams, asJSON: arguments.contains("--json"))
      return report.write(CommandFailure(error))
    }
  }

  @MainActor private static func run(
    _ command: any Command.Type, _ arguments: [String], _ streams: Streams,
    _ environment: @escaping @Sendable () -> [String: String]
  ) async throws -> ExitCode {
    let options = try CommandLineOptions(
      arguments, accepting: command.help.allOptions, of: command.name)
    if options.flags.contains("--help") {
      try streams.result(command.help.text)
      return .done
    }
    let operands = options.operands
    if let extra = operands.dropFirst(command.operands.upperBound).first {
      let accepted = command.operands.upperBound == 0 ? "only options" : "only one operand"
      throw CommandFailure(.usage, "\(command.name) takes \(accepted), not “\(extra)”.")
    }
    guard operands.count >= command.operands.lowerBound else {
      throw CommandFailure(
        .usage,
        "\(command.name) needs \(command.operandName): idx-flow \(command.help.usage[0])")
    }
    return try await command.run(
      CommandCall(options: options, streams: streams, readEnvironment: environment))
  }

  private static func unknown(_ name: String) -> CommandFailure {
    let isOption = name.hasPrefix("-")
    let known = isOption ? ["--help", "--version"] : commands.map { $0.name }
    let hint = CommandLineOptions.suggestion(for: name, among: known)
    return CommandFailure(
      .usage,
      "There is no \(isOption ? "option" : "command") \(name).\(hint) See: idx-flow --help")
  }
}
