import Foundation
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
        let response = try Response(parsing: bytes(of: path))
        try streams.result(
          format == "json"
            ? ResponseSummary(response: response).json.text
            : ResponseTree(response: response).text(titled: path))
      } catch let failure as CommandFailure {
        throw failure
      } catch {
        exitCode = .unexpected
        let reason = (error as? ResponseError)?.description ?? unread(error)
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

  private func bytes(of path: String) throws -> [UInt8] {
    if path == "-" { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func unread(_ error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?: "It cannot be read. There is no such file."
    case .fileReadNoPermission?: "It cannot be read. That is not permitted."
    default: "It cannot be read."
    }
  }
}
