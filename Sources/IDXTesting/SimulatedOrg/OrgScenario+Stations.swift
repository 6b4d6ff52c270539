extension OrgScenario {
  // MARK: After the authenticators

  /// Scopes that the app asks for, all or nothing.
  public static let consent = after(
    .consent(scopes: ["email", "phone"]), "consent", "a password, then consent to an app")

  /// Scopes that an administrator allows for everybody.
  public static let adminConsent = after(
    .adminConsent(scopes: ["email", "phone"]), "admin-consent",
    "a password, then consent for everybody")

  /// Scopes that the app asks for, one by one.
  public static let granularConsent = after(
    .granularConsent(scopes: ["openid", "email", "plan", "plan.details"]), "granular-consent",
    "a password, then consent scope by scope")

  /// Whether it was you who asked for a mail.
  public static let emailConsent = after(
    .emailConsent, "email-consent", "a password, then whether a request was yours")

  /// Whether to stay signed in.
  public static let keepMeSignedIn = after(
    .keepMeSignedIn, "keep-me-signed-in", "a password, then whether to stay signed in")

  /// A device that lacks something and may lack it for some days.
  public static let gracePeriod = after(
    .gracePeriod, "grace-period", "a password on a device that must be mended soon")

  /// An org that takes no sign-ins for some seconds.
  public static let safeMode = after(
    .safeMode(seconds: 6), "safe-mode", "a password, then an org that is being looked after")

  /// A proof of identity in a browser.
  public static let identityProofing = after(
    .identityProofing, "identity-proofing", "a password, then a proof of identity in a browser")

  /// Access denied; one can start over.
  public static let denied = after(
    .denial(isFinal: false), "denied", "a password, then access is denied")

  /// Access denied without a way back.
  public static let deniedForGood = after(
    .denial(isFinal: true), "denied-final", "a password, then access is denied for good")

  /// An end that is good, without tokens.
  public static let finishedElsewhere = after(
    .finishedElsewhere, "done", "a password, then it goes on elsewhere")

  // MARK: Before the user name

  /// The code of a device, then a sign-in for it.
  public static let deviceCode = OrgScenario(
    name: "device-code", summary: "the code of a device, then a sign-in and consent for it",
    policy: .with {
      $0.beforeIdentify = [.userCode("WDJB-MJHT")]
      $0.afterFactors = [.consent(scopes: ["email"]), .deviceActivated]
    },
    hints: ["the device shows WDJB-MJHT"])

  /// An activation link that is too old.
  public static let activationExpired = before(
    .activationExpired, "activation-expired", "an activation link that is too old")

  /// A probe for Okta Verify on this machine.
  public static let deviceChallenge = before(
    .deviceChallenge(.loopback), "device-challenge",
    "a search for Okta Verify on this machine, then a password")

  /// Apple's extension for single sign-on, with the way past it.
  public static let appleSignOn = before(
    .appleSignOn, "apple-sso", "Apple's single sign-on, which can be passed over")

  /// A password, then a station.
  static func after(_ station: AccountPolicy.Station, _ name: String, _ summary: String)
    -> OrgScenario
  {
    OrgScenario(name: name, summary: summary, policy: .with { $0.afterFactors = [station] })
  }

  /// A station, then a password.
  private static func before(_ station: AccountPolicy.Station, _ name: String, _ summary: String)
    -> OrgScenario
  {
    OrgScenario(name: name, summary: summary, policy: .with { $0.beforeIdentify = [station] })
  }
}
