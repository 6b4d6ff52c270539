import IDX
public import IDXBase
import IDXOAuth

/// Why a person cannot do a step at a prompt: it needs a program, a device or a web page.
///
/// A front-end that supports the step registers a handler for it, which is asked first.
public struct UnsupportedStep: Sendable, Hashable {
  /// What a step needs and a prompt does not have.
  public struct Kind: OpenSet {
    /// The name of the kind.
    public let rawValue: String
    /// Creates a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The step needs Duo's page in a frame of a browser.
    public static let duoFrame: Kind = "duo_frame"
    /// The step needs Okta Verify on this device, which a browser reaches by the loopback or by a link.
    public static let deviceProbe: Kind = "device_probe"
    /// The step needs Okta FastPass.
    public static let fastPass: Kind = "fast_pass"
    /// The step needs Apple's extension for single sign-on.
    public static let appleSSOExtension: Kind = "apple_sso_extension"
    /// The step needs the token of a solved captcha.
    public static let captcha: Kind = "captcha"
    /// The step needs a passkey or security key.
    public static let passkey: Kind = "passkey"
    /// The password is changed on another site: ``UnsupportedStep/link``.
    public static let passwordElsewhere: Kind = "password_elsewhere"
    /// The form has a hidden field that only a program can fill in.
    public static let hiddenField: Kind = "hidden_field"
    /// The form has no address to which it can be sent.
    public static let noAddress: Kind = "no_address"
  }

  /// Why a person cannot do this step at a prompt.
  public let kind: Kind
  /// The page where the step can be done instead (`customExpiredPasswordURL`); nil if the server names none.
  ///
  /// The server chooses it: do not open it without asking the person.
  public let link: String?

  /// Checks a step; nil if a person can do it.
  public init?(_ step: Step) {
    let form = step.remediation
    guard let kind = Self.kind(of: form.name) ?? Self.kind(of: step) else { return nil }
    self.kind = kind
    link = kind == .passwordElsewhere ? form.raw["customExpiredPasswordURL"]?.string : nil
  }

  /// What is missing for every step of this name.
  private static func kind(of name: Remediation.Name) -> Kind? {
    switch name {
    case .deviceChallengePoll, .launchNFCAuthenticator: .deviceProbe
    case .launchAuthenticator: .fastPass
    case .deviceAppleSSOExtension: .appleSSOExtension
    case .launchWebAuthnAuthenticator, .launchPasskeysAuthenticator, .enrollWebAuthnResidentKey,
      .challengeWebAuthnAutofill:
      .passkey
    case .reenrollCustomPasswordExpiry, .reenrollCustomPasswordExpiryWarning: .passwordElsewhere
    default: nil
    }
  }

  private static func kind(of step: Step) -> Kind? {
    let form = step.remediation
    if form.page != nil { return nil }
    if step.deviceChallenge != nil { return .fastPass }
    guard form.canBeSent else { return .noAddress }
    let hidden = form.form.hiddenRequiredFields
    guard !hidden.isEmpty else { return nil }
    func has(_ hint: String, _ name: String) -> Bool {
      hidden.contains { $0.hint == hint || $0.name == name }
    }
    if has("captcha", "captchaToken") { return .captcha }
    let key = form.authenticators.compactMap(\.key).first ?? step.authenticator?.key
    if key == .duo { return .duoFrame }
    return key == .webAuthn || has("webauthn", "attestation") ? .passkey : .hiddenField
  }
}

extension Remediation.Form {
  /// Required fields without a value that are not visible: a program fills them in, for example with a
  /// signature.
  fileprivate var hiddenRequiredFields: [Remediation.Field] {
    fields.flatMap { field -> [Remediation.Field] in
      // A yes or no can always be asked.
      if field.isFixed || field.type == .boolean { return [] }
      if let form = field.form { return form.hiddenRequiredFields }
      let isHidden = !field.isVisible && field.isRequired
      return isHidden && field.value == nil && field.choices.isEmpty ? [field] : []
    }
  }
}
