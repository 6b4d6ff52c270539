import Testing

@Suite struct SituationTests {
  private let window: Window

  init() throws { window = try Window() }

  @Test("The situations are listed with a line each, whatever else is asked for")
  func list() async throws {
    let end = try await Program.run(["signin", "--demo", "list", "--json"])
    #expect(end.status == 0)
    let lines = end.output.split(separator: "\n")
    #expect(lines.count > 60)
    #expect(lines.allSatisfy { $0.contains(/^[a-z-]+ {2,}\S/) })
    #expect(lines.contains { $0.hasPrefix("push-number ") })
  }

  @Test("A situation that is not known is named with the nearest one")
  func unknown() async throws {
    let end = try await Program.run(["signin", "--demo", "pusch"])
    #expect(end.status == 2)
    #expect(
      end.errors
        == "idx-flow: There is no demo pusch. Did you mean push? See: idx-flow signin --demo list\n"
    )
  }

  @Test("Only one goal at a time can be asked for")
  func goals() async throws {
    let end = try await Program.run(["signin", "--demo", "--unlock", "--register"])
    #expect(end.status == 2)
    #expect(end.errors.contains("--unlock and --register cannot both be done"))
  }

  @Test("An org that does not offer the goal says so")
  func notOffered() async throws {
    let program = try window.demo("basic", "--unlock")
    let end = try await program.end()
    #expect(end.status == 4)
    #expect(end.errors.contains("This org does not offer to unlock an account here."))
  }

  @Test("An account that was unlocked is what was asked for: status 0, without a sign-in")
  func unlock() async throws {
    let program = try window.demo("--unlock", "--json")
    try await window.shown(until: "Username: ")
    window.type("ada@example.com\n")
    try await window.shown(until: "Choose [1]: ")
    window.type("1\n")
    try await window.shown(until: "Enter code: ")
    let code = try #require(program.errorsSoFar.firstMatch(of: /is (\d{6})\.\n/)).output.1
    window.type("\(code)\n")
    try await window.shown(until: "[y/N]: ")
    window.type("\n")
    let end = try await program.end()
    #expect(end.status == 0)
    #expect(end.output.contains(#""status":"done""#))
    #expect(end.output.contains("oie.selfservice.unlock_user.success.message"))
  }

  @Test("A browser that comes back over the loopback ends the sign-in, and its code is not shown")
  func redirect() async throws {
    let program = try window.demo("idp-only")
    let shown = try await window.shown(until: "The browser is back.")
    #expect(shown.contains("\nhttps://demo.okta.example/oauth2/default/v1/authorize?"))
    let end = try await program.end()
    #expect(end.status == 0)
    #expect(end.output == "Signed in as ada@example.com.\n")
    #expect(!(shown + end.errors).contains("interaction_code"))
  }

  @Test("The number to choose on the phone is said in a script too")
  func scriptedNumber() async throws {
    let folder = try TemporaryFolder()
    let script = try folder.file(
      "script.json",
      """
      [{"step": "identify", "fields": {"identifier": "ada@example.com"}},
       {"step": "challenge-authenticator", "fields": {"credentials.passcode": "Analytical-1843"}},
       {"step": "authenticator-verification-data", "fields": {"authenticator.methodType": "push"}}]
      """)
    let end = try await Program.run(["signin", "--demo", "push-number", "--script", script])
    #expect(end.status == 3)
    #expect(end.errors.contains(/\nChoose \d\d in Okta Verify\.\n/))
    #expect(end.errors.contains("The server asks for “challenge-poll”, and all entries of the script are used."))
  }
}
