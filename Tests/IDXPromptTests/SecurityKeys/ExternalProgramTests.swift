import Expectations
import Foundation
import IDXSystem
import Testing

/// Uses the same scripts as the tests of security keys.
/// Running external programs.
struct ExternalProgramTests {
  @Test("A program that writes much to both streams, or while it reads, does not block")
  func muchOutput() async throws {
    let programs = try FakePrograms()
    defer { programs.remove() }
    try programs.add("much", "head -c 300000 /dev/zero | tee /dev/stderr; exit 7")
    let program = try require(
      ExternalProgram(named: "much", environment: programs.environment))
    let outcome = try await program.run([], input: "a line\n")
    expectEqual(outcome.status, 7)
    expectEqual(outcome.output.utf8.count, 300_000)
    expectEqual(outcome.errors.utf8.count, 300_000)
    expectEqual(programs.input(of: "much"), ["a line"])

    try programs.add("echoing", "exec cat", readingInput: false)
    let echo = try require(
      ExternalProgram(named: "echoing", environment: programs.environment))
    let input = String(repeating: "0123456789", count: 50_000)
    try await expectEqual(echo.run([], input: input).output, input)
  }

  @Test(
    "Cancelling ends a program that ignores SIGTERM, and one that left a child process",
    .timeLimit(.minutes(10)),
    arguments: [
      "trap '' TERM; : > \"$0.begun\"; while [ -e \"$0\" ]; do sleep 0.05; done",
      "(while [ -e \"$0\" ]; do sleep 0.05; done) & : > \"$0.begun\"; exec sleep 600",
    ])
  func ignoredSignal(lines: String) async throws {
    let programs = try FakePrograms()
    defer { programs.remove() }
    try programs.add("stubborn", lines)
    let program = try require(
      ExternalProgram(
        named: "stubborn", environment: programs.environment, terminationTimeout: .zero))
    let task = Task { try await program.run([]) }
    while !FileManager.default.fileExists(atPath: "\(program.path).begun") { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(
    "All input reaches a program, even more than fits into a pipe", arguments: [1, 300_000])
  func longInput(count: Int) async throws {
    let programs = try FakePrograms()
    defer { programs.remove() }
    try programs.add("reader", "")
    let program = try require(
      ExternalProgram(named: "reader", environment: programs.environment))
    let input = String(repeating: "a", count: count) + "\n"
    try await expectEqual(program.run([], input: input).status, 0)
    expectEqual(programs.input(of: "reader").first?.count, count)
  }

  @Test(
    "A program does not have to read all its input",
    arguments: ["", "exec 0<&-; echo closed", "head -c 10"])
  func unreadInput(lines: String) async throws {
    let programs = try FakePrograms()
    defer { programs.remove() }
    try programs.add("quitter", lines, readingInput: false)
    let program = try require(
      ExternalProgram(named: "quitter", environment: programs.environment))
    let outcome = try await program.run(
      [], input: String(repeating: "a", count: 300_000))
    expectEqual(outcome.status, 0)
  }
}
