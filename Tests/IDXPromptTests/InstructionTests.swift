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
}
