import IDX
import IDXTesting
import Testing

@Suite struct InstructionTests {
  @Test("What a new password must be like is said before it is asked for, and why one is refused")
  func rules() async throws {
    let org = makeOrg(.passwordOnly, status: .passwordExpired)
    var session = try TerminalSession(org)
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    try await session.answer("New password: ", "short")
    try await session.answer("New password: ", "Difference-Engine-2")
    try await session.answer("The same again: ", "Difference-Engine-3")
    try await session.answer("New password: ", "Difference-Engine-2")
    try await session.answer("The same again: ", "Difference-Engine-2")
    #expect(try await session.end().isSignedIn)
    #expect(
      session.shown == """
        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Your password has expired. Choose a new one
          It needs at least 8 characters, a lowercase letter, an uppercase letter, a
          digit, no part of the username. It must not be one of the last 4.
        New password: 
          ✗ It needs at least 8 characters, an uppercase letter, a digit.
        New password: 
        The same again: 
          ✗ The two were not the same. Type it again.
        New password: 
        The same again: 

        """)
  }

  @Test("That a password may stay, or may be replaced where it is forgotten, is said at its prompt")
  func waysOn() async throws {
    var session = try TerminalSession(SimulatedOrg(.passwordExpiring))
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    try await session.type("\u{4}", at: "New password: ")
    #expect(try await session.end().isCancelled)
    #expect(session.shown.contains("\n  Under ?: Skip for now.\nNew password: "))

    session = try TerminalSession(SimulatedOrg(.recovery))
    try await session.answer("Username: ", "ada@example.com")
    try await session.type("\u{4}", at: "Password: ")
    #expect(try await session.end().isCancelled)
    #expect(session.shown.contains("\n  Under ?: Reset a forgotten password.\nPassword: "))
  }

  @Test("Where a form asks for more than a password, what the rules are for is said")
  func rulesOfOneField() async throws {
    var session = try TerminalSession(SimulatedOrg(.registrationWithPassword))
    try await session.answer("Username: ", "?")
    try await session.answer("go back: ", "sign up")
    try await session.type("\u{4}", at: "First name: ")
    #expect(try await session.end().isCancelled)
    #expect(session.shown.contains("\nSign up\n  The password needs at least 8 characters"))
  }

  @Test("At a choice, going back names the authenticator")
  func back() async throws {
    var session = try TerminalSession(SimulatedOrg(.push))
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    try await session.answer("Choose [1-2]: ", "?")
    try await session.answer("go back: ", "verify in another way")
    try await session.answer("Choose [1]: ", "?")
    try await session.type("\u{4}", at: "go back: ")
    #expect(try await session.end().isCancelled)
    #expect(session.shown.contains("\n  1  Back to Okta Verify\n"))
  }
}
