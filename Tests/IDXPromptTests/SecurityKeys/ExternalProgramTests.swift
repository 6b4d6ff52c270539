import Expectations
import Foundation
import IDXSystem
import Testing

/// Running external programs, which are scripts as in the tests of security keys.
struct ExternalProgramTests {
  private let programs: FakePrograms

  init() throws { programs = try FakePrograms() }

  private func program(_ lines: String, readingInput: Bool = true) throws -> ExternalProgram {
    try programs.add("program", lines, readingInput: readingInput)
    return try require(
      ExternalProgram(
        named: "program", environment: programs.environment, terminationTimeout: .zero))
  }

  @Test("A program that writes much to both streams, or while it reads, does not block")
  func muchOutput() async throws {
    let much = try program("head -c 300000 /dev/zero | tee /dev/stderr; exit 7")
    let outcome = try await much.run([], input: "a line\n")
    expectEqual(outcome.status, 7)
    expectEqual(outcome.output.utf8.count, 300_000)
    expectEqual(outcome.errors.utf8.count, 300_000)
    expectEqual(programs.input(of: "program"), ["a line"])

    let echo = try program("exec cat", readingInput: false)
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
    let program = try program(lines)
    let task = Task { try await program.run([]) }
    while !FileManager.default.fileExists(atPath: "\(program.path).begun") { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(
    "A program does not have to read all its input",
    arguments: ["", "exec 0<&-; echo closed", "head -c 10"])
  func unreadInput(lines: String) async throws {
    let program = try program(lines, readingInput: false)
    let outcome = try await program.run([], input: String(repeating: "a", count: 300_000))
    expectEqual(outcome.status, 0)
  }
}
