import IDXBase
import IDX
import IDXTesting
import Testing

@Suite struct AlternativesTests {
  private func begin(_ org: SimulatedOrg) async throws -> TerminalSession {
    var session = try TerminalSession(org)
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    return session
  }

  @Test("? lists what else can be done at a text, at a secret and at a choice; Enter goes back")
  func everywhere() async throws {
    var session = try TerminalSession(makeOrg())
    try await session.answer("Username: ", "?")
    try await session.answer("go back: ")
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "?")
    try await session.answer("go back: ", "7")
    try await session.answer("go back: ")
    try await session.answer("Password: ", "Analytical-1843")
    try await session.answer("Choose [1-3]: ", "?")
    try await session.answer("go back: ")
    try await session.answer("Choose [1-3]: ", "3")
    #expect(try await session.end().isSignedIn)
    #expect(
      session.shown == """
        Sign in to Demo app
        Username: ?
        What else can be done here
          1  Start over
          2  Quit
        Choose [1-2], or Enter to go back: 
        Username: ada@example.com
        Password: 
        What else can be done here
          1  Start over
          2  Quit
        Choose [1-2], or Enter to go back: 7
          ✗ Type a number from 1 to 2.
        Choose [1-2], or Enter to go back: 
        Password: 
        Set up a second factor
          1  Google Authenticator
          2  Email
          3  Skip for now
        Choose [1-3]: ?
        What else can be done here
          1  Start over
          2  Quit
        Choose [1-2], or Enter to go back: 
          1  Google Authenticator
          2  Email
          3  Skip for now
        Choose [1-3]: 3

        """)
  }

  @Test("Another authenticator takes the place of the one that was being set up")
  func another() async throws {
    let org = makeOrg()
    var session = try await begin(org)
    try await session.answer("Choose [1-3]: ", "2")
    try await session.answer("Enter code: ", "?")
    try await session.answer("go back: ", "set up something else")
    try await session.answer("Choose [1-2]: ", "1")
    try await session.type("\u{4}", at: "Code from the app: ")
    #expect(try await session.end().isCancelled)
    #expect(
      session.shown.contains(
        """
        Set up Email (a***a@example.com)
          If nothing comes, ? has it sent again.
        Enter code: ?
        What else can be done here
          1  Set up something else
          2  Skip for now
          3  Send it again
          4  Start over
          5  Quit
        Choose [1-5], or Enter to go back: set up something else
        Set up a second factor
          1  Google Authenticator
          2  Skip for now
        Choose [1-2]: 1
        Set up Google Authenticator

        """))
  }

  @Test("Sent again there is a new code, and the old one is refused")
  func resend() async throws {
    let org = makeOrg(.required(.email))
    var session = try await begin(org)
    try await session.answer("Choose [1]: ", "1")
    try await session.answer("Enter code: ", "?")
    let old = try #require(await org.mailbox.lastCode(to: "ada@example.com"))
    try await session.answer("go back: ", "1")
    try await session.answer("Enter code: ", old)
    let new = try #require(await org.mailbox.lastCode(to: "ada@example.com"))
    try await session.answer("Enter code: ", new)
    #expect(try await session.end().isSignedIn)
    #expect(
      session.shown == """
        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Set up a second factor
          1  Email
        Choose [1]: 1
        Set up Email (a***a@example.com)
          If nothing comes, ? has it sent again.
        Enter code: ?
        What else can be done here
          1  Send it again
          2  Start over
          3  Quit
        Choose [1-3], or Enter to go back: 1
          ✓ Sent again.
        Set up Email (a***a@example.com)
          If nothing comes, ? has it sent again.
        Enter code: \(old)
          ✗ That is not the code.
        Enter code: \(new)
          ✓ Email is set up.

        """)
  }

  @Test("Skipped from the menu the sign-in ends well")
  func skip() async throws {
    let org = makeOrg()
    var session = try await begin(org)
    try await session.answer("Choose [1-3]: ", "1")
    try await session.answer("Code from the app: ", "?")
    try await session.answer("go back: ", "2")
    #expect(try await session.end().isSignedIn)
    #expect(await org.requests.contains("POST /idp/idx/skip"))
  }

  @Test("Started over it asks for the user name, with nothing of the first try")
  func startOver() async throws {
    let org = makeOrg()
    var session = try await begin(org)
    try await session.answer("Choose [1-3]: ", "?")
    try await session.answer("go back: ", "1")
    try await session.type("\u{4}", at: "Username: ")
    #expect(try await session.end().isCancelled)
    #expect(
      session.shown.hasSuffix(
        """
        Choose [1-2], or Enter to go back: 1
        Sign in to Demo app
        Username: 

        """))
  }

  @Test("Quit gives the sign-in up and tells the server", arguments: ["2", "quit", "Quit"])
  func quit(typed: String) async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    try await session.answer("Username: ", "?")
    try await session.answer("go back: ", typed)
    #expect(try await session.end().isCancelled)
    #expect(await org.requests.last == "POST /idp/idx/cancel")
  }

  @Test("At a yes or no ? lists what else can be done too")
  func confirmation() async throws {
    let agree: JSONValue = ["name": "agree", "label": "Agree", "type": "boolean", "required": true]
    let server = CannedServer(.response([.form("consent", agree), .form("skip")]))
    var session = try TerminalSession(server)
    try await session.answer("Agree [y/n]: ", "?")
    try await session.answer("go back: ", "1")
    _ = try await session.end()
    #expect(await server.answers == ["skip {}"])
  }
}
