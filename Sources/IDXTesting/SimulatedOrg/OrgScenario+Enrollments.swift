import IDX

// Setting authenticators up.
extension OrgScenario {
  /// A password, then a phone to set up.
  public static let phoneEnrollment = settingUp(
    "enroll-phone", "a phone to set up by SMS or a call", .phone)

  /// A password, then a phone to set up, whose number is asked for by itself.
  public static let phoneEnrollmentInTwoSteps = OrgScenario(
    name: "enroll-phone-two-steps", summary: "a phone to set up, in two forms",
    policy: .required(.phone).with { $0.asksNumberSeparately = true })

  /// A password, then Okta Verify to set up, which the phone has done after some seconds.
  public static let oktaVerifyEnrollment = settingUp(
    "enroll-okta-verify", "Okta Verify to set up, by QR code, e-mail or SMS", .oktaVerify)

  /// A password, then Google Authenticator to set up.
  public static let googleAuthenticatorEnrollment = settingUp(
    "enroll-google", "Google Authenticator to set up", .googleAuthenticator)

  /// A password, then a question to set up.
  public static let securityQuestionEnrollment = settingUp(
    "enroll-question", "a security question to set up", .securityQuestion)

  /// A password, then a Symantec VIP token to set up with two codes in a row.
  public static let symantecVIPEnrollment = settingUp(
    "enroll-symantec-vip", "a Symantec VIP token to set up", .symantecVIP,
    hints: [credentialHint])

  /// A password, then a YubiKey to set up.
  public static let yubiKeyEnrollment = settingUp(
    "enroll-yubikey", "a YubiKey to set up", .yubiKey)

  /// A password, then an RSA SecurID token to set up.
  public static let rsaTokenEnrollment = settingUp(
    "enroll-rsa", "an RSA SecurID token to set up", .rsa)

  /// A password, then an NFC tag to set up with a PIN.
  public static let nfcPINEnrollment = settingUp(
    "enroll-nfc-pin", "an NFC tag to set up, and its PIN", .nfcPIN)

  /// A password, then everything that a user can set up, as much as they like.
  public static let everyEnrollment = OrgScenario(
    name: "enroll-all", summary: "everything to set up that a user can, as much as they like",
    users: [user],
    policy: .optional(
      .email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .symantecVIP,
      .yubiKey, .rsa, .onPremises, .nfcPIN, .duo),
    hints: [credentialHint])

  private static let credentialHint =
    "the Symantec VIP token has the ID \(SimulatedUser.demo.symantecCredentialID)"

  /// Someone whose phone does its part after a while.
  private static var user: SimulatedUser {
    var user = SimulatedUser.demo
    user.device.setsUpAfter = 8
    return user
  }

  private static func settingUp(
    _ name: String, _ summary: String, _ key: IDXAuthenticator.Key, hints: [String] = []
  ) -> OrgScenario {
    OrgScenario(
      name: name, summary: summary, users: [user], policy: .required(key), hints: hints)
  }
}
