import IDXBase
import IDX
import IDXPrompt

/// `idx-flow inspect`: what responses ask for.
struct InspectCommand: Command {
  static let name = "inspect"
  static let summary = "Show what a response of the server asks for."
  static let help = CommandHelp(
    purpose:
      "Show what responses of the server ask for: messages, steps with their fields, authenticators.",
    usage: ["inspect [OPTION...] FILE...      (- stands for standard input)"],
    options: [
      OptionSpec("--format", value: "tree|json", "how to show it; tree unless told otherwise")
    ],
    notes: """
      A file that is no response is reported, and the others are shown all the same; the exit
      status is then 1. With state handles and shared secrets in it, the output of --format json
      is as secret as the responses are.
      """)

  static let operands = 0...Int.max

  static func run(_ call: CommandCall) throws -> ExitCode {
    let (options, streams) = (call.options, call.streams)
    let format = options.values["--format"] ?? "tree"
    guard ["tree", "json"].contains(format) else {
      throw CommandFailure(.usage, "--format is tree or json, not \(format).")
    }
    guard !options.operands.isEmpty else {
      throw CommandFailure(.usage, "inspect needs a FILE, or - for standard input.")
    }
    var exitCode = ExitCode.done
    for path in options.operands {
      do {
        let response = try IDXResponse(parsing: NamedFile(path: path).readOrInput())
        try streams.result(
          format == "json"
            ? ResponseSummary(response: response).json.text
            : ResponseTree(response: response).text(titled: path))
      } catch let failure as CommandFailure {
        throw failure
      } catch {
        exitCode = .unexpected
        let reason = (error as? NamedFile.Unreadable).map { "It \($0)" } ?? "\(error)"
        if format == "json" {
          let line: JSONValue = ["file": .string(path), "error": .string(reason)]
          try streams.result(line.text)
        } else {
          streams.note(TextSanitizer(oneLine: true).clean("\(path): \(reason)"))
        }
      }
    }
    return exitCode
  }
}
