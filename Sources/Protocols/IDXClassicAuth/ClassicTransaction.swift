import IDX
import IDXBase

/// A response of the classic API: the transaction of a sign-in at one moment.
struct ClassicTransaction: Sendable, Hashable {
  /// The status of a transaction (`status`).
  struct Status: OpenSet {
    let rawValue: String

    static let unauthenticated: Self = "UNAUTHENTICATED"
    static let passwordWarn: Self = "PASSWORD_WARN"
    static let passwordExpired: Self = "PASSWORD_EXPIRED"
    static let recovery: Self = "RECOVERY"
    static let recoveryChallenge: Self = "RECOVERY_CHALLENGE"
    static let passwordReset: Self = "PASSWORD_RESET"
    static let lockedOut: Self = "LOCKED_OUT"
    static let mfaEnroll: Self = "MFA_ENROLL"
    static let mfaEnrollActivate: Self = "MFA_ENROLL_ACTIVATE"
    static let mfaRequired: Self = "MFA_REQUIRED"
    static let mfaChallenge: Self = "MFA_CHALLENGE"
    static let success: Self = "SUCCESS"
    static let consentRequired: Self = "CONSENT_REQUIRED"
    static let adminConsentRequired: Self = "ADMIN_CONSENT_REQUIRED"
    static let deviceActivate: Self = "DEVICE_ACTIVATE"
  }

  /// A link to a request or a page (`_links`).
  struct Link: Sendable, Hashable {
    /// What the link does, such as `verify`.
    let name: String?
    let href: String
    /// The name of a page, for a person.
    let title: String?
    /// Whether the link is a page for a browser and accepts no POST (`hints.allow`).
    let isPage: Bool

    init?(_ json: JSONValue?) {
      guard let href = json?["href"]?.string else { return nil }
      self.href = href
      name = json?["name"]?.string
      title = json?["title"]?.string
      isPage = json?["hints"]?["allow"]?.array?.contains("POST") == false
    }
  }

  /// The response as received.
  let json: JSONValue

  /// Creates a transaction; nil for a response without a status, such as the response to a cancel.
  init?(_ json: JSONValue?) {
    guard let json, json["status"]?.string != nil else { return nil }
    self.json = json
  }

  var status: Status { Status(rawValue: json["status"]?.string ?? "") }

  /// The token that identifies the transaction; nil at the end, and after a recovery email was sent.
  var stateToken: Secret? { json["stateToken"]?.string.map { Secret($0) } }

  /// A body with the state token.
  func addingStateToken(to body: JSONValue = [:]) -> JSONValue {
    stateToken.map { body.adding("stateToken", .string($0.revealed)) } ?? body
  }

  /// The token that starts a session at the server, which works once; nil before the sign-in succeeded.
  var sessionToken: Secret? {
    guard status == .success, let token = json["sessionToken"]?.string, !token.isEmpty
    else { return nil }
    return Secret(token)
  }

  /// The result of the current factor, such as `WAITING`.
  var factorResult: String? { json["factorResult"]?.string }

  /// The username.
  var login: String? { embedded?["user"]?["profile"]?["login"]?.string }

  /// The embedded objects, such as the user and the factors.
  var embedded: JSONValue? { json["_embedded"] }

  // MARK: Links

  /// The link for the current step.
  var next: Link? { link("next") }

  /// The link with a name, such as `prev` or `cancel`.
  func link(_ name: String) -> Link? { Link(json["_links"]?[name]) }

  /// The links that send a code or push again, one for each channel.
  var resends: [Link] { Self.links(json["_links"]?["resend"]) }

  /// The links that send a link instead of a QR code, one for each channel.
  var sends: [Link] { Self.links(factor?.embedded?["activation"]?["_links"]?["send"]) }

  private static func links(_ json: JSONValue?) -> [Link] {
    let maxChannels = 8
    return (json?.array ?? [json].compactMap(\.self)).prefix(maxChannels).compactMap { Link($0) }
  }

  /// Whether the server waits for something that the person does elsewhere.
  var isPolled: Bool { next?.name == "poll" }

  // MARK: Factors

  /// The factors that can be chosen, or else the current one.
  var factors: [ClassicFactor] {
    let several = (embedded?["factors"]?.array ?? []).compactMap(ClassicFactor.init)
    return several.isEmpty ? [factor].compactMap(\.self) : several
  }

  /// The factor that is being proved or set up; nil before one was chosen.
  var factor: ClassicFactor? { embedded?["factor"].flatMap(ClassicFactor.init) }

  /// The factor that must be proved; nil if there is a choice.
  var onlyFactor: ClassicFactor? {
    status == .mfaRequired && factors.count == 1 ? factors.first : nil
  }

  /// The factors with a link that proves them.
  var provableFactors: [ClassicFactor] {
    // A search for the type of each factor would take long in a long list.
    let links = Dictionary(
      (embedded?["factorTypes"]?.array ?? []).map {
        ($0["factorType"]?.string, Link($0["_links"]?["next"]))
      }
    ) { first, _ in first }
    return factors.filter { $0.verify != nil || links[$0.type].flatMap(\.self) != nil }
  }

  /// The link that proves a factor: its own, or the one of its type.
  func verify(_ factor: ClassicFactor) -> Link? {
    let kind = embedded?["factorTypes"]?.array?.first { $0["factorType"]?.string == factor.type }
    return factor.verify ?? Link(kind?["_links"]?["next"])
  }

  /// The WebAuthn request options, with all listed passkeys.
  var passkeyChallenge: JSONValue? {
    guard let challenge = embedded?["challenge"] ?? factors.first?.embedded?["challenge"],
      challenge.object != nil
    else { return nil }
    let ids = factors.filter { $0.type == "webauthn" }
      .compactMap { $0.json["profile"]?["credentialId"] }
    guard !ids.isEmpty else { return challenge }
    return challenge.adding(
      "allowCredentials", .array(ids.map { ["type": "public-key", "id": $0] }))
  }

  /// The address of the image of a QR code; nil if the response contains the key as text.
  var imageAddress: String? {
    let activation = factor?.embedded?["activation"]
    guard activation?["sharedSecret"] == nil, factor?.type != "webauthn" else { return nil }
    return activation?["_links"]?["qrcode"]?["href"]?.string
  }

  /// The number to choose in the app.
  var number: JSONValue? { factor?.embedded?["challenge"]?["correctAnswer"] }
}

// The response contains tokens, keys and numbers.
extension ClassicTransaction: Redacted {
  var description: String { status.rawValue }
}
