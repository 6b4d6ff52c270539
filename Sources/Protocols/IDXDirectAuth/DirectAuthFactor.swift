import IDX
import IDXBase

/// A factor of DirectAuth, which can be the first or the second.
public enum DirectAuthFactor: String, Sendable, Hashable, CaseIterable {
  /// The password.
  case password
  /// A code of an authenticator app.
  case otp
  /// A push to Okta Verify.
  case push
  /// A code by SMS.
  case sms
  /// A code in a phone call.
  case voice
  /// A code by email, which only newer orgs send.
  case email
  /// A passkey or security key.
  case webAuthn = "webauthn"

  /// The authenticator of the factor, with contextual data and actions.
  func authenticator(
    _ data: JSONValue? = nil, actions: [Remediation.Draft] = []
  ) -> IDXAuthenticator.Draft {
    let (label, key, type) = words
    return IDXAuthenticator.Draft(
      key, type: type, displayName: label, methods: [IDXAuthenticator.Method(rawValue: rawValue)],
      contextualData: data, actions: actions)
  }

  /// The name of the factor for a person.
  var label: String { words.label }

  private var words: (label: String, key: IDXAuthenticator.Key, type: IDXAuthenticator.Kind) {
    switch self {
    case .password: ("Password", .password, "password")
    case .otp: ("Authenticator app", .googleAuthenticator, "app")
    case .push: ("Okta Verify", .oktaVerify, "app")
    case .sms: ("Phone, by SMS", .phone, "phone")
    case .voice: ("Phone, by call", .phone, "phone")
    case .email: ("Email", .email, "email")
    case .webAuthn: ("Passkey or security key", .webAuthn, "security_key")
    }
  }

  /// Whether the server sends a code or a push over another channel (out of band).
  var isOutOfBand: Bool { [.push, .sms, .voice, .email].contains(self) }

  /// The grant type that proves the factor.
  package func grant(isSecond: Bool) -> String {
    let okta = "urn:okta:params:oauth:grant-type:"
    let auth0 = "http://auth0.com/oauth/grant-type/"
    return switch self {
    case .password: "password"
    case .otp: isSecond ? auth0 + "mfa-otp" : okta + "otp"
    case .push, .sms, .voice, .email: isSecond ? auth0 + "mfa-oob" : okta + "oob"
    case .webAuthn: okta + (isSecond ? "mfa-webauthn" : "webauthn")
    }
  }

  /// The grant types for second factors (`grant_types_supported`).
  static let grants = [DirectAuthFactor.otp, .push, .webAuthn].map { $0.grant(isSecond: true) }

  /// The second factors for a list of challenge types: a text separated by spaces, or an array.
  ///
  /// Without a list, all are returned. A server does not say which channels a person has, so all channels
  /// of a challenge type are returned.
  static func factors(of challengeTypes: JSONValue?) -> [DirectAuthFactor] {
    let named =
      challengeTypes?.string?.split(separator: " ").map(String.init)
      ?? challengeTypes?.array?.compactMap(\.string)
    let types = Set(named ?? grants)
    return allCases.filter { $0 != .password && types.contains($0.grant(isSecond: true)) }
  }
}
