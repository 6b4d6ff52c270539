import Foundation

@main
struct IDXFlowCommand {
  static func main() async {
    let streams = Streams()
    let words = Array(CommandLine.arguments.dropFirst())
    let code = await run(words, streams, ProcessInfo.processInfo.environment)
    exit(code.rawValue)
  }

  static func run(
    _ words: [String], _ streams: Streams, _ environment: [String: String]
  ) async -> ExitCode {
    do {
      switch words.first {
      case "signin":
        return try await SignInCommand(Array(words.dropFirst()), environment).run(streams)
      case "inspect": return try InspectCommand(Array(words.dropFirst())).run(streams)
      case "--version": try streams.result("idx-flow \(Help.version)")
      case "help" where words.count > 1:
        return await run([words[1], "--help"], streams, environment)
      case "--help", "-h", "help": try streams.result(Help.overview)
      case nil:
        streams.note(Help.overview)
        return .usage
      case let word?:
        let isOption = word.hasPrefix("-")
        let known = isOption ? ["--help", "--version"] : ["signin", "inspect"]
        let hint =
          CommandLineOptions.nearest(to: word, among: known)
          .map { " Did you mean \($0)?" } ?? ""
        throw CommandFailure(
          .usage,
          "There is no \(isOption ? "option" : "command") \(word).\(hint) See: idx-flow --help")
      }
      return .done
    } catch {
      let failure = ErrorText.failure(for: error)
      let isJSON =
        words.first == "signin" && (words.contains("--json") || words.contains("--tokens"))
      let report = SignInReport(streams: streams, asJSON: isJSON, showsTokens: false)
      return report.end(failure, at: nil)
    }
  }
}
