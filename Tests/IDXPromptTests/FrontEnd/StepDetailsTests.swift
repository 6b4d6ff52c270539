import Expectations
import IDX
import IDXBase
import IDXSimulatedOrg
import Testing

struct StepDetailsTests {
  @Test("The rules for a new password are shown before it is asked for, and the broken ones after")
  func rules() async throws {
    let org = makeOrg(.passwordOnly, status: .passwordExpired)
    var session = try TerminalSession(org)
    try await session.signIn()
    try await session.answer("New password: ", "short")
    try await session.answer("New password: ", "Difference-Engine-2")
    try await session.answer("Repeat the password: ", "Difference-Engine-3")
    try await session.answer("New password: ", "Difference-Engine-2")
    try await session.answer("Repeat the password: ", "Difference-Engine-2")
    try await expect(session.end().isSignedIn)
    expectEqual(
      session.shown,
      """
      \(TerminalSession.signedIn)

      Your password has expired. Choose a new one
        Choose a password that you use nowhere else.
        Do not use one of your last 4 passwords.
        Password rules: at least 8 characters, a lowercase letter, an uppercase
        letter, a digit, no part of the username.
      New password: ••••••••
        ✗ It does not follow the rules: at least 8 characters, an uppercase letter, a
          digit.
      New password: ••••••••
      Repeat the password: ••••••••
        ✗ The two entries do not match. Enter both again.
      New password: ••••••••
      Repeat the password: ••••••••
        ✓ The password is changed.

      """)

    // If a form asks for more than a password, the rules name the password.
    session = try TerminalSession(SimulatedOrg(OrgScenario["register-password"]))
    try await session.answer("Username: ", "?")
    try await session.answer("go back: ", "sign up")
    let answers = [
      ("First name: ", "Ada"), ("Last name: ", "Byron"), ("Email: ", "byron@example.com"),
      ("(optional): ", ""), ("[y/N]: ", ""), ("(optional): ", ""),
    ]
    for (prompt, text) in answers { try await session.answer(prompt, text) }
    try await session.type("\u{4}", at: "assword: ")
    try await expect(session.end().isCancelled)
    expectContains(session.shown, "\n  Password rules: at least 8 characters")
  }

  @Test("A hint says that a password change can be skipped, or a forgotten password reset")
  func hints() async throws {
    var session = try TerminalSession(SimulatedOrg(OrgScenario["password-expiring"]))
    try await session.signIn()
    try await session.type("\u{4}", at: "New password: ")
    try await expect(session.end().isCancelled)
    expectContains(session.shown, "\n  Type ? for other options: Skip for now.\n")

    session = try TerminalSession(SimulatedOrg(OrgScenario["recover"]))
    try await session.answer("Username: ", "ada@example.com")
    try await session.type("\u{4}", at: "Password: ")
    try await expect(session.end().isCancelled)
    expectContains(session.shown, "\n  Forgot your password? Type ?\nPassword: ")
  }

  @Test("After a rejected push, the title says so, and not how to send another")
  func rejectedPush() async throws {
    let org = SimulatedOrg(OrgScenario["push-rejected"])
    var session = try TerminalSession(org, sleep: { org.advance(by: $0 / .seconds(1)) })
    try await session.signIn()
    try await session.answer("Choose 1-2: ", "1")
    try await session.type("\u{4}", at: "Choose 1-4: ")
    try await expect(session.end().isCancelled)
    expectSuffix(
      session.shown,
      """
      Waiting for Okta Verify… 5:00 left (? for other options)

      The request was rejected
        Send it again, or choose another way.
        ✗ The push was rejected on the phone.
        1  Send it again
        2  Verify in another way
        3  Start over
        4  Quit
      Choose 1-4: 

      """)
  }

  @Test("The option to go back names the authenticator")
  func back() async throws {
    var session = try TerminalSession(SimulatedOrg(OrgScenario["push"]))
    try await session.signIn()
    try await session.answer("Choose 1-2: ", "?")
    try await session.answer("go back: ", "verify in another way")
    try await session.answer("Choose 1: ", "?")
    try await session.type("\u{4}", at: "go back: ")
    try await expect(session.end().isCancelled)
    expectContains(session.shown, "\n  1  Back to Okta Verify\n")
  }

  @Test(
    "The usual name of an authenticator gets an article, and another name is not changed",
    arguments: [
      ("okta_email", "Email", "your email"), ("okta_email", "Work email", "Work email"),
      ("webauthn", "Passkey or security key", "a passkey or security key"),
      ("webauthn", "Security Key or Biometric", "Security Key or Biometric"),
      ("google_otp", "Google Authenticator", "Google Authenticator"),
    ])
  func names(key: String, name: String, phrase: String) async throws {
    let form = JSONValue.form(
      "challenge-authenticator", ["name": "code", "label": "Code", "required": true])
    let authenticator: JSONValue = [
      "value": ["key": .string(key), "displayName": .string(name), "type": "app"]
    ]
    var session = try TerminalSession(
      CannedServer(.response([form], says: [], ["currentAuthenticator": authenticator])))
    try await session.type("\u{4}", at: "Code: ")
    _ = try await session.end()
    expectPrefix(session.shown, "Verify with \(phrase)\n")
  }
}
