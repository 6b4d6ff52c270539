import IDXBase
import IDX

/// A way to prove who one is that DirectAuth knows, as the first factor or the second.
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
  /// A code in a call.
  case voice
  /// A code by e-mail, which newer orgs send.
  case email
  /// A passkey or security key.
  case webAuthn = "webauthn"

  /// The authenticator that stands for it.
  var authenticator: IDXAuthenticator.Draft { authenticator() }

  /// The authenticator that stands for it, with what it holds and what can be done with it.
  func authenticator(
    _ data: JSONValue? = nil, actions: [Remediation.Draft] = []
  ) -> IDXAuthenticator.Draft {
    IDXAuthenticator.Draft(
      key, type: type, displayName: label, methods: [IDXAuthenticator.Method(rawValue: rawValue)],
      contextualData: data, actions: actions)
  }

  /// What a person chooses it by.
  var label: String {
    switch self {
    case .password: "Password"
    case .otp: "Authenticator app"
    case .push: "Okta Verify"
    case .sms: "Phone, by SMS"
    case .voice: "Phone, in a call"
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

  /// Whether the server reaches the person by another way than this one (out of band).
  var isOutOfBand: Bool { [.push, .sms, .voice, .email].contains(self) }

  /// The grant that it is proved by, as the first factor or after another.
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

  /// The grants that this client can go on with, as a server wants to hear them.
  static let grants = [secondOTP, secondOutOfBand, secondWebAuthn]

  /// The factors that a server's list of challenge types stands for, a text with spaces between or an
  /// array; all second ones where it names none.
  ///
  /// A server does not say which channels a person has: all are offered where any may be there.
  static func factors(of challengeTypes: JSONValue?) -> [DirectAuthFactor] {
    let named =
      challengeTypes?.string?.split(separator: " ").map(String.init)
      ?? challengeTypes?.array?.compactMap(\.string)
    let types = Set(named ?? grants)
    return allCases.filter { $0 != .password && types.contains($0.grant(isSecond: true)) }
  }
}
