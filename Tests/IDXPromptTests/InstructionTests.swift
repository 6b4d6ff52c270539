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
    #expect(try await sitting.end().isSignedIn)
    #expect(
      sitting.shown == """
        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Your password has expired. Choose a new one
          It needs at least 8 characters, 1 small letter, 1 capital, 1 digit. It must
          not hold the user name.
        New password: 
          ✗ The new password does not follow the rules.
        New password: 

        """)
  }
}
