import IDX
import IDXPrompt

/// `idx-flow inspect`: what responses ask for.
struct InspectCommand {
  static let options = [
    OptionSpec("--format", value: "tree|json", "how to show it; tree unless told otherwise"),
    OptionSpec("--help", "this text"),
  ]

  private let options: CommandLineOptions

  init(_ words: [String]) throws {
    options = try CommandLineOptions(words, accepting: Self.options, of: "inspect")
  }

  func run(_ streams: Streams) throws -> ExitCode {
    if options.flags.contains("--help") {
      try streams.result(Help.inspect)
      return .done
    }
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
        let response = try Response(parsing: NamedFile(path: path).readOrInput())
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
          let line: JSON = ["file": .string(path), "error": .string(reason)]
          try streams.result(line.text)
        } else {
          streams.note(TextSanitizer(oneLine: true).clean("\(path): \(reason)"))
        }
      }
    }
    return exitCode
  }
}
