import IDXFlow
import IDX

// To add a scenario, add a row and name it in one of the lists.
extension OrgScenario {
  /// Scenarios about accounts and about steps without an authenticator.
  public static let accounts = recoveries + registrations + passwords + otherWays + interstitials

  /// Scenarios about forgotten passwords and locked accounts.
  static let recoveries: [OrgScenario] = [
    recovery, recoveryWithSecurityQuestion, recoveryByPhone, unlocking, lockoutShown, locked,
  ]

  /// Scenarios about new accounts and their profiles.
  static let registrations: [OrgScenario] = [
    registration, registrationWithPassword, registrationWithMail, progressiveProfile, profileUpdate,
    activationExpired,
  ]

  /// Scenarios about passwords that must be replaced.
  static let passwords: [OrgScenario] = [
    passwordExpired, passwordExpiring, passwordElsewhere, passwordElsewhereWarning,
  ]

  /// Scenarios that leave the password to something else.
  static let otherWays: [OrgScenario] = [
    identityProviders, identityProviderOnly, identityProviderFactor, identityProviderMoreSteps,
    smartCard, deviceChallenge, fastPass, appleSignOn, captcha, computedCaptcha,
    boundTokens,
  ]

  /// Scenarios about steps before or after the authenticators.
  static let interstitials: [OrgScenario] = [
    consent, adminConsent, granularConsent, emailConsent, keepMeSignedIn, gracePeriod, safeMode,
    deviceCode, identityProofing, denied, deniedForGood, finishedElsewhere,
  ]

  // MARK: Accounts

  /// A forgotten password, recovered by email (`recover`).
  public static let recovery = OrgScenario(
    name: "recover", summary: "a forgotten password, recovered by email",
    users: [.demo.with(.email)], policy: .with { $0.recovery = .init() }, goal: .recover,
    protocols: .idxAndClassic)
  /// A forgotten password, recovered by email or the security question (`recover-question`).
  public static let recoveryWithSecurityQuestion = OrgScenario(
    name: "recover-question", summary: "a forgotten password, recovered by a security question",
    users: [.demo.with(.email, question)],
    policy: .with { $0.recovery = .init(by: [.securityQuestion, .email]) }, goal: .recover,
    hints: [answerHint],
    protocols: .idxAndClassic)
  /// A forgotten password, recovered by a code to a phone and a security question (`recover-phone`).
  public static let recoveryByPhone = OrgScenario(
    name: "recover-phone",
    summary: "a forgotten password, recovered by SMS or call, and a security question",
    users: [.demo.with(.phone("+15550100142"), question)],
    policy: .with { $0.recovery = .init(by: [.phone], asksSecurityQuestion: true) }, goal: .recover,
    hints: [answerHint],
    protocols: .idxAndClassic)
  /// A locked account, unlocked by email (`unlock`).
  public static let unlocking = OrgScenario(
    name: "unlock", summary: "a locked account, unlocked by email", users: [lockedUser],
    policy: .with { $0.unlock = .init() }, goal: .unlock, hints: [lockedHint],
    protocols: .idxAndClassic)
  /// A locked account that the classic API reports, unlocked by email (`locked-shown`).
  public static let lockoutShown = OrgScenario(
    name: "locked-shown", summary: "a locked account that the classic API reports",
    users: [lockedUser],
    policy: .with {
      $0.unlock = .init()
      $0.showsLockouts = true
    }, goal: .unlock, hints: [lockedHint], protocols: .idxAndClassic)
  /// A locked account that cannot be unlocked (`locked`).
  public static let locked = OrgScenario(
    name: "locked", summary: "a locked account that cannot be unlocked",
    users: [.demo.with { $0.status = .locked }], policy: .passwordOnly,
    hints: ["the account is locked, so the correct password is refused too"],
    protocols: .every)
  /// A new account, in steps (`register`).
  public static let registration = OrgScenario(
    name: "register", summary: "a new account: profile, password, then optional email",
    policy: .with(optional: [.email]) { $0.registration = .init() }, goal: .register,
    hints: [registrationHint])
  /// A new account, with the password in the form of the profile (`register-password`).
  public static let registrationWithPassword = OrgScenario(
    name: "register-password", summary: "a new account, with profile and password in one form",
    policy: .with { $0.registration = .init(takesPassword: true) }, goal: .register,
    hints: [registrationHint])
  /// A new account; the email address must be verified first (`register-verify-mail`).
  public static let registrationWithMail = OrgScenario(
    name: "register-verify-mail", summary: "a new account, with an email to verify the address",
    policy: .with { $0.registration = .init(verifiesMail: true) }, goal: .register,
    hints: [registrationHint])
  /// One more required attribute of the profile (`progressive-profile`).
  public static let progressiveProfile = after(
    .profile, "progressive-profile", "a password, then a required profile field")
  /// Three more optional attributes of the profile (`profile-update`).
  public static let profileUpdate = after(
    .profileUpdate, "profile-update", "a password, then optional profile fields")

  // MARK: Passwords

  /// A password that has expired (`password-expired`).
  public static let passwordExpired = OrgScenario(
    name: "password-expired", summary: "an expired password that must be replaced",
    users: [.demo.with { $0.status = .passwordExpired }], policy: .passwordOnly, protocols: .every)
  /// A password that expires soon (`password-expiring`).
  public static let passwordExpiring = OrgScenario(
    name: "password-expiring", summary: "a password that expires in four days",
    users: [.demo.with { $0.daysToPasswordExpiry = 4 }], policy: .passwordOnly,
    protocols: .idxAndClassic)
  /// An expired password that must be changed on another site (`password-elsewhere`).
  public static let passwordElsewhere = OrgScenario(
    name: "password-elsewhere", summary: "an expired password that must be changed on another site",
    users: [.demo.with { $0.status = .passwordExpired }],
    policy: .with { $0.passwordSite = .init() },
    hints: ["the password cannot be changed here: change it on the other site, then start over"])
  /// A password that expires soon and can be changed on another site (`password-elsewhere-warning`).
  public static let passwordElsewhereWarning = OrgScenario(
    name: "password-elsewhere-warning",
    summary: "a password that expires in four days, to be changed on another site",
    users: [.demo.with { $0.daysToPasswordExpiry = 4 }],
    policy: .with { $0.passwordSite = .init() })

  // MARK: Other ways to sign in

  /// Identity providers next to the username (`idp`).
  public static let identityProviders = OrgScenario(
    name: "idp", summary: "a password, or one of two identity providers",
    policy: .with { $0.identityProviders = [google, company] })
  /// An identity provider as the only way to sign in (`idp-only`).
  public static let identityProviderOnly = OrgScenario(
    name: "idp-only", summary: "an identity provider as the only way to sign in",
    policy: .with {
      $0.identityProviders = [company]
      $0.identityProvidersOnly = true
    })
  /// An identity provider as a factor (`idp-factor`).
  public static let identityProviderFactor = OrgScenario(
    name: "idp-factor", summary: "a password, then an identity provider as a factor",
    users: [.demo.with(.device(.externalIdentityProvider))],
    policy: .required(.externalIdentityProvider))
  /// An identity provider, then a code (`idp-more-steps`).
  public static let identityProviderMoreSteps = OrgScenario(
    name: "idp-more-steps", summary: "an identity provider, then a code by email",
    users: [.demo.with(.email)],
    policy: .with(required: [.email]) { $0.identityProviders = [google] })
  /// A smart card next to the username (`smart-card`).
  public static let smartCard = OrgScenario(
    name: "smart-card", summary: "a password, or a smart card",
    policy: .with { $0.smartCard = true })
  /// Okta FastPass next to the username (`fastpass`).
  public static let fastPass = OrgScenario(
    name: "fastpass", summary: "a password, or Okta FastPass", policy: .with { $0.fastPass = true })
  /// A captcha next to the username, and an identity provider without it (`captcha`).
  public static let captcha = OrgScenario(
    name: "captcha", summary: "a captcha, which a terminal cannot show, or an identity provider",
    policy: .with {
      $0.captcha = .hCaptcha
      $0.identityProviders = [google]
    })
  /// A captcha that a browser computes, and an identity provider without it (`captcha-altcha`).
  public static let computedCaptcha = OrgScenario(
    name: "captcha-altcha", summary: "a captcha that a browser computes, or an identity provider",
    policy: .with {
      $0.captcha = .altcha
      $0.identityProviders = [google]
    })

  /// An app whose tokens must be bound to a key (`dpop`).
  public static let boundTokens = OrgScenario(
    name: "dpop", summary: "a password, then tokens that are bound to a key of this computer",
    policy: boundTokensPolicy, protocols: .every)

  private static let boundTokensPolicy: SignInPolicy = {
    var policy = SignInPolicy.passwordOnly
    policy.requiresDPoP = true
    return policy
  }()

  // MARK: Interstitial steps after the authenticators

  /// Consent to all scopes of the app (`consent`).
  public static let consent = after(
    .consent(scopes: ["email", "phone"]), "consent", "a password, then consent to an app",
    in: .every)
  /// Consent that an administrator gives for everyone (`admin-consent`).
  public static let adminConsent = after(
    .adminConsent(scopes: ["email", "phone"]), "admin-consent",
    "a password, then consent for everyone")
  /// Consent to each scope of the app (`granular-consent`).
  public static let granularConsent = after(
    .granularConsent(scopes: ["openid", "email", "plan", "plan.details"]), "granular-consent",
    "a password, then consent to each scope")
  /// The question whether the user requested the email (`email-consent`).
  public static let emailConsent = after(
    .emailConsent, "email-consent", "a password, then the question whether you requested the email")
  /// The question whether to stay signed in (`keep-me-signed-in`).
  public static let keepMeSignedIn = after(
    .keepMeSignedIn, "keep-me-signed-in", "a password, then the question whether to stay signed in")
  /// A device that does not meet all requirements, but is accepted for some days (`grace-period`).
  public static let gracePeriod = after(
    .gracePeriod, "grace-period", "a password on a device that must be updated soon")
  /// An org that is under maintenance for some seconds (`safe-mode`).
  public static let safeMode = after(
    .safeMode(seconds: 6), "safe-mode", "a password, then an org under maintenance")
  /// Identity verification in a browser (`identity-proofing`).
  public static let identityProofing = after(
    .identityProofing, "identity-proofing", "a password, then identity verification in a browser")
  /// Access denied, with the option to start over (`denied`).
  public static let denied = after(
    .denial(isFinal: false), "denied", "a password, then access is denied", in: .every)
  /// Access denied, without the option to start over (`denied-final`).
  public static let deniedForGood = after(
    .denial(isFinal: true), "denied-final", "a password, then access is denied for good")
  /// A successful end without tokens (`done`).
  public static let finishedElsewhere = after(
    .finishedElsewhere, "done", "a password, then the sign-in continues in another tab")

  // MARK: Interstitial steps before the username

  /// The code of a device, then a sign-in for that device (`device-code`).
  public static let deviceCode = OrgScenario(
    name: "device-code", summary: "the code of a device, then a sign-in and consent for it",
    policy: .with {
      $0.beforeIdentify = [.userCode("WDJB-MJHT")]
      $0.afterFactors = [.consent(scopes: ["email"]), .deviceActivated]
    }, hints: ["the device shows WDJB-MJHT"])
  /// An activation link that has expired (`activation-expired`).
  public static let activationExpired = before(
    .activationExpired, "activation-expired", "an expired activation link")
  /// A search for Okta Verify on this computer, before the username (`device-challenge`).
  public static let deviceChallenge = before(
    .deviceChallenge(.loopback), "device-challenge",
    "Okta Verify on this computer, or a password")
  /// Apple's extension for single sign-on, which can be canceled (`apple-sso`).
  public static let appleSignOn = before(
    .appleSignOn, "apple-sso", "Apple's single sign-on, which can be cancelled")

  // MARK: Parts of rows

  private static let question = SimulatedUser.Enrollment.securityQuestion(
    question: "Which engine came first?", answer: "Difference")
  private static let answerHint = "the answer to the security question is Difference"
  private static let lockedUser = SimulatedUser.demo.with(.email).with { $0.status = .locked }
  private static let lockedHint =
    "the account is locked: type ? at the username to unlock it"
  private static let registrationHint =
    "type ? at the username to sign up; ada@example.com already exists"
  private static let google = AccountPolicy.IdentityProvider(type: "GOOGLE", name: "Google")
  private static let company = AccountPolicy.IdentityProvider(type: "OIDC", name: "Company sign-in")

  private static func after(
    _ step: AccountPolicy.InterstitialStep, _ name: String, _ summary: String,
    in protocols: Set<SignInProtocol> = [.idx]
  ) -> OrgScenario {
    OrgScenario(
      name: name, summary: summary, policy: .with { $0.afterFactors = [step] },
      protocols: protocols)
  }

  private static func before(
    _ step: AccountPolicy.InterstitialStep, _ name: String, _ summary: String
  ) -> OrgScenario {
    OrgScenario(name: name, summary: summary, policy: .with { $0.beforeIdentify = [step] })
  }
}

extension SignInPolicy {
  fileprivate static func with(
    required: [IDXAuthenticator.Key] = [], optional: [IDXAuthenticator.Key] = [],
    _ change: (inout AccountPolicy) -> Void
  ) -> SignInPolicy {
    var policy = SignInPolicy(required: required, optional: optional)
    change(&policy.accounts)
    return policy
  }
}
