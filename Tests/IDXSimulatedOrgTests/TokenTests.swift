import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Tokens, keys and PINs in the simulated org.
struct TokenTests {
  private static let secret: Secret = "NBQXAZDFOJSXGZLB"
  private let login = OrgClient.login
  private let enroll = Remediation.Name.selectAuthenticatorEnroll
  private let wrong = "api.authn.error.PASSCODE_INVALID"

  @Test("A code is valid for 30 seconds, and for a minute if a server checks it")
  func periods() async throws {
    let tokens: [SimulatedUser.Enrollment] = [
      .token(.customOTP, secret: Self.secret), .token(.rsa, secret: Self.secret),
    ]
    let org = makeOrg(.required("custom_otp", "rsa_token"), tokens)
    // The start of a minute.
    org.advance(by: 20)
    let short = await org.code(of: "custom_otp", for: login)
    let long = await org.code(of: "rsa_token", for: login)
    await expect(org.code(of: "custom_otp", for: login, ahead: 1) != short)
    org.advance(by: 30)
    await expect(org.code(of: "custom_otp", for: login) != short)
    await expectEqual(org.code(of: "rsa_token", for: login), long)
  }

  @Test("A YubiKey types 44 letters, of which the first 12 identify it, and counts its touches")
  func yubiKey() async throws {
    let org = makeOrg(.required("yubikey_token"))
    var client = try await OrgClient.signedIn(org)
    try await client.fill(enroll, ["authenticator": .option(0)])
    org.advance(by: 10)
    _ = try await OrgClient.signedIn(org)
    let first = try await require(
      org.code(of: "yubikey_token", for: login), "Although another sign-in began later")
    let second = try await require(org.code(of: "yubikey_token", for: login))
    expectEqual(first.count, 44)
    expect(first.allSatisfy { "cbdefghijklnrtuv".contains($0) })
    expectEqual(first.prefix(12), second.prefix(12))
    expect(first != second)
    try await client.answer(String(first.dropLast()))
    expectEqual(client.messageKeys(at: "credentials.passcode"), [wrong])
    try await client.answer(second)
    expect(client.isDone)

    client = try await OrgClient.signedIn(org)
    let name = client.currentEnrollment?["credentialId"]?.string
    expectEqual(name, "********" + first.prefix(12).suffix(4))
    try await client.answer(first)
    expectEqual(client.status, 401, "An earlier touch than the last that counted")
    try await client.answer(await org.code(of: "yubikey_token", for: login))
    expect(client.isDone)
  }

  @Test("A token server asks for the next code once")
  func nextCode() async throws {
    let org = makeOrg(
      SignInPolicy(required: ["rsa_token"], attempts: 2),
      [.token(.rsa, secret: Self.secret, wantsNextCode: true)])
    var client = try await OrgClient.signedIn(org)
    let first = await org.code(of: "rsa_token", for: login)
    try await client.answer(first)
    expectEqual(client.status, 401)
    expectEqual(client.messageKeys, ["errors.E0000113"])
    expectEqual(client.remediations, ["challenge-authenticator"])
    try await client.answer(first)
    expectEqual(client.messageKeys, [wrong])
    org.advance(by: 60)
    try await client.answer(await org.code(of: "rsa_token", for: login))
    expect(client.isDone)

    client = try await OrgClient.signedIn(org)
    try await client.answer(await org.code(of: "rsa_token", for: login))
    expect(client.isDone)
  }

  @Test("A wrong PIN has its own message, and counts as a wrong answer")
  func nfcChallenge() async throws {
    let org = makeOrg(SignInPolicy(required: ["nfc_pin"], attempts: 2), [.code(.nfcPIN, "271828")])
    var client = try await OrgClient.signedIn(org)
    expectEqual(client.current?["type"], "proximity")
    try await client.answer("271829")
    expectEqual(
      client.messageKeys(at: "credentials.passcode"), ["api.authenticator.error.nfc.pin_incorrect"])
    try await client.answer("271829")
    expectEqual(client.status, 429)
  }
}
