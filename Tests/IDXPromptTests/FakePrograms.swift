import Foundation
import IDXSystem
import Testing

@testable import IDXPrompt

/// Programs of libfido2 that do as a test says: a folder of shell scripts, each of which keeps what it
/// was given.
struct FakePrograms {
  let folder: URL
  var environment: [String: String] { ["PATH": "\(folder.path):/usr/bin:/bin"] }

  /// A folder of its own for the test; `remove()` takes it away.
  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("idx-flow-fido2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// A program that keeps its arguments and, unless it is to read none, its input, then runs these
  /// lines.
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
    // Another process writes it: a file that this one has open for writing, or a program that another
    // test is just starting has inherited, cannot be run.
    let copy = try Spawn(
      command: ["/bin/cp", draft.path, file.path], environment: [:],
      streams: [.null, .null, .null]
    ).start()
    var status: Int32 = 0
    while waitpid(copy, &status, 0) < 0, errno == EINTR {}
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
  }

  /// A program that writes these lines.
  func add(_ name: String, writing lines: [String]) throws {
    try add(name, "cat <<'END'\n\(lines.joined(separator: "\n"))\nEND")
  }

  /// A program that fails as those of libfido2 do.
  func add(_ name: String, failing error: String) throws {
    try add(name, "echo '\(name): fido_dev_call: \(error)' >&2; exit 1")
  }

  /// One key, or as many as are named.
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
