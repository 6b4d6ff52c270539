import Foundation
import IDXNetwork
import IDXSystem

@main
struct IDXFlowCommand {
  static let commands = CommandList([
    .init(SignInCommand.self), .init(SignOutCommand.self), .init(ProfileCommand.self),
    .init(DoctorCommand.self), .init(ReplayCommand.self), .init(StatusCommand.self),
    .init(WhoAmICommand.self), .init(ListCommand.self), .init(UseCommand.self),
    .init(TokenCommand.self), .init(APICommand.self), .init(ExecCommand.self),
    .init(AWSCommand.self), .init(SAMLCommand.self), .init(RefreshCommand.self),
    .init(InspectCommand.self),
    .init(CompletionCommand.self), .init(ManCommand.self), .init(VersionCommand.self),
    .init(HelpCommand.self),
  ])

  @MainActor static func main() async {
    // First, before other code reads the environment or starts a thread.
    NetworkEnvironment.secure()
    ProcessLimits.preventCoreFiles()
    // The parent process may have ignored this signal, which is inherited. Then no child process could
    // be waited for, and the keyring would seem to be missing.
    signal(SIGCHLD, SIG_DFL)
    Streams.fillClosed()
    let code = await run(Array(CommandLineWords.all.dropFirst()))
    HTTPTransport.stopForExit()
    exit(code.rawValue)
  }

  /// How many files a command opens at most: some of its own, those of a connection, and those of Dispatch, which
  /// ends the process if it cannot open them.
  private static let neededFiles = 32

  @MainActor private static func run(_ arguments: [String]) async -> ExitCode {
    var streams = Streams(
      chosenWords: LanguageChoice.wordsOfLocale(),
      keepingCommands: CopiedCommands(commands: commands).kept)
    if asksForLines(arguments) { streams.program = ProgramLines() }
    do {
      switch arguments.first {
      case nil:
        try streams.help(HelpText.overview(of: commands))
        return .usage
      case "--help", "-h":
        return try await run(HelpCommand.self, Array(arguments.dropFirst()), streams)
      case let name?:
        return try await run(commands.command(named: name), Array(arguments.dropFirst()), streams)
      }
    } catch {
      return streams.report(CommandFailure(error), asJSON: asksForJSON(arguments))
    }
  }

  /// Whether a command line, which may be wrong, has the option `--json`.
  private static func asksForJSON(_ arguments: [String]) -> Bool {
    words(arguments, accepting: .json).contains(OptionSpec.json.name)
  }

  /// Whether a command line, which may be wrong, asks for lines of JSON that a program shows.
  static func asksForLines(_ arguments: [String]) -> Bool {
    let name = ProgramLines.option.name
    let words = words(arguments, accepting: ProgramLines.option)
    return words.contains("\(name)=json")
      || zip(words, words.dropFirst()).contains { $0 == name && $1 == "json" }
  }

  /// The words of a command line if its command has an option, or is unknown; none otherwise.
  private static func words(
    _ arguments: [String], accepting option: OptionSpec
  ) -> ArraySlice<String> {
    // `exec` has no such option: its operands are the command line of another program.
    if let command = arguments.first.flatMap({ commands[$0] }),
      !command.allOptions.contains(where: { $0.name == option.name })
    {
      return []
    }
    // After `--` is the command line of another program.
    return arguments.prefix { $0 != "--" }
  }

  @MainActor private static func run(
    _ command: any Command.Type, _ arguments: [String], _ streams: Streams
  ) async throws -> ExitCode {
    var call = CommandCall(
      options: try CommandLineOptions(
        arguments, accepting: command.allOptions + command.ignoredOptions,
        operand: command.operand, of: command.name),
      commands: commands, streams: streams)
    if let code = call[LanguageChoice.option] {
      call.streams.chosenWords = try LanguageChoice.words(forOption: code)
    }
    if call.has(.help) {
      try call.streams.help(HelpText.help(for: command))
      return .done
    }
    let operands = call.options.operands
    let maximum = command.operand?.maximum ?? 0
    if let extra = operands.dropFirst(maximum).first {
      let accepted =
        ["only options", "only one operand"].dropFirst(maximum).first
        ?? "no more than \(maximum) operands"
      throw CommandFailure(.usage, "\(command.name) takes \(accepted), not “\(extra)”.")
    }
    if let operand = command.operand, operand.isRequired, operands.isEmpty {
      let values =
        if case .oneOf(let words) = operand.values { " (\(words.alternatives))" } else { "" }
      throw CommandFailure(
        .usage,
        "\(command.name) needs a \(operand.name)\(values): idx-flow \(command.usage[0])")
    }
    guard command.onlyPrints || ProcessLimits.canOpenFiles(neededFiles) else {
      throw CommandFailure(
        .unexpected,
        "This process cannot open enough files: it needs \(neededFiles) more than are open now.",
        code: "no_descriptors", remedy: "Raise the limit, such as with: ulimit -n 256")
    }
    do { return try await command.run(call) } catch {
      return call.streams.report(CommandFailure(error), asJSON: call.asJSON)
    }
  }
}
