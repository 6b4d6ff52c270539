import IDX
import IDXBase

/// A second factor in a response.
struct ClassicFactor: Sendable, Hashable {
  let json: JSONValue
  /// The type, such as `token:software:totp`.
  let type: String
  /// The provider, such as `GOOGLE`.
  let provider: String

  init?(_ json: JSONValue) {
    guard let type = json["factorType"]?.string else { return nil }
    self.json = json
    self.type = type
    provider = json["provider"]?.string ?? ""
  }

  /// The ID; before the factor is set up, its type and provider.
  var id: String { json["id"]?.string ?? "\(type)/\(provider)" }
  /// The link that proves the factor.
  var verify: ClassicTransaction.Link? { ClassicTransaction.Link(json["_links"]?["verify"]) }
  /// The link that sets up the factor.
  var enroll: ClassicTransaction.Link? { ClassicTransaction.Link(json["_links"]?["enroll"]) }
  /// The link to the security questions that can be chosen.
  var questions: ClassicTransaction.Link? { ClassicTransaction.Link(json["_links"]?["questions"]) }
  /// The embedded objects, such as a challenge.
  var embedded: JSONValue? { json["_embedded"] }

  /// Whether the server says that the factor is set up.
  var isSetUp: Bool { json["status"]?.string == "ACTIVE" }

  /// Whether the factor can be set up: it is not set up yet, or the policy allows several.
  var canBeSetUp: Bool {
    guard enroll != nil else { return false }
    guard isSetUp else { return true }
    let limits = json["policy"]?["enrollment"]
    guard let limit = limits?["maximum"]?.integer else { return false }
    return limits?["enrolled"]?.integer.map { $0 < limit } ?? false
  }

  /// Whether proving the factor starts with a request: to send a code or push, or to get a challenge.
  var needsStart: Bool { !type.hasPrefix("token") && type != "question" }

  /// Whether a person types a code to prove the factor.
  var isTyped: Bool { type.hasPrefix("token") || ["sms", "call", "email"].contains(type) }

  /// Whether the person must enter data before the factor can be set up.
  var needsData: Bool { ["sms", "call", "question"].contains(type) || isToken }

  /// Whether the factor is a token that shows codes, which is set up and proved with one request.
  var isToken: Bool { type.hasPrefix("token") && type != "token:software:totp" }

  var key: IDXAuthenticator.Key { known?.key ?? unknownKey }
  private var unknownKey: IDXAuthenticator.Key { IDXAuthenticator.Key(rawValue: id.lowercased()) }

  /// The name of the factor in a choice.
  var label: String {
    // Some vendors are only the provider again, such as OKTA.
    let vendor = json["vendorName"]?.string.flatMap { $0.isEmpty || $0 == provider ? nil : $0 }
    guard let known else { return vendor.map { "\($0), \(type)" } ?? type }
    // The vendor of these has chosen their names.
    let isCustom = [.customOTP, .customApp, .externalIdentityProvider].contains(known.key)
    return isCustom ? vendor ?? known.label : known.label
  }

  private var known: (key: IDXAuthenticator.Key, label: String)? {
    switch (type, provider) {
    case ("token:software:totp", "GOOGLE"): (.googleAuthenticator, "Google Authenticator")
    case ("token:software:totp", "OKTA"): (.oktaVerify, "Okta Verify, by code")
    case ("push", "OKTA"): (.oktaVerify, "Okta Verify, by push")
    case ("signed_nonce", "OKTA"): (.oktaVerify, "Okta FastPass")
    case ("sms", _): (.phone, "Phone, by SMS")
    case ("call", _): (.phone, "Phone, by call")
    case ("email", _): (.email, "Email")
    case ("question", _): (.securityQuestion, "Security question")
    case ("webauthn", _): (.webAuthn, "Passkey or security key")
    case ("web", "DUO"): (.duo, "Duo")
    case ("token:hardware", "YUBICO"): (.yubiKey, "YubiKey")
    case ("token", "RSA"): (.rsa, "RSA SecurID")
    case ("token", "SYMANTEC"): (.symantecVIP, "Symantec VIP")
    case ("token:hotp", "CUSTOM"): (.customOTP, "One-time code")
    case ("push", "CUSTOM"): (.customApp, "Push notification")
    case ("claims_provider", _): (.externalIdentityProvider, "Another sign-in page")
    case ("u2f", _): (unknownKey, "Security key")
    case ("token:hardware", _): (unknownKey, "Hardware token")
    default: nil
    }
  }

  /// The name of the authenticator.
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

  /// The method, as Identity Engine names it.
  var method: String {
    switch type {
    case "call": "voice"
    case "question": "security_question"
    case "token:software:totp" where provider == "OKTA": "totp"
    default: type.hasPrefix("token") ? "otp" : type
    }
  }

  /// The authenticator of the factor, with contextual data and actions.
  func authenticator(
    _ data: JSONValue? = nil, actions: [Remediation.Draft] = []
  ) -> IDXAuthenticator.Draft {
    IDXAuthenticator.Draft(
      key, type: kind, displayName: displayName, id: id,
      methods: [IDXAuthenticator.Method(rawValue: method)],
      contextualData: data, profile: profile, actions: actions)
  }

  /// The profile, with the member names of Identity Engine.
  private var profile: JSONValue? {
    guard let sent = json["profile"], sent.object != nil else { return nil }
    return sent.adding("deviceName", sent[type == "push" ? "name" : "authenticatorName"])
      .adding("questionKey", sent["question"]).adding("question", sent["questionText"])
  }

  /// The message for a `factorResult`; nil if nothing went wrong.
  func message(for result: String?) -> IDXMessage.Draft? {
    switch result {
    case nil, "CHALLENGE", "WAITING", "SUCCESS": nil
    case "REJECTED":
      IDXMessage.Draft(
        "The request was rejected on the device.", key: "api.authn.poll.error.push_rejected")
    case "TIMEOUT":
      IDXMessage.Draft("There was no answer in time.", key: "api.authn.poll.error.push_timeout")
    case "CANCELLED": IDXMessage.Draft("The request was canceled.")
    case "TIME_WINDOW_EXCEEDED": IDXMessage.Draft("The code has expired.", key: .passcodeInvalid)
    case "PASSCODE_REPLAYED":
      IDXMessage.Draft(
        "This code was already used. Wait for the next one.", key: .softTokenUsed)
    default: IDXMessage.Draft("“\(label)” failed. Try again.")
    }
  }
}
