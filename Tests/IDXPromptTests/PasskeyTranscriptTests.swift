import IDXPrompt
import IDXTesting
import Testing

@Suite("Passkeys at a terminal")
struct PasskeyTranscriptTests {
  @Test("What is not installed is named, the person tries again, and skips")
  func notInstalled() async throws {
    let key = SecurityKey(environment: ["PATH": "/nowhere"])
    var session = try TerminalSession(
      SimulatedOrg(.passkeyPromotion, seed: 7, clock: { TerminalSession.moment }), passkeys: key)
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    try await session.answer("Choose [1-4]: ", "1")
    try await session.answer("Choose [1-4]: ", "2")
    #expect(try await session.end().isSignedIn)
    #expect(
      session.shown.contains("fido2-token is not installed: install fido2-tools"),
      "\(session.shown)")
    #expect(session.shown.contains("Set up Passkey or security key"))
  }

  @Test("A passkey signs in without a word")
  func software() async throws {
    var session = try TerminalSession(
      SimulatedOrg(.passkey, seed: 7, clock: { TerminalSession.moment }),
      passkeys: SoftwareAuthenticator.demo)
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    #expect(try await session.end().isSignedIn)
    #expect(session.shown.contains("Verify with Passkey or security key"))
  }
}
