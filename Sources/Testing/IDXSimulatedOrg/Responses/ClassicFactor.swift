import IDX
import IDXBase

/// A factor of the classic API: an enrollment with one of its methods.
struct ClassicFactor: Sendable {
  let authenticator: OrgAuthenticator
  let method: OrgAuthenticator.Method
  let name: ClassicName
  /// The index of the user's enrollment; for a setup, the index that it will have.
  let enrollment: Int

  private init?(_ authenticator: OrgAuthenticator, _ method: OrgAuthenticator.Method, _ index: Int)
  {
    guard let name = method.classic else { return nil }
    self.authenticator = authenticator
    self.method = method
    self.name = name
    enrollment = index
  }

  static func all(of key: IDXAuthenticator.Key, enrollment index: Int = 0) -> [ClassicFactor] {
    guard let authenticator = OrgAuthenticator[key] else { return [] }
    return authenticator.methods.compactMap { ClassicFactor(authenticator, $0, index) }
  }

  init?(of challenge: AuthenticatorChallenge, account: OrgAccount) {
    let method = challenge.method ?? challenge.authenticator.methods[0]
    self.init(
      challenge.authenticator, method, challenge.enrollment ?? account.user.enrollments.count)
  }

  func id(of account: OrgAccount) -> String {
    OrgSettings.id(name.idPrefix, account.user.login.lowercased(), name.type, String(enrollment))
  }

  func challenge(for purpose: AuthenticatorChallenge.Purpose) -> AuthenticatorChallenge {
    var challenge = AuthenticatorChallenge(authenticator, purpose)
    challenge.method = method
    guard purpose == .challenge else { return challenge }
    challenge.enrollment = enrollment
    challenge.isForOneEnrollment = true
    return challenge
  }

  // MARK: - Bodies of requests

  /// The members of the body that starts or answers a challenge.
  func verification(isBegun: Bool) -> [String] {
    ["stateToken"] + (isBegun || !method.check.isBegun ? method.check.classicAnswer : [])
  }

  var activation: [String] {
    authenticator.setUpCheck.isPolled ? ["stateToken"] : ["stateToken", "passCode"]
  }

  var profileField: Field {
    let names: [String] =
      switch authenticator.key {
      case .securityQuestion: ["question", "answer"]
      case .phone: ["phoneNumber"]
      case .email: ["email"]
      default: []
      }
    let isRequired = !names.isEmpty && authenticator.key != .email
    return Field("profile", form: names.map { Field($0, isRequired: isRequired) })
      .adding("required", .bool(isRequired))
  }

  // MARK: - Members of responses

  var json: JSONValue {
    [
      "factorType": .string(name.type), "provider": .string(name.provider),
      "vendorName": .string(name.provider),
    ]
  }

  func profile(of user: SimulatedUser) -> JSONValue {
    guard user.enrollments.indices.contains(enrollment) else { return [:] }
    let enrollment = user.enrollments[enrollment]
    let profile = enrollment.profile(of: user)
    let credential: JSONValue = ["credentialId": .string(user.login)]
    switch enrollment.detail {
    case .question(let question, _):
      return question.classicJSON
    case .passkey(let passkey):
      return [
        "credentialId": .string(Base64URL.encode(passkey.id)),
        "authenticatorName": .string(passkey.name),
      ]
    case _ where method.value == .push:
      return credential.adding("deviceType", "SmartPhone").adding("platform", "SIMULATED")
        .adding("name", profile?["deviceName"])
    case _ where method.check is DeviceCode:
      return credential.adding("credentialId", enrollment.members["credentialId"])
    default: return profile ?? [:]
    }
  }
}

extension OrgAccount {
  func factors(of keys: [IDXAuthenticator.Key]) -> [ClassicFactor] {
    user.enrollments.enumerated().flatMap { index, enrollment in
      keys.contains(enrollment.authenticator)
        ? ClassicFactor.all(of: enrollment.authenticator, enrollment: index) : []
    }
  }
}
