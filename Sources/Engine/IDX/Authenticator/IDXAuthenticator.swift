public import IDXBase

/// An authenticator: one that the org offers, one that the person has set up, or the one of the current
/// step.
///
/// Its properties read the JSON each time they are used. Those for an authenticator that is set up or
/// challenged, such as ``numberChallenge``, come from its member `contextualData`. A property is nil if the
/// server did not send it.
///
/// ## Topics
///
/// ### Which authenticator it is
/// - ``key-swift.property``
/// - ``Key-swift.struct``
/// - ``type``
/// - ``Kind``
/// - ``id``
/// - ``displayName``
/// - ``methods``
/// - ``Method``
///
/// ### Its place in the response
/// - ``container-swift.property``
/// - ``Container-swift.enum``
/// - ``index``
///
/// ### Actions
/// - ``actions``
/// - ``subscript(_:)``
///
/// ### The person's authenticator
/// - ``email``
/// - ``phoneNumber``
/// - ``nickname``
///
/// ### Authenticator apps
/// - ``oneTimePassword-swift.property``
/// - ``OneTimePassword-swift.struct``
/// - ``qrCode``
/// - ``Image``
/// - ``numberChallenge``
/// - ``selectedChannel``
///
/// ### Email
/// - ``usesMagicLink``
///
/// ### Passwords
/// - ``passwordRules-swift.property``
/// - ``PasswordRules-swift.struct``
///
/// ### Security questions
/// - ``questions``
/// - ``enrolledQuestion``
/// - ``SecurityQuestion``
///
/// ### Passkeys
/// - ``webAuthnActivation``
/// - ``webAuthnChallenge``
/// - ``credentialID``
/// - ``transports``
///
/// ### Authenticators made by code
/// - ``Draft``
///
/// ### JSON and printing
/// - ``raw``
/// - ``description``
public struct IDXAuthenticator: Sendable, Hashable {
  /// The key that identifies an authenticator in an org.
  public struct Key: OpenSet {
    /// The key, such as `okta_email`.
    public let rawValue: String
    /// Creates a key.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The type of an authenticator, such as `password` or `app`.
  public struct Kind: OpenSet {
    /// The name in the response (`type`).
    public let rawValue: String
    /// Creates a type with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// A method of an authenticator, such as `push` or `sms`.
  public struct Method: OpenSet {
    /// The name in the response (`methods[*].type`).
    public let rawValue: String
    /// Creates a method with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A push to an app.
    public static let push: Self = "push"
    /// A code that Okta Verify shows.
    public static let totp: Self = "totp"
    /// A code in a text message.
    public static let sms: Self = "sms"
    /// A code in a phone call.
    public static let voice: Self = "voice"

    /// The methods that this version of the package knows; a test notices one that is missing.
    package static let known: Set<Self> = [.push, .totp, .sms, .voice]
  }

  /// The member of a response that contains an authenticator.
  public enum Container: String, Sendable, Hashable, CaseIterable {
    /// The authenticator that is set up, reset, or challenged without a single enrollment.
    case currentAuthenticator
    /// The enrollment that is challenged.
    case currentAuthenticatorEnrollment
    /// The authenticator that is set up, as older servers repeat it.
    case enrollmentAuthenticator
    /// The authenticator that is recovered while another one is challenged.
    case recoveryAuthenticator
    /// The challenge that a device signs.
    case authenticatorChallenge
    /// The authenticators that the org offers.
    case authenticators
    /// The authenticators that the person has set up.
    case authenticatorEnrollments
  }

  /// The member that contains it.
  public let container: Container
  /// The position in a container that is a list, from 0; nil for a container of one authenticator.
  public let index: Int?
  /// The authenticator as sent, with members such as `allowedFor` that have no property.
  public let raw: RawJSON

  /// The ID of the authenticator; in `authenticatorEnrollments`, of the enrollment.
  public var id: String? { raw.string("id") }
  /// The key; nil from older servers that send only a type.
  public var key: Key? { raw.string("key").map(Key.init(rawValue:)) }
  /// The type, such as `app`; nil if the server sends none.
  public var type: Kind? { raw.string("type").map(Kind.init(rawValue:)) }
  /// The name for people.
  public var displayName: String? { raw.string("displayName") }
  /// The methods (`methods[*].type`; older servers use `methodType`).
  public var methods: [Method] {
    raw.objects("methods") { method in
      (method.string("type") ?? method.string("methodType")).map(Method.init(rawValue:))
    }
  }
  /// The forms inside it: `resend`, `send`, `poll`, `recover` and any others.
  public var actions: [Remediation] {
    raw.actions(except: ["methods", "contextualData", "profile", "settings"]).map(Remediation.init)
  }

  /// The first action with a name; nil if it is not offered.
  public subscript(name: Remediation.Name) -> Remediation? { actions.first { $0.name == name } }

  /// Whether it is a password; older servers send only the type.
  package var isPassword: Bool { key == .password || (key == nil && type == "password") }
}

extension IDXAuthenticator.Key {
  /// The password.
  public static let password: Self = "okta_password"
  /// A code or a link by email.
  public static let email: Self = "okta_email"
  /// A code by SMS or call.
  public static let phone: Self = "phone_number"
  /// Google Authenticator, or any other app for TOTP codes.
  public static let googleAuthenticator: Self = "google_otp"
  /// Okta Verify.
  public static let oktaVerify: Self = "okta_verify"
  /// A security question and its answer.
  public static let securityQuestion: Self = "security_question"
  /// A passkey or security key.
  public static let webAuthn: Self = "webauthn"
  /// Duo.
  public static let duo: Self = "duo"
  /// An identity provider outside the org, used as a factor.
  public static let externalIdentityProvider: Self = "external_idp"
  /// A PIN with an NFC card.
  public static let nfcPIN: Self = "nfc_pin"
  /// A hardware token of a kind that the org defines.
  public static let customOTP: Self = "custom_otp"
  /// The org's own app, which receives pushes.
  public static let customApp: Self = "custom_app"
  /// A Symantec VIP token.
  public static let symantecVIP: Self = "symantec_vip"
  /// A YubiKey that types a one-time code.
  public static let yubiKey: Self = "yubikey_token"
  /// An RSA SecurID token.
  public static let rsa: Self = "rsa_token"
  /// A token that the org's own server verifies.
  public static let onPremises: Self = "onprem_mfa"
  /// A temporary code from an administrator.
  public static let temporaryAccessCode: Self = "tac"

  /// The keys that this version of the package knows; a test notices one that is missing.
  package static let known: Set<Self> = [
    .password, .email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .webAuthn,
    .duo, .externalIdentityProvider, .nfcPIN, .customOTP, .customApp, .symantecVIP, .yubiKey, .rsa,
    .onPremises, .temporaryAccessCode,
  ]
}

extension IDXAuthenticator: Redacted {
  /// The name, key or type, cut after 200 characters.
  public var description: String {
    (displayName ?? key?.rawValue ?? type?.rawValue ?? "authenticator").shortened(to: 200)
  }
}
