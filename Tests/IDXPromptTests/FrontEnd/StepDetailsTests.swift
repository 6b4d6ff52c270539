import Expectations
import IDX
import IDXBase
import IDXSimulatedOrg
import Testing

struct StepDetailsTests {
  @Test("The rules for a new password are shown before it is asked for, and the broken ones after")
  func rules() async throws {
    let (shown, result) = try await TerminalSession.play(
      makeOrg(.passwordOnly, status: .passwordExpired), signingIn: true,
      [
        "New password: ": "short",
        "New password: ": "Difference-Engine-2", "Repeat the password: ": "Difference-Engine-3",
        "New password: ": "Difference-Engine-2", "Repeat the password: ": "Difference-Engine-2",
      ])
    expect(result.isSignedIn)
    expectEqual(
      shown,
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

    // Also where a form asks for more than a password.
    let (signUp, _) = try await TerminalSession.play(
      SimulatedOrg(OrgScenario["register-password"]),
      [
        "Username: ": "?", "go back: ": "sign up", "First name: ": "Ada", "Last name: ": "Byron",
        "Email: ": "byron@example.com", "(optional): ": "", "[y/N]: ": "", "(optional): ": "",
        "assword: ": "\u{4}",
      ])
    expectContains(signUp, "\n  Password rules: at least 8 characters")
  }

  @Test("A hint says that a password change can be skipped, or a forgotten password reset")
  func hints() async throws {
    let (change, _) = try await TerminalSession.play(
      SimulatedOrg(OrgScenario["password-expiring"]), signingIn: true,
      ["New password: ": "\u{4}"])
    expectContains(change, "\n  Type ? for other options: Skip for now.\n")

    let (signIn, _) = try await TerminalSession.play(
      SimulatedOrg(OrgScenario["recover"]),
      ["Username: ": "ada@example.com", "Password: ": "\u{4}"])
    expectContains(signIn, "\n  Forgot your password? Type ?\nPassword: ")
  }

  @Test("After a rejected push, the title says so, and not how to send another")
  func rejectedPush() async throws {
    let org = SimulatedOrg(OrgScenario["push-rejected"])
    var session = try TerminalSession(org, sleep: { org.advance(by: $0 / .seconds(1)) })
    try await session.signIn()
    try await session.answer(["Choose 1-2: ": "1", "Choose 1-4: ": "\u{4}"])
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
    let (shown, _) = try await TerminalSession.play(
      SimulatedOrg(OrgScenario["push"]), signingIn: true,
      [
        "Choose 1-2: ": "?", "go back: ": "verify in another way", "Choose 1: ": "?",
        "go back: ": "\u{4}",
      ])
    expectContains(shown, "\n  1  Back to Okta Verify\n")
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
    let (shown, _) = try await TerminalSession.play(
      CannedServer(.response([form], .current(key, name))), ["Code: ": "\u{4}"])
    expectPrefix(shown, "Verify with \(phrase)\n")
  }
}
