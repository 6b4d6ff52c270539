import IDXOAuth

/// `idx-flow completion`: prints what makes a shell complete command lines of this program.
struct CompletionCommand: Command {
  static let name = "completion"
  static let summary = "Print the completions for bash, zsh or fish."
  static let purpose = """
    Print a script for a shell, which completes commands, options and their values, such as the names
    of demos and of users who are signed in. The script asks this program at each Tab key, so it stays
    right when the program changes.
    """
  static let usage = ["completion SHELL"]
  static let options: [OptionSpec] = []
  static let operand: OperandSpec? = OperandSpec(
    // The scripts pass the words of a command line.
    "SHELL", isRequired: true, maximum: .max, of: .oneOf(shells), then: .anything,
    endsOptions: true)
  static let examples = [
    Example("bash: add this line to ~/.bashrc", "source <(idx-flow completion bash)"),
    Example("zsh: add this line to ~/.zshrc, after compinit", "source <(idx-flow completion zsh)"),
    Example(
      "fish: run this once",
      "idx-flow completion fish > ~/.config/fish/completions/idx-flow.fish"),
  ]

  private static let shells = ["bash", "zsh", "fish"]

  static func run(_ call: CommandCall) async throws -> ExitCode {
    var operands = call.options.operands[...]
    let shell = operands.popFirst() ?? ""
    switch shell {
    case "bash": try call.streams.result(CompletionScript.bash)
    case "zsh": try call.streams.result(CompletionScript.zsh)
    case "fish": try call.streams.result(CompletionScript.fish)
    case CompletionScript.wordsOperand: return try await printWords(after: operands, call)
    default:
      let hint = Spelling.hint(for: shell, among: shells)
      throw CommandFailure(
        .usage, "completion needs \(shells.alternatives), not \(shell).\(hint)")
    }
    return .done
  }

  /// Prints what can come next, for the scripts: one word on each line, with a tab and its summary.
  private static func printWords(
    after operands: ArraySlice<String>, _ call: CommandCall
  ) async throws -> ExitCode {
    let line = Array(operands.first == "--" ? operands.dropFirst() : operands)
    switch await Completion.next(
      after: line, among: call.commands, users: users, profiles: { profiles(call) }
    ) {
    case .files: try call.streams.result(CompletionScript.files)
    case .words(let words):
      guard !words.isEmpty else { break }
      try call.streams.result(words.map { "\($0.text)\t\($0.summary)" }.joined(separator: "\n"))
    }
    return .done
  }

  /// The users with a saved credential, unless the store takes long or cannot be read.
  private static func users(_ options: CommandLineOptions) async -> [String] {
    let call = CommandCall(options: options)
    let store = try? await StoreChoice.store(
      call, isDemo: call.has(CredentialAccess.demo), responseTime: .seconds(1))
    let credentials = try? await store?.entries().compactMap(\.credential).filter { !$0.isOfOrg }
    return plain((credentials ?? []).compactMap { $0.username ?? $0.id.subject })
  }

  private static func profiles(_ call: CommandCall) -> [String] {
    plain((try? ProfileFile(call.environment).names()) ?? [])
  }

  /// The names without those that a shell could read as something else, sorted.
  private static func plain(_ names: [String]) -> [String] {
    let plain = names.filter {
      $0.utf8.allSatisfy { $0.isASCIIAlphanumeric || "@.-_+".utf8.contains($0) }
    }
    return Set(plain).sorted()
  }
}
