public import IDXBase

// What a user can have set up beside e-mail, phone, Google Authenticator and a question.
extension SimulatedUser.Enrollment {
  /// Okta Verify on a phone that shows codes of this secret, in Base32, and answers pushes.
  public static func oktaVerify(secret: Secret) -> Self {
    Self(authenticator: .oktaVerify, detail: .key(secret))
  }

  /// An app of the org's own that answers pushes (`custom_app`).
  public static let customApp = Self(authenticator: .customApp, detail: .device)

  /// A token that shows codes of this secret, in Base32, each for 30 seconds (`custom_otp`).
  public static func customOTP(secret: Secret) -> Self {
    Self(authenticator: .customOTP, detail: .key(secret))
  }

  /// A Symantec VIP token that shows codes of this secret, in Base32 (`symantec_vip`).
  public static func symantecVIP(secret: Secret) -> Self {
    Self(authenticator: .symantecVIP, detail: .key(secret))
  }

  /// A YubiKey that types codes made of this secret, any text (`yubikey_token`).
  public static func yubiKey(secret: Secret) -> Self {
    Self(authenticator: .yubiKey, detail: .key(secret))
  }

  /// An RSA SecurID token that shows codes of this secret, in Base32, each for a minute
  /// (`rsa_token`).
  ///
  /// With `wantsNextCode` the org once answers a right code by asking for the one after it.
  public static func rsa(secret: Secret, wantsNextCode: Bool = false) -> Self {
    Self(authenticator: .rsa, detail: .token(secret, wantsNextCode: wantsNextCode))
  }

  /// A token that a server of the org's own knows, otherwise like ``rsa(secret:wantsNextCode:)``
  /// (`onprem_mfa`).
  public static func onPremises(secret: Secret, wantsNextCode: Bool = false) -> Self {
    Self(authenticator: .onPremises, detail: .token(secret, wantsNextCode: wantsNextCode))
  }

  /// A code that an administrator has issued, good for any number of sign-ins (`tac`).
  public static func temporaryAccessCode(_ code: Secret) -> Self {
    Self(authenticator: .temporaryAccessCode, detail: .code(code))
  }

  /// An NFC tag with this PIN (`nfc_pin`).
  public static func nfcPIN(_ pin: Secret) -> Self {
    Self(authenticator: .nfcPIN, detail: .code(pin))
  }

  /// Duo, in a frame of a web page (`duo`).
  public static let duo = Self(authenticator: .duo, detail: .device)
}
