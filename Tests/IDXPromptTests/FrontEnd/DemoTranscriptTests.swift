import Expectations
import IDXPrompt
import IDXQRCode
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import Testing

struct DemoTranscriptTests {
  private static let uri =
    "otpauth://totp/demo.okta.example:ada%40example.com?secret=TRR7EJM4CMPA5QVH"
    + "&issuer=demo.okta.example"

  /// What the sign-in of the README shows, with a wrong code first.
  private func play(
    _ environment: [String: String] = TerminalSession.plain, columns: UInt16 = 80,
    drawsQRCodes: Bool = true
  ) async throws -> String {
    let org = makeOrg()
    var session = try TerminalSession(
      org, columns: columns, environment: environment, drawsQRCodes: drawsQRCodes)
    try await session.signIn()
    try await session.answer(["Choose 1-3: ": "1", "Code: ": "000000"])
    let code = try await require(org.authenticatorCode(for: "ada@example.com"))
    try await session.answer(["Code: ": code])
    try await expect(session.end().isSignedIn)
    expectEqual(session.pseudo.settings, session.before)
    return session.shown
  }

  private static func code() -> String {
    let code = try? QRCode(uri, correction: .low)
    return code?.lines(quietZone: 1).joined(separator: "\n") ?? ""
  }

  private static let key = "  Type this key into the app:  TRR7 EJM4 CMPA 5QVH"
  private static let account =
    "  account ada@example.com, issuer demo.okta.example, 6 digits every 30 s"

  /// What the sign-in shows; the message about the wrong code is broken before these words.
  private static func transcript(
    _ setUp: String, cross: String, check: String, breakingBefore words: [String]
  ) -> String {
    let refusal =
      "The code is wrong. Check the clock of your phone, or wait 20 s for the next code."
    let dot = check.isEmpty ? "" : cross == "x" ? "*" : "•"
    return """
      \(TerminalSession.signedIn.replacing("•", with: dot))
      \(TerminalSession.secondFactors)1

      Set up Google Authenticator
      \(setUp)
      Code: 000000
        \(cross) \(words.reduce(refusal) { $0.replacing(" \($1)", with: "\n    \($1)") })
      Code: 702564
        \(check)Google Authenticator is set up.

      """
  }

  @Test(
    "The key, the QR code and the question fit 80 columns and 24 rows; read aloud, sentences are lines",
    arguments: [
      (
        TerminalSession.plain, true,
        "\(key)\n  Or scan this QR code:\n\(code())", "✓ ", "✗", ["code."]
      ),
      (TerminalSession.plain, false, "\(account)\n  \(uri)\n\(key)", "✓ ", "✗", ["code."]),
      (
        ["TERM": "linux", "NO_COLOR": "1"], true,
        "\(account)\n  \(uri)\n  This terminal cannot draw a QR code.\n\(key)", "ok ", "x",
        ["code."]
      ),
      // Words stand for marks.
      (
        ["TERM": "dumb", "LANG": "C.UTF-8"], false, "\(account)\n  \(uri)\n\(key)", "", "Error:", []
      ),
    ])
  func plain(
    environment: [String: String], drawsQRCodes: Bool, setUp: String, check: String, cross: String,
    breaks: [String]
  ) async throws {
    try await expectEqual(
      play(environment, drawsQRCodes: drawsQRCodes),
      Self.transcript(setUp, cross: cross, check: check, breakingBefore: breaks))
  }

  @Test("With color, each sequence is switched off again")
  func color() async throws {
    try await expectEqual(
      play(["TERM": "xterm-256color", "LANG": "C.UTF-8"]),
      """
      \u{1B}[1mSign in to Demo app\u{1B}[22m
      Username: ada@example.com
      Password: \u{1B}[2m••••••••\u{1B}[22m

      \u{1B}[1mSet up a second factor\u{1B}[22m
      \u{1B}[2m  It protects your account if somebody else knows your password.\u{1B}[22m
        \u{1B}[36m1\u{1B}[39m  Google Authenticator
        \u{1B}[36m2\u{1B}[39m  Email
        \u{1B}[36m3\u{1B}[39m  Skip for now
      Choose 1-3: 1

      \u{1B}[1mSet up Google Authenticator\u{1B}[22m
        Type this key into the app:  \u{1B}[1mTRR7 EJM4 CMPA 5QVH\u{1B}[22m
        Or scan this QR code:
      \(Self.code())
      Code: 000000
        \u{1B}[31m✗\u{1B}[39m The code is wrong. Check the clock of your phone, or wait 20 s for the next
          code.
      Code: 702564
        \u{1B}[32m✓\u{1B}[39m Google Authenticator is set up.

      """)
  }

  @Test("In 40 columns, text is wrapped, and the QR code still fits")
  func narrow() async throws {
    let setUp = """
        Type this key into the app:
          TRR7 EJM4 CMPA 5QVH
        Or scan this QR code:
      \(Self.code())
      """
    try await expectEqual(
      play(columns: 40),
      Self.transcript(setUp, cross: "✗", check: "✓ ", breakingBefore: ["of your", "next"])
        .replacing("somebody else knows", with: "somebody\n  else knows"))
  }
}

/// Passkeys at a terminal.
struct PasskeyTranscriptTests {
  @Test("A missing program is named, and the passkey can be tried again or skipped")
  func notInstalled() async throws {
    var session = try TerminalSession(
      SimulatedOrg(OrgScenario["passkey-promotion"], seed: 7, clock: { TerminalSession.moment }),
      passkeys: SecurityKey(environment: ["PATH": "/nowhere"]))
    try await session.signIn()
    try await session.answer(["Choose 1-4: ": "1", "Choose 1-4: ": "2"])
    try await expect(session.end().isSignedIn)
    expectContains(session.shown, "fido2-token is not installed. Install fido2-tools")
    expectContains(session.shown, "Set up a passkey or security key")
  }

  @Test("A passkey signs in without a question")
  func software() async throws {
    var session = try TerminalSession(
      SimulatedOrg(OrgScenario["passkey"], seed: 7, clock: { TerminalSession.moment }),
      passkeys: SoftwareAuthenticator.demo)
    try await session.signIn()
    try await expect(session.end().isSignedIn)
    expectContains(session.shown, "Verify with a passkey or security key")
  }
}
