import Foundation
import IDX
import IDXBase

/// A command of `idx-flow`: `idx-flow NAME [OPTION...]`.
protocol Command {
  static var name: String { get }
  /// One line for the overview.
  static var summary: String { get }
  /// What the command does, in full sentences.
  static var purpose: String { get }
  /// The forms of the command line, without the name of the program.
  static var usage: [String] { get }
  /// The options without `--help`, which every command has.
  static var options: [OptionSpec] { get }
  /// More information, after the options.
  static var notes: String? { get }
  /// The most operands, which are arguments other than options; by default none.
  static var maximumOperands: Int { get }

  /// Runs the command on the main thread, so that a simple command starts no other thread.
  @MainActor static func run(_ call: CommandCall) async throws -> ExitCode
}

extension Command {
  static var usage: [String] { ["\(name) [OPTION...]"] }
  static var notes: String? { nil }
  static var maximumOperands: Int { 0 }

  static var allOptions: [OptionSpec] { options + [OptionSpec("--help", "show this help")] }

  /// The output of `idx-flow NAME --help`.
  static var help: String {
    let forms = usage.map { "idx-flow \($0)" }.joined(separator: "\n       ")
    return [
      purpose, "Usage: \(forms)",
      "Options:\n" + twoColumns(allOptions.map { ("  \($0.head)", $0.help) }), notes,
      "Exit status:\n" + ExitCode.table,
    ].compactMap(\.self).joined(separator: "\n\n") + "\n"
  }
}

/// The options of a command line, and what a command needs to run.
struct CommandCall {
  let options: CommandLineOptions
  let streams = Streams()

  /// Read only when a command needs it, because it takes memory.
  var environment: [String: String] { ProcessInfo.processInfo.environment }

  var asJSON: Bool { has("--json") }

  func has(_ flag: String) -> Bool { options.flags.contains(flag) }

  /// Writes a result: the object with `--json`, otherwise the text.
  func result(_ text: @autoclosure () -> String, _ json: @autoclosure () -> JSONValue) throws {
    try streams.result(asJSON: asJSON, text, json)
  }
}

/// Rows with two columns, the second of which starts `gap` spaces after the longest text of the first.
func twoColumns(_ rows: [(String, String)], gap: Int = 2) -> String {
  let width = (rows.map(\.0.count).max() ?? 0) + gap
  return rows.map { $0.0.padding(toLength: width, withPad: " ", startingAt: 0) + $0.1 }
    .joined(separator: "\n")
}
