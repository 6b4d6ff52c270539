import IDXBase
import IDX

/// What the server says at one moment of a sign-in.
///
/// Source: protocol section 8.
struct ClassicTransaction: Sendable, Hashable {
  /// Where a sign-in stands.
  ///
  /// The server may add words.
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

  /// Where something can be done.
  struct Link: Sendable, Hashable {
    /// What is done there, such as `verify`; nil where the server does not say.
    let name: String?
    let href: String
    /// What is there, for a person; nil where the server does not say.
    let title: String?
    /// Whether it is a page for a browser (`hints.allow`), not something to be sent to.
    let isPage: Bool

    init?(_ json: JSONValue?) {
      guard let href = json?["href"]?.string else { return nil }
      self.href = href
      name = json?["name"]?.string
      title = json?["title"]?.string
      isPage = json?["hints"]?["allow"]?.array?.contains("POST") == false
    }
  }

  /// The response as it came.
  let json: JSONValue

  /// Nil for what is no transaction, such as the answer to a cancel.
  init?(_ json: JSONValue?) {
    guard let json, json["status"]?.string != nil else { return nil }
    self.json = json
  }

  var status: Status { Status(rawValue: json["status"]?.string ?? "") }
  /// What the next request has to name; nil at the end and where the way goes on by mail.
  var stateToken: Secret? { json["stateToken"]?.string.map { Secret($0) } }
  /// What is sent, with which sign-in is meant.
  func naming(_ sent: JSONValue = [:]) -> JSONValue {
    stateToken.map { sent.adding("stateToken", .string($0.revealed)) } ?? sent
  }
  /// What stands for a browser's session, once; nil before the sign-in has succeeded.
  var sessionToken: Secret? {
    guard status == .success, let token = json["sessionToken"]?.string, !token.isEmpty else {
      return nil
    }
    return Secret(token)
  }
  /// How a factor stands, such as `WAITING`; nil where none is at work.
  var factorResult: String? { json["factorResult"]?.string }
  /// What is being recovered, `PASSWORD` or `UNLOCK`; nil elsewhere.
  var recoveryType: String? { json["recoveryType"]?.string }
  /// The user name; nil where the server does not tell it.
  var login: String? { embedded?["user"]?["profile"]?["login"]?.string }
  /// What comes beside the status.
  var embedded: JSONValue? { json["_embedded"] }

  /// The step itself.
  var next: Link? { link("next") }

  /// A way on or back; nil where it is not offered.
  func link(_ name: String) -> Link? { Link(json["_links"]?[name]) }

  /// No server has more channels.
  private static let mostChannels = 8

  /// Where what was sent can be sent again, a link for each channel.
  var resends: [Link] { Self.links(json["_links"]?["resend"]) }

  /// Where what is to be scanned can be sent instead, a link for each channel.
  var sends: [Link] { Self.links(factor?.embedded?["activation"]?["_links"]?["send"]) }

  private static func links(_ json: JSONValue?) -> [Link] {
    (json?.array ?? [json].compactMap(\.self)).prefix(mostChannels).compactMap { Link($0) }
  }

  /// What may be chosen, else what is being proved or set up.
  var factors: [ClassicFactor] {
    let several = (embedded?["factors"]?.array ?? []).compactMap(ClassicFactor.init)
    return several.isEmpty ? [factor].compactMap(\.self) : several
  }

  /// What is being proved or set up; nil where nothing was chosen.
  var factor: ClassicFactor? { embedded?["factor"].flatMap(ClassicFactor.init) }

  /// Where a factor is proved: its own link, else that of its kind; nil where it cannot be.
  func verify(_ factor: ClassicFactor) -> Link? {
    let kind = embedded?["factorTypes"]?.array?.first {
      $0["factorType"]?.string == factor.type
    }
    return factor.verify ?? Link(kind?["_links"]?["next"])
  }

  /// What a passkey is to sign, in the words of the browsers' API; any of those that are listed may.
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

  /// Where the image is that is to be scanned; nil where none is, or its key is sent in text.
  var imageAddress: String? {
    let activation = factor?.embedded?["activation"]
    guard activation?["sharedSecret"] == nil, factor?.type != "webauthn" else { return nil }
    return activation?["_links"]?["qrcode"]?["href"]?.string
  }

  /// The number to pick on the device; nil where none is.
  var number: JSONValue? { factor?.embedded?["challenge"]?["correctAnswer"] }

  /// Whether the server waits for what the person does elsewhere.
  var isPolled: Bool { next?.name == "poll" }

  /// The factor that has to be proved where there is one; nil where there is a choice, or none.
  var onlyFactor: ClassicFactor? {
    status == .mfaRequired && factors.count == 1 ? factors.first : nil
  }
}

// It holds tokens, keys of apps and numbers to pick.
extension ClassicTransaction: Redacted {
  var description: String { status.rawValue }
}
