import Foundation

@main
struct IDXFlowCommand {
  static var commands: [any Command.Type] {
    [
      SignInCommand.self, StatusCommand.self, WhoAmICommand.self, TokenCommand.self,
      RefreshCommand.self, SignOutCommand.self, ListCommand.self, UseCommand.self,
      InspectCommand.self,
    ]
  }

  @MainActor static func main() async {
    // Whoever started this may have ignored it, which is handed down; no program that is run here
    // could be waited for then, and the keyring would seem not to be there.
    signal(SIGCHLD, SIG_DFL)
    Streams.fillClosed()
    let streams = Streams()
    let words = Array(CommandLine.arguments.dropFirst())
    let code = await run(words, streams) { ProcessInfo.processInfo.environment }
    exit(code.rawValue)
  }

  /// Runs what the words ask for; the environment is read by what needs it alone, as that takes
  /// memory.
  @MainActor static func run(
    _ words: [String], _ streams: Streams, _ environment: @escaping @Sendable () -> [String: String]
  ) async -> ExitCode {
    do {
      switch words.first {
      case "--version": try streams.result("idx-flow \(Help.version)")
      case "help" where words.count > 1:
        return await run([words[1], "--help"], streams, environment)
      case "--help", "-h", "help": try streams.result(Help.overview)
      case nil:
        streams.note(Help.overview)
        return .usage
      case let word?:
        guard let command = commands.first(where: { $0.name == word }) else {
          throw unknown(word)
        }
        return try await run(command, Array(words.dropFirst()), streams, environment)
      }
      return .done
    } catch {
      let report = FailureReport(streams: streams, asJSON: words.contains("--json"))
      return report.tell(ErrorText.failure(for: error))
    }
  }

  @MainActor private static func run(
    _ command: any Command.Type, _ words: [String], _ streams: Streams,
    _ environment: @escaping @Sendable () -> [String: String]
  ) async throws -> ExitCode {
    let options = try CommandLineOptions(
      words, accepting: command.help.allOptions, of: command.name)
    if options.flags.contains("--help") {
      try streams.result(command.help.text)
      return .done
    }
    if let operand = options.operands.dropFirst(command.operands.upperBound).first {
      let what = command.operands.upperBound == 0 ? "options only" : "one word only"
      throw CommandFailure(.usage, "\(command.name) takes \(what), not “\(operand)”.")
    }
    guard options.operands.count >= command.operands.lowerBound else {
      throw CommandFailure(
        .usage, "\(command.name) needs a word more: idx-flow \(command.help.usage[0])")
    }
    return try await command.run(
      CommandCall(options: options, streams: streams, readEnvironment: environment))
  }

  private static func unknown(_ word: String) -> CommandFailure {
    let isOption = word.hasPrefix("-")
    let known = isOption ? ["--help", "--version"] : commands.map { $0.name }
    let hint =
      CommandLineOptions.nearest(to: word, among: known).map { " Did you mean \($0)?" } ?? ""
    return CommandFailure(
      .usage,
      "There is no \(isOption ? "option" : "command") \(word).\(hint) See: idx-flow --help")
  }
}
