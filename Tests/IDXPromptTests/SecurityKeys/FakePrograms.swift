import Foundation
import IDXSystem
import Testing

@testable import IDXPrompt

/// A folder of shell scripts that stand in for the programs of libfido2 and record their input; it is
/// deleted with this object.
final class FakePrograms: Sendable {
  let folder: URL
  var environment: [String: String] { ["PATH": "\(folder.path):/usr/bin:/bin"] }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("idx-flow-fido2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Adds a program that records its arguments and, by default, its input, and then runs the lines.
  func add(_ name: String, _ lines: String, readingInput: Bool = true) throws {
    let reading =
      readingInput
      ? """
      input=$(cat)
      echo "$input" >> "$0.input"
      """ : ""
    let script = """
      #!/bin/sh
      echo "$@" >> "$0.arguments"
      \(reading)
      \(lines)

      """
    let file = folder.appendingPathComponent(name)
    let draft = folder.appendingPathComponent("\(name).draft")
    try Data(script.utf8).write(to: draft)
    // Another process writes the file: a file that is open for writing here, or in a program that
    // another test has just started, cannot be run.
    let copy = try spawn(["/bin/cp", draft.path, file.path], environment: [:])
    var status: Int32 = 0
    while waitpid(copy, &status, 0) < 0, errno == EINTR {}
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
  }

  /// Adds a program that writes the lines.
  func add(_ name: String, writing lines: [String]) throws {
    try add(name, "cat <<'END'\n\(lines.joined(separator: "\n"))\nEND")
  }

  /// Adds a program that fails with an error of libfido2.
  func add(_ name: String, failing error: String) throws {
    try add(name, "echo '\(name): fido_dev_call: \(error)' >&2; exit 1")
  }

  /// Adds a `fido2-token` that lists keys.
  func addKeys(_ paths: String...) throws {
    try add(
      "fido2-token",
      writing: paths.map { "\($0): vendor=0x1050, product=0x0407 (Maker Key)" })
  }

  /// The arguments of each run, in order.
  func arguments(of name: String) -> [String] { lines(of: name, "arguments") }
  /// The input of all runs, line by line.
  func input(of name: String) -> [String] { lines(of: name, "input") }

  private func lines(of name: String, _ what: String) -> [String] {
    let file = folder.appendingPathComponent("\(name).\(what)")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
