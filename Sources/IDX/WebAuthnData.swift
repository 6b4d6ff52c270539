public import IDXBase

// What passkeys bring beside forms, read when asked for. Source: protocol sections 3.1, 3.3 and 4.

extension Remediation.Name {
  /// Sign in with a passkey or security key.
  public static let launchWebAuthnAuthenticator: Self = "launch-webauthn-authenticator"
  /// Set up a passkey that also says who signs in.
  public static let enrollWebAuthnResidentKey: Self = "enroll-webauthn-residentkey"
  /// Sign in with a passkey, which also says who signs in.
  public static let launchPasskeysAuthenticator: Self = "launch-passkeys-authenticator"
  /// Sign in with a passkey that the browser offers beside the field for the user name.
  public static let challengeWebAuthnAutofill: Self = "challenge-webauthn-autofillui-authenticator"
}

extension IDXResponse {
  /// What a passkey is to sign where nobody has said yet who signs in
  /// (`$.webauthnAutofillUIChallenge.value.challengeData`); nil where none is asked for.
  public var webAuthnAutofillChallenge: JSONValue? {
    raw.member("webauthnAutofillUIChallenge")?.member("value")?.member("challengeData")?.json
  }
}

extension IDXAuthenticator {
  /// The id of the passkey of this enrolment, Base64 for URLs (`credentialId`); nil for what is none.
  public var credentialID: String? { raw.string("credentialId") }
  /// How the passkey of this enrolment can be reached, such as `usb` (`transports`); empty where the
  /// server does not say.
  public var transports: [String] {
    raw.member("transports")?.json.array?.compactMap(\.string) ?? []
  }
}
