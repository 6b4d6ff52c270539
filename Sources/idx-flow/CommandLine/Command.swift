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
    let width = allOptions.map(\.head.count).max() ?? 0
    let list = allOptions.map { option in
      "  " + option.head.padding(toLength: width + 2, withPad: " ", startingAt: 0) + option.help
    }
    return [
      purpose, "Usage: \(forms)", "Options:\n" + list.joined(separator: "\n"), notes,
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
    try streams.result(asJSON ? json().text : text())
  }
}
