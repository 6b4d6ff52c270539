import IDX

/// What a client of DirectAuth asks tokens for (protocol section 7).
enum DirectGrant: String, Sendable, CaseIterable {
  case password
  case otp = "urn:okta:params:oauth:grant-type:otp"
  case oob = "urn:okta:params:oauth:grant-type:oob"
  case webAuthn = "urn:okta:params:oauth:grant-type:webauthn"
  case mfaOTP = "http://auth0.com/oauth/grant-type/mfa-otp"
  case mfaOOB = "http://auth0.com/oauth/grant-type/mfa-oob"
  case mfaWebAuthn = "urn:okta:params:oauth:grant-type:mfa-webauthn"

  /// The grants of second factors, in the order in which they are offered.
  static let second: [DirectGrant] = [.mfaOTP, .mfaOOB, .mfaWebAuthn]

  var isSecond: Bool { Self.second.contains(self) }

  /// What it proves.
  var authenticators: [IDXAuthenticator.Key] {
    switch self {
    case .password: [.password]
    case .otp, .mfaOTP: [.googleAuthenticator, .oktaVerify]
    case .oob, .mfaOOB: [.oktaVerify, .phone, .email]
    case .webAuthn, .mfaWebAuthn: [.webAuthn]
    }
  }

  /// The parameters without which nothing is answered.
  var required: [String] {
    let own =
      switch self {
      case .password: ["username", "password"]
      case .otp: ["login_hint", "otp"]
      case .mfaOTP: ["otp"]
      case .oob, .mfaOOB: ["oob_code"]
      case .webAuthn, .mfaWebAuthn: ["authenticatorData", "clientDataJSON", "signature"]
      }
    return isSecond ? ["mfa_token"] + own : own
  }

  /// All that it may have.
  var parameters: Set<String> {
    let optional: Set<String> =
      switch self {
      case .password, .otp, .mfaOTP: []
      case .oob, .mfaOOB: ["binding_code"]
      case .webAuthn, .mfaWebAuthn: ["userHandle"]
      }
    return optional.union(required)
      .union(["grant_type", "client_id", "scope", "grant_types_supported", "intent"])
  }

  static let everyParameter = allCases.reduce(into: Set<String>()) { $0.formUnion($1.parameters) }
}

/// On which way something reaches the person.
enum DirectChannel: String, Sendable {
  case push, sms, voice, email

  var authenticator: IDXAuthenticator.Key {
    switch self {
    case .push: .oktaVerify
    case .sms, .voice: .phone
    case .email: .email
    }
  }
}
