import Foundation
import IDXNetwork
import IDXSystem

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
    let lines = twoColumns(commands.map { ("  \($0.name)", $0.summary) }, gap: 4)
    return """
      idx-flow signs you in to Okta Identity Engine at a prompt, with one or more factors, and saves
      the tokens.

      Usage: idx-flow COMMAND [OPTION...]

      Commands:
      \(lines)

      Run idx-flow COMMAND --help for help with a command, or idx-flow --version for the version.

      Exit status:
      \(ExitCode.table)

      """
  }

  @MainActor static func main() async {
    // First, before other code reads the environment or starts a thread.
    NetworkEnvironment.secure()
    ProcessLimits.preventCoreFiles()
    // The parent process may have ignored this signal, which is inherited. Then no child process could
    // be waited for, and the keyring would seem to be missing.
    signal(SIGCHLD, SIG_DFL)
    Streams.fillClosed()
    exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  @MainActor private static func run(_ arguments: [String]) async -> ExitCode {
    let streams = Streams()
    do {
      switch arguments.first {
      case "--version": try streams.result("idx-flow \(version)")
      case "help" where arguments.count > 1: return await run([arguments[1], "--help"])
      case "--help", "-h", "help": try streams.result(overview)
      case nil:
        streams.note(overview)
        return .usage
      case let name?:
        guard let command = commands.first(where: { $0.name == name }) else {
          throw unknown(name)
        }
        return try await run(command, Array(arguments.dropFirst()))
      }
      return .done
    } catch {
      return CommandFailure(error).write(to: streams, asJSON: arguments.contains("--json"))
    }
  }

  @MainActor private static func run(
    _ command: any Command.Type, _ arguments: [String]
  ) async throws -> ExitCode {
    let call = CommandCall(
      options: try CommandLineOptions(
        arguments, accepting: command.allOptions, of: command.name))
    if call.has("--help") {
      try call.streams.result(command.help)
      return .done
    }
    if let extra = call.options.operands.dropFirst(command.maximumOperands).first {
      let accepted = command.maximumOperands == 0 ? "only options" : "only one operand"
      throw CommandFailure(.usage, "\(command.name) takes \(accepted), not “\(extra)”.")
    }
    return try await command.run(call)
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
