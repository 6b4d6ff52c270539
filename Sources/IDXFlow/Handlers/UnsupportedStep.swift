import IDX
public import IDXBase

/// What keeps a person from doing a step at a prompt: it needs a program, a device or a page.
///
/// A front-end that has what it takes registers a handler for the step, which is asked before the
/// generic one.
public struct UnsupportedStep: Sendable, Hashable {
  /// What is in the way.
  ///
  /// An open set.
  public struct Kind: OpenSet {
    /// The name of the kind.
    public let rawValue: String
    /// Creates a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The page of Duo, in a frame of a browser.
    public static let duoFrame: Kind = "duo_frame"
    /// Okta Verify on this device, which a browser asks over the loopback or by a link.
    public static let deviceProbe: Kind = "device_probe"
    /// Okta FastPass.
    public static let fastPass: Kind = "fast_pass"
    /// The operating system's single sign-on extension.
    public static let appleSSOExtension: Kind = "apple_sso_extension"
    /// A picture puzzle that tells people from programs.
    public static let captcha: Kind = "captcha"
    /// A passkey or security key, where nothing is there to reach one.
    public static let passkey: Kind = "passkey"
    /// A password that is kept and changed elsewhere.
    public static let passwordElsewhere: Kind = "password_elsewhere"
    /// Something that only a program can fill in.
    public static let hiddenField: Kind = "hidden_field"
    /// No address that it could be sent to.
    public static let noAddress: Kind = "no_address"
  }

  /// What is in the way.
  public let kind: Kind
  /// Where it can be done instead, as the server says: text, not to be opened unasked; nil where it
  /// says nothing.
  public let link: String?

  /// What is in the way of a step; nil where a person can do it.
  public init?(_ step: Step) {
    let form = step.remediation
    guard let kind = Self.named[form.name] ?? Self.kind(of: step) else { return nil }
    self.kind = kind
    link = kind == .passwordElsewhere ? form.raw["customExpiredPasswordURL"]?.string : nil
  }

  private static let named: [Remediation.Name: Kind] = [
    .deviceChallengePoll: .deviceProbe, .launchAuthenticator: .fastPass,
    .deviceAppleSSOExtension: .appleSSOExtension, .launchWebAuthnAuthenticator: .passkey,
    .launchPasskeysAuthenticator: .passkey, .enrollWebAuthnResidentKey: .passkey,
    .challengeWebAuthnAutofill: .passkey,
    .launchNFCAuthenticator: .deviceProbe, .reenrollCustomPasswordExpiry: .passwordElsewhere,
    .reenrollCustomPasswordExpiryWarning: .passwordElsewhere,
  ]

  private static func kind(of step: Step) -> Kind? {
    let form = step.remediation
    if form.page != nil { return nil }
    guard form.canBeSent else { return .noAddress }
    let gaps = form.form.hiddenGaps
    guard !gaps.isEmpty else { return nil }
    if gaps.contains(where: { $0.hint == "captcha" || $0.name == "captchaToken" }) {
      return .captcha
    }
    let keys = form.authenticators.compactMap(\.key) + [step.authenticator?.key].compactMap(\.self)
    if keys.first == .duo { return .duoFrame }
    let isPasskey =
      keys.first == .webAuthn || gaps.contains { $0.hint == "webauthn" || $0.name == "attestation" }
    return isPasskey ? .passkey : .hiddenField
  }
}

extension UnsupportedStep: CustomStringConvertible {
  /// A sentence for a person.
  public var description: String {
    switch kind {
    case .duoFrame: "Duo asks in a page of its own, which needs a browser."
    case .deviceProbe: "This asks Okta Verify on this device, which only a browser can do."
    case .fastPass: "Okta FastPass needs a browser on a device with Okta Verify."
    case .appleSSOExtension: "This is done by the single sign-on extension of the system."
    case .captcha: "This form has a captcha, which needs a browser."
    case .passkey: "This needs a passkey or a security key, and none can be reached from here."
    case .passwordElsewhere: "This password is changed elsewhere."
    case .noAddress: "The server sends no address that this could be sent to."
    default: "This needs something that cannot be typed."
    }
  }
}

extension Remediation.Form {
  /// What is required, has no value and is not to be seen: it is filled in by a program, a signature
  /// or a captcha.
  ///
  /// A yes or no can be asked all the same.
  fileprivate var hiddenGaps: [Remediation.Field] {
    fields.flatMap { field -> [Remediation.Field] in
      if field.isFixed || field.type == .boolean { return [] }
      if let form = field.form { return form.hiddenGaps }
      let isTyped =
        field.isVisible || field.value != nil || !field.isRequired || !field.choices.isEmpty
      return isTyped ? [] : [field]
    }
  }
}
