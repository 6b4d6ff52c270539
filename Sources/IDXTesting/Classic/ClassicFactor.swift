import IDXBase
import IDX

/// Something with which a user proves who it is, as the classic API has it.
///
/// An enrolment that can be used in two ways is two of them.
struct ClassicFactor: Sendable {
  let kind: Kind
  /// Which enrolment, by its position in the user's; for a set-up, the one that it will have.
  let enrollment: Int

  struct Kind: Sendable {
    /// What an answer consists of.
    enum Proof: Sendable {
      /// A code that a device shows.
      case shownCode
      /// A code that is sent first.
      case sentCode
      case answer
      case push
      case signature
    }

    let type: String
    let provider: String
    let authenticator: IDXAuthenticator.Key
    /// The way of using the authenticator, where it has several.
    var method: IDXAuthenticator.Method?
    let prefix: String
    let proof: Proof
    /// Whether it can be set up by this API.
    var canBeSetUp = false

    /// Whether something has to happen before it can be answered.
    var begins: Bool { proof != .shownCode && proof != .answer }
  }

  /// The id of the factor.
  func id(of account: OrgAccount) -> String {
    OrgSettings.id(kind.prefix, account.user.login.lowercased(), kind.type, String(enrollment))
  }

  /// The ceremony of this factor.
  func ceremony(for purpose: Ceremony.Purpose) -> Ceremony {
    var ceremony = Ceremony(authenticator: kind.authenticator, purpose: purpose)
    ceremony.method = kind.method
    ceremony.enrollment = purpose == .challenge ? enrollment : nil
    return ceremony
  }
}

extension ClassicFactor.Kind {
  /// All that are known, those of one authenticator in the order in which they are listed.
  static let all: [Self] = [
    Self(
      type: "push", provider: "OKTA", authenticator: .oktaVerify, method: "push", prefix: "opf",
      proof: .push, canBeSetUp: true),
    Self(
      type: "token:software:totp", provider: "OKTA", authenticator: .oktaVerify, method: "totp",
      prefix: "ost", proof: .shownCode),
    Self(
      type: "token:software:totp", provider: "GOOGLE", authenticator: .googleAuthenticator,
      prefix: "uft", proof: .shownCode, canBeSetUp: true),
    Self(
      type: "sms", provider: "OKTA", authenticator: .phone, method: "sms", prefix: "mbl",
      proof: .sentCode, canBeSetUp: true),
    Self(
      type: "call", provider: "OKTA", authenticator: .phone, method: "voice", prefix: "clf",
      proof: .sentCode, canBeSetUp: true),
    Self(
      type: "email", provider: "OKTA", authenticator: .email, prefix: "emf", proof: .sentCode,
      canBeSetUp: true),
    Self(
      type: "question", provider: "OKTA", authenticator: .securityQuestion, prefix: "ufs",
      proof: .answer, canBeSetUp: true),
    Self(
      type: "webauthn", provider: "FIDO", authenticator: .webAuthn, prefix: "fwf",
      proof: .signature),
    Self(
      type: "token:hardware", provider: "YUBICO", authenticator: .yubiKey, prefix: "ykf",
      proof: .shownCode),
    Self(type: "token", provider: "RSA", authenticator: .rsa, prefix: "rsa", proof: .shownCode),
    Self(
      type: "token", provider: "SYMANTEC", authenticator: .symantecVIP, prefix: "sym",
      proof: .shownCode),
  ]

  static func of(_ key: IDXAuthenticator.Key) -> [Self] { all.filter { $0.authenticator == key } }

  /// The kind of factor that a ceremony is about.
  init?(_ ceremony: Ceremony) {
    let kind = Self.of(ceremony.authenticator).first { $0.method == ceremony.method }
    guard let kind else { return nil }
    self = kind
  }
}

extension OrgAccount {
  /// The factors of these authenticators, in the order in which they were set up.
  func factors(of keys: [IDXAuthenticator.Key]) -> [ClassicFactor] {
    user.enrollments.enumerated().flatMap { index, enrollment -> [ClassicFactor] in
      guard keys.contains(enrollment.authenticator) else { return [] }
      return ClassicFactor.Kind.of(enrollment.authenticator)
        .map { ClassicFactor(kind: $0, enrollment: index) }
    }
  }

  /// The factor that a ceremony is about; nil where it is about none.
  func factor(in ceremony: Ceremony) -> ClassicFactor? {
    ClassicFactor.Kind(ceremony).map {
      ClassicFactor(kind: $0, enrollment: ceremony.enrollment ?? user.enrollments.count)
    }
  }

  /// What is shown of a factor, as much as the org tells of it.
  func profile(of factor: ClassicFactor) -> JSONValue {
    guard user.enrollments.indices.contains(factor.enrollment) else { return [:] }
    let detail = user.enrollments[factor.enrollment].detail
    let profile = OrgAuthenticators[factor.kind.authenticator]?.profile(of: detail, user: user)
    let credential: JSONValue = ["credentialId": .string(user.login)]
    switch (factor.kind.proof, detail) {
    case (.push, _):
      return credential.adding("deviceType", "SmartPhone").adding("platform", "SIMULATED")
        .adding("name", profile?["deviceName"])
    case (_, .question(let key, let text, _)):
      return ["question": .string(key), "questionText": .string(text)]
    case (_, .passkey(let passkey)):
      return [
        "credentialId": .string(Base64URL.encode(passkey.id)),
        "authenticatorName": .string(passkey.name),
      ]
    case (.shownCode, _):
      return profile?["credentialId"] == nil ? credential : profile ?? credential
    default: return profile ?? [:]
    }
  }
}
