import IDXBase
import IDX

/// A second factor, as the server lists it.
///
/// Source: protocol section 8.
struct ClassicFactor: Sendable, Hashable {
  let json: JSONValue
  /// The kind, such as `token:software:totp`.
  let type: String
  /// Whose it is, such as `GOOGLE`.
  let provider: String

  init?(_ json: JSONValue) {
    guard let type = json["factorType"]?.string else { return nil }
    self.json = json
    self.type = type
    provider = json["provider"]?.string ?? ""
  }

  /// What it is told from the others by: its id, else the kind, as long as it is not set up.
  var pick: String { json["id"]?.string ?? "\(type)/\(provider)" }
  /// Where it is proved; nil where it cannot be.
  var verify: ClassicTransaction.Link? { ClassicTransaction.Link(json["_links"]?["verify"]) }
  /// Where it is set up; nil where it cannot be.
  var enroll: ClassicTransaction.Link? { ClassicTransaction.Link(json["_links"]?["enroll"]) }
  /// Where the questions are that may be chosen; nil for what is no question.
  var questions: ClassicTransaction.Link? { ClassicTransaction.Link(json["_links"]?["questions"]) }
  /// What comes beside it, such as a challenge.
  var embedded: JSONValue? { json["_embedded"] }

  /// Whether it is set up, as far as the server says so.
  var isSetUp: Bool { json["status"]?.string == "ACTIVE" }

  /// Whether it may be set up: it is not yet, or there may be more of it.
  var canBeSetUp: Bool {
    guard enroll != nil else { return false }
    guard isSetUp else { return true }
    let limits = json["policy"]?["enrollment"]
    guard let count = limits?["enrolled"]?.integer, let most = limits?["maximum"]?.integer
    else { return false }
    return count < most
  }

  /// Whether the server has to be asked before it can be proved: to send something, or to say what is
  /// to be signed.
  var needsStart: Bool { !type.hasPrefix("token") && type != "question" }

  /// Whether a person types something to prove it.
  var isTyped: Bool { type.hasPrefix("token") || ["sms", "call", "email"].contains(type) }

  /// Whether the person must say something before it can be set up.
  var needsData: Bool { ["sms", "call", "question"].contains(type) || isToken }

  /// Whether it is a thing that shows codes, which is proved as it is set up.
  var isToken: Bool { type.hasPrefix("token") && type != "token:software:totp" }

  var key: IDXAuthenticator.Key {
    switch (type, provider) {
    case ("token:software:totp", "GOOGLE"): .googleAuthenticator
    case ("token:software:totp", "OKTA"), ("push", "OKTA"), ("signed_nonce", "OKTA"): .oktaVerify
    case ("sms", _), ("call", _): .phone
    case ("email", _): .email
    case ("question", _): .securityQuestion
    case ("webauthn", _): .webAuthn
    case ("web", "DUO"): .duo
    case ("token:hardware", "YUBICO"): .yubiKey
    case ("token", "RSA"): .rsa
    case ("token", "SYMANTEC"): .symantecVIP
    case ("token:hotp", "CUSTOM"): .customOTP
    case ("push", "CUSTOM"): .customApp
    case ("claims_provider", _): .externalIdentityProvider
    default: IDXAuthenticator.Key(rawValue: pick.lowercased())
    }
  }

  /// What a person chooses it by.
  var label: String {
    switch (type, provider) {
    case ("token:software:totp", "GOOGLE"): "Google Authenticator"
    case ("token:software:totp", "OKTA"): "Okta Verify, by code"
    case ("push", "OKTA"): "Okta Verify, by push"
    case ("sms", _): "Phone, by SMS"
    case ("call", _): "Phone, in a call"
    case ("email", _): "Email"
    case ("question", _): "Security question"
    case ("webauthn", _): "Passkey or security key"
    case ("web", "DUO"): "Duo"
    case ("token:hardware", "YUBICO"): "YubiKey"
    case ("token", "RSA"): "RSA SecurID"
    case ("token", "SYMANTEC"): "Symantec VIP"
    default: json["vendorName"]?.string.map { "\($0), \(type)" } ?? type
    }
  }

  /// What the authenticator is called where a step is about it.
  private var displayName: String {
    switch key {
    case .oktaVerify: "Okta Verify"
    case .phone: "Phone"
    default: label
    }
  }

  private var kind: IDXAuthenticator.Kind {
    switch key {
    case .oktaVerify, .googleAuthenticator, .customApp: "app"
    case .phone: "phone"
    case .email: "email"
    case .securityQuestion: "security_question"
    case .webAuthn: "security_key"
    default: "federated"
    }
  }

  private var method: IDXAuthenticator.Method {
    switch type {
    case "call": "voice"
    case "question": "security_question"
    case _ where type.hasPrefix("token"): "otp"
    default: IDXAuthenticator.Method(rawValue: type)
    }
  }

  /// The authenticator that stands for it, with what it holds and what can be done with it.
  func authenticator(
    _ data: JSONValue? = nil, actions: [Remediation.Draft] = []
  ) -> IDXAuthenticator.Draft {
    IDXAuthenticator.Draft(
      key, type: kind, displayName: displayName, id: pick, methods: [method],
      contextualData: data, profile: profile, actions: actions)
  }

  /// What tells one of a kind from the others, by the names that authenticators have for it.
  private var profile: JSONValue? {
    guard let sent = json["profile"], sent.object != nil else { return nil }
    let renamed: [(String, JSONValue?)] = [
      ("deviceName", type == "push" ? sent["name"] : sent["authenticatorName"]),
      ("questionKey", sent["question"]), ("question", sent["questionText"]),
    ]
    return renamed.reduce(sent) { json, member in
      member.1.map { json.adding(member.0, $0) } ?? json
    }
  }
}

extension [ClassicFactor] {
  /// What a person chooses among: those of one kind are told apart by what is known of them, or counted.
  var labels: [String] {
    let labels = map(\.label)
    let counts = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
    var places: [String: Int] = [:]
    return zip(self, labels).map { factor, label in
      places[label, default: 0] += 1
      let isTold = ["phoneNumber", "email", "name", "authenticatorName"].contains {
        factor.json["profile"]?[$0]?.string != nil
      }
      guard let place = places[label], counts[label] != 1, !isTold else { return label }
      return "\(label), number \(place)"
    }
  }
}
