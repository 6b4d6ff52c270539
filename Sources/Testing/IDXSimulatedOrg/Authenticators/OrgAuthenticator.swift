import IDX
import IDXBase

/// An authenticator that an org can have: a row of ``all``, for IDX, DirectAuth and the classic API.
///
/// The ``Check`` of each method determines its behavior; the row contains the differences.
struct OrgAuthenticator: Sendable {
  struct Method: Sendable {
    let label: String
    let value: IDXAuthenticator.Method
    let check: any Check
    /// The name in the claim `amr` (RFC 8176).
    var reference = "otp"
    /// The name in the classic API; nil if the API does not support it.
    var classic: ClassicName?
    /// How DirectAuth verifies it; nil if DirectAuth does not support it.
    var direct: DirectKind?
  }

  enum SetUp: Sendable {
    case byAdministrator
    /// With the same check as in a challenge.
    case byCheck
    /// With a phone number, then the check.
    case byNumber
    case inApp
    /// By touching a tag with the phone, then choosing a PIN.
    case byTag
  }

  let key: IDXAuthenticator.Key
  let type: IDXAuthenticator.Kind
  let displayName: String
  let idPrefix: String
  let methods: [Method]
  var setUp = SetUp.byCheck
  /// The check of a setup, if it is not that of a challenge.
  var ownSetUpCheck: (any Check)?
  /// Whether a challenge is about the enrollment (`currentAuthenticatorEnrollment`).
  var challengesEnrollment = true
  /// Whether an option refers to the enrollment; if not, to the authenticator of the org.
  var isChosenByEnrollment = true
  /// Whether an option contains its method if there is only one.
  var namesMethod = true
  /// Whether a user can have several, so that an option contains the enrollment.
  var allowsSeveral = false

  var id: String { OrgSettings.id("aut", key.rawValue) }
  /// The methods that are offered; Okta FastPass only if the rules say so.
  func methods(by rules: SignInPolicy.FactorRules) -> [Method] {
    rules.offersFastPass ? methods : methods.filter { $0.value != "signed_nonce" }
  }

  var setUpCheck: any Check { ownSetUpCheck ?? methods[0].check }

  static let password = all[0]

  static subscript(key: IDXAuthenticator.Key) -> OrgAuthenticator? {
    all.first { $0.key == key }
  }

  static func with(id: String) -> OrgAuthenticator? { all.first { $0.id == id } }

  /// The names of several authenticators of which one is needed.
  static func names(of keys: [IDXAuthenticator.Key]) -> String {
    keys.map { self[$0]?.displayName ?? $0.rawValue }.joined(separator: " or ")
  }
}

// MARK: - Forms

extension OrgAuthenticator {
  /// The authenticator in a response, with its own id or that of an enrollment.
  func draft(
    id: String? = nil, methods: [Method]? = nil, profile: JSONValue? = nil,
    members: JSONValue = [:]
  ) -> IDXAuthenticator.Draft {
    let draft = IDXAuthenticator.Draft(
      key, type: type, displayName: displayName, id: id ?? self.id,
      methods: (methods ?? self.methods).map(\.value), profile: profile)
    return (members.object?.members ?? []).reduce(draft) { $0.adding($1.name, $1.value) }
  }

  func optionFields(
    for purpose: AuthenticatorChallenge.Purpose, rules: SignInPolicy.FactorRules
  ) -> [Field] {
    let method = methodField(methods(by: rules), isRequired: false)
    switch (purpose, setUp) {
    case (.enroll, .inApp): return [idField, Self.channelField(isRequired: false)]
    case (.enroll, .byNumber):
      return rules.asksNumberSeparately
        ? [idField] : [idField] + method + [numberField(isRequired: false)]
    default: return [idField] + method
    }
  }

  /// Whether the user must enter or choose something before the challenge starts.
  func needsInput(
    for challenge: AuthenticatorChallenge, of account: OrgAccount, _ policy: SignInPolicy
  ) -> Bool {
    switch (challenge.purpose, setUp) {
    case (.challenge, _):
      challenge.method?.check.needsConsent(to: challenge, of: account, policy) ?? true
    case (.enroll, .byNumber): challenge.method == nil || challenge.phoneNumber == nil
    case (.enroll, .inApp): challenge.channel != "qrcode" && challenge.device.destination == nil
    default: false
    }
  }

  /// The fields of the form before the challenge.
  func inputFields(
    for challenge: AuthenticatorChallenge, rules: SignInPolicy.FactorRules
  ) -> [Field] {
    let isPush = methods[0].value == .push
    // After a push was chosen, the form does not offer the other methods.
    let chosen = isPush ? challenge.method.map { [$0] } : nil
    var fields = [idField, methodChoice(chosen ?? methods(by: rules), isRequired: true)]
    if challenge.purpose == .enroll { fields.append(numberField(isRequired: true)) }
    if isPush, rules.asksBeforePush { fields.append(Self.automaticField(false)) }
    return fields
  }

  static func channelField(isRequired: Bool, except channel: String? = nil) -> Field {
    let channels = [
      (label: "QR code", value: "qrcode"), (label: "Email", value: "email"),
      (label: "SMS", value: "sms"),
    ]
    return Field(
      "channel", isRequired: isRequired, choices: channels.filter { $0.value != channel })
  }

  /// The field of the authenticator in forms whose nested form is in a `value`.
  func field(with fields: [Field]) -> Field {
    let form: JSONValue = ["form": ["value": .array(fields.map(\.json))]]
    return Field("authenticator", label: displayName, type: .object, value: form)
      .without("required")
  }

  static func automaticField(_ value: Bool) -> Field {
    Field("autoChallenge", label: "Send push automatically", type: .boolean, value: .bool(value))
  }

  private var idField: Field { Field(fixed: "id", .string(id), isVisible: true) }

  private func numberField(isRequired: Bool) -> Field {
    Field("phoneNumber", label: "Phone number", isRequired: isRequired)
  }

  private func methodChoice(_ methods: [Method], isRequired: Bool) -> Field {
    let choices = methods.map { (label: $0.label, value: $0.value.rawValue) }
    return Field("methodType", isRequired: isRequired, choices: choices)
  }

  private func methodField(_ methods: [Method], isRequired: Bool) -> [Field] {
    if methods.count == 1, methods[0].value != .push {
      let value = JSONValue.string(methods[0].value.rawValue)
      return namesMethod
        ? [Field(fixed: "methodType", value, isRequired: false, isVisible: true)] : []
    }
    return [methodChoice(methods, isRequired: isRequired)]
  }
}

extension SignInPolicy {
  /// Whether the org knows all authenticators that the policy names.
  var isKnown: Bool {
    let keys =
      required + optional + (accounts.recovery?.methods ?? []) + (accounts.unlock?.methods ?? [])
    return keys.allSatisfy { $0 != .password && OrgAuthenticator[$0] != nil }
  }
}

// MARK: - Names in other protocols

/// The name of an authenticator's method in the classic API.
struct ClassicName: Sendable {
  /// The `factorType`.
  let type: String
  let provider: String
  let idPrefix: String
  let canBeSetUp: Bool

  init(_ type: String, _ provider: String, _ idPrefix: String, canBeSetUp: Bool = false) {
    self.type = type
    self.provider = provider
    self.idPrefix = idPrefix
    self.canBeSetUp = canBeSetUp
  }
}

/// How DirectAuth verifies a method of an authenticator.
enum DirectKind: Sendable {
  case password
  /// A code that a device shows.
  case otp
  /// A push or a code that is sent; the channel has the name of the method.
  case outOfBand
  case webAuthn
}
