import Expectations
import IDXBase
import IDXSimulatedOrg
import TerminalSupport
import Testing

@Suite(.tags(.startsPrograms), .fewPrograms) struct DemoTests {
  private let terminal: PseudoTerminal

  init() throws { terminal = try PseudoTerminal() }

  @Test("The demos are listed in groups, one on each line or as JSON")
  func list() throws {
    let end = try Program.run(["signin", "--demo", "list"])
    end.expect(status: 0)
    let groups = end.output.split(separator: "\n\n")
    expectEqual(groups.count, OrgScenario.groups.count)
    for group in groups {
      let lines = group.split(separator: "\n")
      expect(lines[0].contains(/^[A-Z][a-z ]+:$/))
      expect(lines.count > 1 && lines.dropFirst().allSatisfy { $0.contains(/^  [a-z-]+ {2,}\S/) })
    }
    expectContains(end.output, "\n  push-number ")
    let direct = try Program.run(["signin", "--demo", "list", "--flow", "direct", "--json"])
    let demos = try require(direct.json.array)
    expectEqual(demos.count, OrgScenario.all(for: .direct).count)
    expect(demos[0]["name"] == "basic" && demos[0]["group"] == "To begin with")
    expect(demos.allSatisfy { $0["flows"]?.array?.contains("direct") == true })
    expect(demos.allSatisfy { $0["summary"]?.string?.isEmpty == false })
  }

  @Test(
    "An unknown demo is refused, with suggestions",
    arguments: [
      ("pusch", " Did you mean push?"), ("phones", " Did you mean"),
      ("lsit", " Did you mean list?"),
      ("recover-sms", ""), ("xyzzy", ""),
    ])
  func unknown(name: String, question: String) throws {
    let end = try Program.run(["signin", "--demo", name])
    end.expect(status: 2)
    expectPrefix(end.errors, "idx-flow: There is no demo \(name).\(question)")
    expectSuffix(end.errors, " See: idx-flow signin --demo list\n")
  }

  @Test("A goal that the org does not offer is refused")
  func notOffered() throws {
    let end = try terminal.demo("basic", "--unlock").end()
    end.expect(status: 4)
    expectContains(end.errors, "This org does not offer to unlock an account here.")
  }

  /// Unlocks the account with the code of the email; returns how the program ended.
  private func unlockAccount(
    _ program: Program, _ answer: String = ""
  ) async throws -> Program.End {
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.lines(until: "Code: ")
    let code = try require(program.errorsSoFar.firstMatch(of: /is (\d{6})\.\n/)).output.1
    try terminal.type("\(code)\n")
    try await terminal.answer("[y/N]: ", answer)
    return program.end()
  }

  @Test("An unlocked account has status 0, without a sign-in")
  func unlock() async throws {
    let end = try await unlockAccount(terminal.demo("--unlock", "--json"))
    end.expect(status: 0)
    expectContains(end.output, #""status":"done""#)
    expectContains(end.output, "oie.selfservice.unlock_user.success.message")
  }

  @Test("An account that is unlocked on the way is no sign-in, and the end says what to do")
  func unlockOnTheWay() async throws {
    let program = try terminal.demo("unlock")
    try await terminal.answer("Username: ", "?")
    try await terminal.answer("go back: ", "1")
    let end = try await unlockAccount(program, "n")
    end.expect(status: 4)
    expectContains(end.errors, "idx-flow: You are not signed in yet.\n")
    expectContains(end.errors, "What to do: Read the message above, then sign in again.")
  }

  @Test(
    "A browser that returns to the loopback address ends the sign-in, and its code is not shown")
  func redirect() async throws {
    let program = try terminal.demo("idp-only")
    let shown = try await terminal.lines(until: "The browser has returned.")
    expectContains(shown, "\nhttps://demo.okta.example/oauth2/default/v1/authorize?")
    let end = program.end()
    end.expect(status: 0)
    expectEqual(end.output, "Signed in as ada@example.com.\n")
    expect(!(shown + end.errors).contains("interaction_code"))
  }

  @Test("The number to choose on the phone is also shown with a script")
  func scriptedNumber() throws {
    let folder = try TemporaryFolder()
    let script = try folder.file(
      "script.json",
      """
      [{"step": "identify", "fields": {"identifier": "ada@example.com"}},
       {"step": "challenge-authenticator", "fields": {"credentials.passcode": "Analytical-1843"}},
       {"step": "authenticator-verification-data", "fields": {"authenticator.methodType": "push"}}]
      """)
    let end = try Program.run(["signin", "--demo", "push-number", "--script", script])
    end.expect(status: 3)
    expect(end.errors.contains(/\nChoose \d\d in Okta Verify\.\n/))
    expectContains(
      end.errors, "The server asks for “challenge-poll”, and all entries of the script are used.")
  }
}
