import IDX
import IDXBase

/// A factor of DirectAuth, which can be the first or the second.
///
/// Source: protocol section 7.
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
  /// A code by e-mail, which only newer orgs send.
  case email
  /// A passkey or security key.
  case webAuthn = "webauthn"

  /// The authenticator of the factor, with contextual data and actions.
  func authenticator(
    _ data: JSONValue? = nil, actions: [Remediation.Draft] = []
  ) -> IDXAuthenticator.Draft {
    IDXAuthenticator.Draft(
      key, type: type, displayName: label, methods: [IDXAuthenticator.Method(rawValue: rawValue)],
      contextualData: data, actions: actions)
  }

  /// The name of the factor for a person.
  var label: String {
    switch self {
    case .password: "Password"
    case .otp: "Authenticator app"
    case .push: "Okta Verify"
    case .sms: "Phone, by SMS"
    case .voice: "Phone, by call"
    case .email: "Email"
    case .webAuthn: "Passkey or security key"
    }
  }

  private var key: IDXAuthenticator.Key {
    switch self {
    case .password: .password
    case .otp: .googleAuthenticator
    case .push: .oktaVerify
    case .sms, .voice: .phone
    case .email: .email
    case .webAuthn: .webAuthn
    }
  }

  private var type: IDXAuthenticator.Kind {
    switch self {
    case .password: "password"
    case .otp, .push: "app"
    case .sms, .voice: "phone"
    case .email: "email"
    case .webAuthn: "security_key"
    }
  }

  /// Whether the server sends a code or a push over another channel (out of band).
  var isOutOfBand: Bool { [.push, .sms, .voice, .email].contains(self) }

  /// The grant type that proves the factor.
  func grant(isSecond: Bool) -> String {
    switch (self, isSecond) {
    case (.password, _): "password"
    case (.otp, false): "urn:okta:params:oauth:grant-type:otp"
    case (.otp, true): Self.secondOTP
    case (.push, false), (.sms, false), (.voice, false), (.email, false):
      "urn:okta:params:oauth:grant-type:oob"
    case (.push, true), (.sms, true), (.voice, true), (.email, true): Self.secondOutOfBand
    case (.webAuthn, false): "urn:okta:params:oauth:grant-type:webauthn"
    case (.webAuthn, true): Self.secondWebAuthn
    }
  }

  private static let secondOTP = "http://auth0.com/oauth/grant-type/mfa-otp"
  private static let secondOutOfBand = "http://auth0.com/oauth/grant-type/mfa-oob"
  private static let secondWebAuthn = "urn:okta:params:oauth:grant-type:mfa-webauthn"

  /// The grant types for second factors (`grant_types_supported`).
  static let grants = [secondOTP, secondOutOfBand, secondWebAuthn]

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
