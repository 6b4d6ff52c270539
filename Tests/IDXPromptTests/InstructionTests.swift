import IDX
import IDXTesting
import Testing

@Suite struct InstructionTests {
  @Test("The number to choose on the phone is shown, once while it is waited for")
  func number() async throws {
    let step = JSON.response(
      [.form("challenge-poll", relatesTo: ["$.currentAuthenticator"])], says: [],
      [
        "currentAuthenticator": [
          "value": [
            "type": "app", "key": "okta_verify", "displayName": "Okta Verify",
            "contextualData": ["correctAnswer": "42\u{1B}[2J"],
          ]
        ]
      ])
    let server = CannedServer(step, step, step)
    var sitting = try Sitting(server)
    _ = try await sitting.end()
    #expect(
      sitting.shown == """
        Verify with Okta Verify
          Choose 42 in Okta Verify:

            ██  ██  ██████
            ██  ██      ██
            ██████  ██████
                ██  ██
                ██  ██████


        """)
    #expect(await server.answers.count == 3)
  }

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
