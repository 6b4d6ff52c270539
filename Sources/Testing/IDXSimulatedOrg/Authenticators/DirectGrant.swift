import IDX

/// The grants of DirectAuth.
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

  var kind: DirectKind {
    switch self {
    case .password: .password
    case .otp, .mfaOTP: .otp
    case .oob, .mfaOOB: .outOfBand
    case .webAuthn, .mfaWebAuthn: .webAuthn
    }
  }

  /// A challenge for each method that the grant can verify.
  var challenges: [AuthenticatorChallenge] {
    OrgAuthenticator.all.flatMap { authenticator in
      authenticator.methods.filter { $0.direct == kind }.map { method in
        var challenge = AuthenticatorChallenge(authenticator, .challenge)
        challenge.method = method
        return challenge
      }
    }
  }

  func canVerify(_ keys: [IDXAuthenticator.Key]) -> Bool {
    challenges.contains { keys.contains($0.authenticator.key) }
  }

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

  var parameters: Set<String> {
    let optional: Set<String> =
      switch kind {
      case .password, .otp: []
      case .outOfBand: ["binding_code"]
      case .webAuthn: ["userHandle"]
      }
    return optional.union(required)
      .union(["grant_type", "client_id", "scope", "grant_types_supported", "intent"])
  }

  static let everyParameter = allCases.reduce(into: Set<String>()) { $0.formUnion($1.parameters) }
}
