import IDX
import IDXBase

/// What the classic API calls a method of an authenticator.
struct ClassicName: Sendable {
  /// The `factorType`.
  let type: String
  let provider: String
  /// The prefix of the ids of its factors.
  let idPrefix: String
  /// Whether it can be set up by this API.
  let canBeSetUp: Bool

  init(_ type: String, _ provider: String, _ idPrefix: String, canBeSetUp: Bool = false) {
    self.type = type
    self.provider = provider
    self.idPrefix = idPrefix
    self.canBeSetUp = canBeSetUp
  }
}

/// A factor of the classic API: an enrollment with one of its methods.
struct ClassicFactor: Sendable {
  let authenticator: OrgAuthenticator
  let method: OrgAuthenticator.Method
  let name: ClassicName
  /// The enrollment, by its position among the user's; for a set-up, the position that it will have.
  var enrollment = 0

  private init?(_ authenticator: OrgAuthenticator, _ method: OrgAuthenticator.Method) {
    guard let name = method.classic else { return nil }
    self.authenticator = authenticator
    self.method = method
    self.name = name
  }

  /// All factors that an authenticator can be.
  static func all(of key: IDXAuthenticator.Key) -> [ClassicFactor] {
    guard let authenticator = OrgAuthenticator[key] else { return [] }
    return authenticator.methods.compactMap { ClassicFactor(authenticator, $0) }
  }

  /// The factor of a challenge or a set-up.
  init?(of challenge: AuthenticatorChallenge, account: OrgAccount) {
    let method = challenge.method ?? challenge.authenticator.methods[0]
    self.init(challenge.authenticator, method)
    enrollment = challenge.enrollment ?? account.user.enrollments.count
  }

  func id(of account: OrgAccount) -> String {
    OrgSettings.id(
      name.idPrefix, account.user.login.lowercased(), name.type, String(enrollment))
  }

  /// A challenge of the factor, or its set-up.
  func challenge(for purpose: AuthenticatorChallenge.Purpose) -> AuthenticatorChallenge {
    var challenge = AuthenticatorChallenge(authenticator, purpose)
    challenge.method = method
    if purpose == .challenge {
      challenge.enrollment = enrollment
      challenge.isForOneEnrollment = true
    }
    return challenge
  }

  // MARK: - Bodies of requests

  /// The body that begins a challenge, or answers it.
  func verification(isBegun: Bool) -> [JSONValue] {
    let proof = method.proof
    return Self.fields(["stateToken"] + (isBegun || !proof.isBegun ? proof.classicAnswer : []))
  }

  /// The body that finishes a set-up.
  var activation: [JSONValue] {
    Self.fields(["stateToken"] + (authenticator.setUpProof.isPolled ? [] : ["passCode"]))
  }

  /// The body that begins a set-up.
  var setUp: [JSONValue] {
    let names: [String] =
      switch authenticator.key {
      case .securityQuestion: ["question", "answer"]
      case .phone: ["phoneNumber"]
      case .email: ["email"]
      default: []
      }
    let isRequired = !names.isEmpty && authenticator.key != .email
    let profile = Remediation.Field.Draft(
      "profile", form: names.map { .init($0, isRequired: isRequired) })
    return Self.fields(["stateToken", "factorType", "provider"])
      + [profile.adding("required", .bool(isRequired)).json]
  }

  private static func fields(_ names: [String]) -> [JSONValue] {
    names.map { Remediation.Field.Draft($0, isRequired: true).json }
  }

  // MARK: - Members of responses

  var typeMembers: JSONValue {
    [
      "factorType": .string(name.type), "provider": .string(name.provider),
      "vendorName": .string(name.provider),
    ]
  }

  /// What responses tell about an enrollment.
  func profile(of account: OrgAccount) -> JSONValue {
    let user = account.user
    guard user.enrollments.indices.contains(enrollment) else { return [:] }
    let enrollment = user.enrollments[enrollment]
    let profile = enrollment.profile(of: user)
    let credential: JSONValue = ["credentialId": .string(user.login)]
    switch enrollment.detail {
    case .question(let question, _):
      return ["question": .string(question.key), "questionText": .string(question.text)]
    case .passkey(let passkey):
      return [
        "credentialId": .string(Base64URL.encode(passkey.id)),
        "authenticatorName": .string(passkey.name),
      ]
    default: break
    }
    if method.proof.isPolled {
      return credential.adding("deviceType", "SmartPhone").adding("platform", "SIMULATED")
        .adding("name", profile?["deviceName"])
    }
    if method.proof is DeviceCode, profile?["credentialId"] == nil { return credential }
    return profile ?? [:]
  }
}

extension OrgAccount {
  /// The factors of these authenticators, in the order in which they were set up.
  func factors(of keys: [IDXAuthenticator.Key]) -> [ClassicFactor] {
    user.enrollments.enumerated().flatMap { index, enrollment -> [ClassicFactor] in
      guard keys.contains(enrollment.authenticator) else { return [] }
      return ClassicFactor.all(of: enrollment.authenticator).map {
        var factor = $0
        factor.enrollment = index
        return factor
      }
    }
  }
}
