import Expectations
import TerminalSupport
import Testing

@Suite(.tags(.startsPrograms), .fewPrograms) struct LockedAccountTests {
  private func end(
    _ demo: String, wrongAnswers: Int, options: [String] = []
  ) async throws -> Program.End {
    let terminal = try PseudoTerminal()
    let program = try Program(
      ["signin", "--demo", demo] + options,
      environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_COLOR": "1"],
      input: terminal.path)
    try await terminal.answer("Username: ", "ada@example.com")
    for _ in 0..<wrongAnswers { try await terminal.answer("Password: ", "a guess") }
    return try await program.end()
  }

  @Test("After five wrong passwords, the command ends and names the administrator")
  func administrator() async throws {
    let end = try await end("password", wrongAnswers: 5)
    expectEqual(end.status, 7)
    expectContains(end.errors, "What to do: Wait before you try again. If the account is locked, ")
    expectContains(end.errors, "an administrator of the org can unlock it.")
    expect(!end.errors.contains("--unlock"))
  }

  @Test("If the org lets people unlock their account, the command names the option for it")
  func unlock() async throws {
    let end = try await end("unlock", wrongAnswers: 5)
    expectEqual(end.status, 7)
    expectContains(end.errors, "run idx-flow signin --unlock with the same options")
  }

  @Test("If a protocol does not say that the account is locked, the limit of attempts does")
  func direct() async throws {
    let end = try await end("password", wrongAnswers: 10, options: ["--flow", "direct"])
    expectEqual(end.status, 4)
    expectContains(end.errors, "an administrator of the org can unlock it.")
  }
}
