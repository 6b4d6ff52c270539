public import IDXBase

/// A way to prove who one is: one that the org offers, one that the person has set up, or the one
/// that the current step is about.
///
/// Source: protocol sections 2.5 and 2.6. What its contextual data holds is read when asked for.
public struct IDXAuthenticator: Sendable, Hashable {
  /// What tells authenticators apart in an org.
  ///
  /// The server may add keys.
  public struct Key: OpenSet {
    /// The key on the wire.
    public let rawValue: String
    /// A key as it stands on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// What sort of thing it is.
  ///
  /// The server may add types.
  public struct Kind: OpenSet {
    /// The word on the wire.
    public let rawValue: String
    /// A type by its word on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// How it can be used.
  ///
  /// The server may add methods.
  public struct Method: OpenSet {
    /// The word on the wire.
    public let rawValue: String
    /// A method by its word on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// Where in a response an authenticator stands.
  public enum Container: String, Sendable, Hashable, CaseIterable {
    /// Being set up or reset, or challenged without one enrolment.
    case currentAuthenticator
    /// The enrolment that is challenged.
    case currentAuthenticatorEnrollment
    /// Being set up, as older servers say it once more.
    case enrollmentAuthenticator
    /// The one that is being recovered while another is challenged.
    case recoveryAuthenticator
    /// What a device is asked to sign.
    case authenticatorChallenge
    /// What the org offers here.
    case authenticators
    /// What the person has set up.
    case authenticatorEnrollments
  }

  /// Where it stands.
  public let container: Container
  /// Its position there, from 0; nil where the container holds one.
  public let index: Int?
  /// The authenticator as sent, with what is not modelled.
  public let raw: RawJSON

  /// The id: of the authenticator, or of the enrolment (`authenticatorEnrollments`).
  public var id: String? { raw.string("id") }
  /// The key; nil where the server sends none, and the type must do.
  public var key: Key? { raw.string("key").map(Key.init(rawValue:)) }
  /// The type; nil where the server sends none.
  public var type: Kind? { raw.string("type").map(Kind.init(rawValue:)) }
  /// What a person calls it; nil where the server does not say.
  public var displayName: String? { raw.string("displayName") }
  /// How it can be used (`methods[*].type`, or `methodType` as older servers spell it).
  public var methods: [Method] {
    raw.objects("methods") { method in
      (method.string("type") ?? method.string("methodType")).map(Method.init(rawValue:))
    }.compactMap(\.self)
  }
  /// What can be done with it: `resend`, `send`, `poll`, `recover`, and any other form that it holds.
  public var actions: [Remediation] {
    raw.actions(but: ["methods", "contextualData", "profile", "settings"]).map(Remediation.init)
  }

  /// The action of a name; nil where it is not offered.
  public subscript(name: Remediation.Name) -> Remediation? { actions.first { $0.name == name } }
}

extension IDXAuthenticator {
  /// Whether it is a password, also where an older server sends no key.
  package var isPassword: Bool { key == .password || (key == nil && type == "password") }
}

extension IDXAuthenticator.Key {
  /// The password.
  public static let password: Self = "okta_password"
  /// A code or a link by e-mail.
  public static let email: Self = "okta_email"
  /// A code by SMS or call.
  public static let phone: Self = "phone_number"
  /// Google Authenticator, or any app that computes TOTP codes.
  public static let googleAuthenticator: Self = "google_otp"
  /// Okta's own app.
  public static let oktaVerify: Self = "okta_verify"
  /// A question and its answer.
  public static let securityQuestion: Self = "security_question"
  /// A passkey or security key.
  public static let webAuthn: Self = "webauthn"
  /// Duo.
  public static let duo: Self = "duo"
  /// An identity provider outside the org, as a factor.
  public static let externalIdentityProvider: Self = "external_idp"
  /// A PIN and a thing that is held to a reader.
  public static let nfcPIN: Self = "nfc_pin"
  /// A token that shows a code, of a kind that the org defines.
  public static let customOTP: Self = "custom_otp"
  /// An app of the org's own that answers pushes.
  public static let customApp: Self = "custom_app"
  /// Symantec VIP: a token that shows a code.
  public static let symantecVIP: Self = "symantec_vip"
  /// A YubiKey that types a code when it is touched.
  public static let yubiKey: Self = "yubikey_token"
  /// RSA SecurID: a token that shows a code.
  public static let rsa: Self = "rsa_token"
  /// A token that a server of the org's own knows.
  public static let onPremises: Self = "onprem_mfa"
  /// A code that an administrator has issued for a while.
  public static let temporaryAccessCode: Self = "tac"
}

extension IDXAuthenticator: Redacted {
  /// What it is called, without what it holds.
  public var description: String {
    displayName ?? key?.rawValue ?? type?.rawValue ?? "authenticator"
  }
}
