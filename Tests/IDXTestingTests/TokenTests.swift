import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

@Suite("Tokens, keys and PINs in the simulated org")
struct TokenTests {
  private static let secret: Secret = "NBQXAZDFOJSXGZLB"
  private let login = Visitor.login
  private let enroll = Remediation.Name.selectAuthenticatorEnroll
  private let wrong = "api.authn.error.PASSCODE_INVALID"

  @Test("A code stands for 30 seconds, that of a server's token for a minute")
  func periods() async throws {
    let tokens: [SimulatedUser.Enrollment] = [
      .customOTP(secret: Self.secret), .rsa(secret: Self.secret),
    ]
    let org = makeOrg(.required("custom_otp", "rsa_token"), tokens)
    // The beginning of a minute.
    org.advance(by: 20)
    let short = await org.code(of: "custom_otp", for: login)
    let long = await org.code(of: "rsa_token", for: login)
    #expect(await org.code(of: "custom_otp", for: login, ahead: 1) != short)
    org.advance(by: 30)
    #expect(await org.code(of: "custom_otp", for: login) != short)
    #expect(await org.code(of: "rsa_token", for: login) == long)
  }

  @Test("A YubiKey types 44 letters, says with the first 12 which it is, and counts its touches")
  func yubiKey() async throws {
    let org = makeOrg(.required("yubikey_token"))
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(enroll, ["authenticator": .option(0)])
    org.advance(by: 10)
    _ = try await Visitor.signedIn(org)
    let first = try #require(
      await org.code(of: "yubikey_token", for: login), "Although another sign-in began later")
    let second = try #require(await org.code(of: "yubikey_token", for: login))
    #expect(first.count == 44)
    #expect(first.allSatisfy { "cbdefghijklnrtuv".contains($0) })
    #expect(first.prefix(12) == second.prefix(12))
    #expect(first != second)
    try await visitor.type(String(first.dropLast()))
    #expect(visitor.messageKeys(at: "credentials.passcode") == [wrong])
    try await visitor.type(second)
    #expect(visitor.isDone)

    visitor = try await Visitor.signedIn(org)
    let profile = visitor.currentEnrollment?["profile"]?["credentialId"]?.string
    #expect(profile == "********" + first.prefix(12).suffix(4))
    try await visitor.type(first)
    #expect(visitor.status == 401, "An earlier touch than the last that counted")
    try await visitor.type(await org.code(of: "yubikey_token", for: login))
    #expect(visitor.isDone)
  }

  @Test("A server that has lost track of a token wants the next code, once")
  func nextCode() async throws {
    let org = makeOrg(
      SignInPolicy(required: ["rsa_token"], attempts: 2),
      [.rsa(secret: Self.secret, wantsNextCode: true)])
    var visitor = try await Visitor.signedIn(org)
    let first = try #require(await org.code(of: "rsa_token", for: login))
    try await visitor.type(first)
    #expect(visitor.status == 401)
    #expect(visitor.messageKeys == ["errors.E0000113"])
    #expect(visitor.remediations == ["challenge-authenticator"])
    try await visitor.type(first)
    #expect(visitor.messageKeys == [wrong])
    org.advance(by: 60)
    try await visitor.type(await org.code(of: "rsa_token", for: login))
    #expect(visitor.isDone)

    visitor = try await Visitor.signedIn(org)
    try await visitor.type(await org.code(of: "rsa_token", for: login))
    #expect(visitor.isDone)
  }

  @Test("An NFC tag is touched, then gets a PIN of the right length")
  func nfcEnrollment() async throws {
    let org = makeOrg(.required("nfc_pin"))
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(enroll, ["authenticator": .option(0)])
    #expect(visitor.remediations == ["enroll-poll"])
    #expect(visitor.current?["contextualData"]?["setupNfcUrl"]?.string?.isEmpty == false)
    #expect(visitor.current?["settings"] == nil)
    let step = visitor.json
    try await visitor.fill(.enrollPoll)
    #expect(visitor.json == step)
    try await visitor.fill("cancel-polling")
    #expect(visitor.remediations == ["select-authenticator-enroll"])
    try await visitor.fill(enroll, ["authenticator": .option(0)])
    await org.completeEnrollment(for: login)
    try await visitor.fill(.enrollPoll)
    #expect(visitor.remediations == ["enroll-authenticator"])
    #expect(visitor.current?["settings"] == ["minLength": 4, "maxLength": 8])
    #expect(visitor.form("cancel-polling") == nil)
    for pin in ["314", "314159265", "31a1"] {
      try await visitor.type(pin)
      #expect(visitor.status == 400)
      #expect(visitor.messageKeys(at: "credentials.passcode") == [wrong])
    }
    try await visitor.type("3141")
    #expect(visitor.isDone)
    #expect(await org.user(login)?.enrollments == [.nfcPIN("3141")])
    #expect(await org.code(of: "nfc_pin", for: login) == "3141")
  }

  @Test("A wrong PIN is told from a wrong code, and counts towards the lock")
  func nfcChallenge() async throws {
    let org = makeOrg(SignInPolicy(required: ["nfc_pin"], attempts: 2), [.nfcPIN("271828")])
    var visitor = try await Visitor.signedIn(org)
    #expect(visitor.current?["type"] == "proximity")
    try await visitor.type("271829")
    #expect(
      visitor.messageKeys(at: "credentials.passcode")
        == ["api.authenticator.error.nfc.pin_incorrect"])
    try await visitor.type("271829")
    #expect(visitor.status == 429)
  }
}
