import IDX
import IDXTesting
import Testing

@Suite struct InstructionTests {
  @Test("What a new password must be like is said before it is asked for, and why one is refused")
  func rules() async throws {
    let org = makeOrg(.passwordOnly, status: .passwordExpired)
    var sitting = try Sitting(org)
    try await sitting.answer("Username: ", "ada@example.com")
    try await sitting.answer("Password: ", "Analytical-1843")
    try await sitting.answer("New password: ", "short")
    try await sitting.answer("New password: ", "Difference-Engine-2")
    try await sitting.answer("The same again: ", "Difference-Engine-3")
    try await sitting.answer("New password: ", "Difference-Engine-2")
    try await sitting.answer("The same again: ", "Difference-Engine-2")
    #expect(try await sitting.end().isSignedIn)
    #expect(
      sitting.shown == """
        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Your password has expired. Choose a new one
          It needs 8 characters or more, a small letter, a capital letter, a digit, no
          part of the user name. It must not be one of the last 4.
        New password: 
          ✗ It needs 8 characters or more, a capital letter, a digit.
        New password: 
        The same again: 
          ✗ The two were not the same. Type it again.
        New password: 
        The same again: 

        """)
  }

  @Test("That a password may stay, or may be replaced where it is forgotten, is said at its prompt")
  func waysOn() async throws {
    var sitting = try Sitting(SimulatedOrg(.passwordExpiring))
    try await sitting.answer("Username: ", "ada@example.com")
    try await sitting.answer("Password: ", "Analytical-1843")
    try await sitting.type("\u{4}", at: "New password: ")
    #expect(try await sitting.end().isCancelled)
    #expect(sitting.shown.contains("\n  Under ?: Skip for now.\nNew password: "))

    sitting = try Sitting(SimulatedOrg(.recovery))
    try await sitting.answer("Username: ", "ada@example.com")
    try await sitting.type("\u{4}", at: "Password: ")
    #expect(try await sitting.end().isCancelled)
    #expect(sitting.shown.contains("\n  Under ?: Reset a forgotten password.\nPassword: "))
  }

  @Test("Where a form asks for more than a password, what the rules are for is said")
  func rulesOfOneField() async throws {
    var sitting = try Sitting(SimulatedOrg(.registrationWithPassword))
    try await sitting.answer("Username: ", "?")
    try await sitting.answer("go back: ", "sign up")
    try await sitting.type("\u{4}", at: "First name: ")
    #expect(try await sitting.end().isCancelled)
    #expect(sitting.shown.contains("\nSign up\n  The password needs 8 characters or more"))
  }

  @Test("At a choice, going back names the authenticator")
  func back() async throws {
    var sitting = try Sitting(SimulatedOrg(.push))
    try await sitting.answer("Username: ", "ada@example.com")
    try await sitting.answer("Password: ", "Analytical-1843")
    try await sitting.answer("Choose [1-2]: ", "?")
    try await sitting.answer("go back: ", "verify in another way")
    try await sitting.answer("Choose [1]: ", "?")
    try await sitting.type("\u{4}", at: "go back: ")
    #expect(try await sitting.end().isCancelled)
    #expect(sitting.shown.contains("\n  1  Back to Okta Verify\n"))
  }
}
