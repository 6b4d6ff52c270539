import IDXPrompt
import IDXTesting
import Testing

@Suite("Passkeys at a terminal")
struct PasskeyTranscriptTests {
  @Test("What is not installed is named, the person tries again, and skips")
  func notInstalled() async throws {
    let key = SecurityKey(environment: ["PATH": "/nowhere"])
    var sitting = try Sitting(
      SimulatedOrg(.passkeyPromotion, seed: 7, clock: { Sitting.moment }), passkeys: key)
    try await sitting.answer("Username: ", "ada@example.com")
    try await sitting.answer("Password: ", "Analytical-1843")
    try await sitting.answer("Choose [1-4]: ", "1")
    try await sitting.answer("Choose [1-4]: ", "2")
    #expect(try await sitting.end().isSignedIn)
    #expect(
      sitting.shown.contains("fido2-token is not installed: install fido2-tools"),
      "\(sitting.shown)")
    #expect(sitting.shown.contains("Set up Passkey or security key"))
  }

  @Test("A passkey signs in without a word")
  func software() async throws {
    var sitting = try Sitting(
      SimulatedOrg(.passkey, seed: 7, clock: { Sitting.moment }),
      passkeys: SoftwareAuthenticator.demo)
    try await sitting.answer("Username: ", "ada@example.com")
    try await sitting.answer("Password: ", "Analytical-1843")
    #expect(try await sitting.end().isSignedIn)
    #expect(sitting.shown.contains("Verify with Passkey or security key"))
  }
}
