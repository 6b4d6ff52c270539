import IDXFlow
import IDX

// Scenarios about accounts and about steps without an authenticator.
extension OrgScenario {
  /// Scenarios about forgotten passwords and locked accounts.
  static let recoveries: [OrgScenario] = [
    OrgScenario(
      name: "recover", summary: "a forgotten password, recovered by email",
      users: [.demo.with(.email)], policy: .with { $0.recovery = .init() }, goal: .recover,
      protocols: .idxAndClassic),
    OrgScenario(
      name: "recover-question", summary: "a forgotten password, recovered by a security question",
      users: [.demo.with(.email, question)],
      policy: .with { $0.recovery = .init(by: [.securityQuestion, .email]) }, goal: .recover,
      hints: [answerHint],
      protocols: .idxAndClassic),
    OrgScenario(
      name: "recover-phone",
      summary: "a forgotten password, recovered by SMS or call, and a security question",
      users: [.demo.with(.phone("+15550100142"), question)],
      policy: .with { $0.recovery = .init(by: [.phone], asksSecurityQuestion: true) },
      goal: .recover,
      hints: [answerHint],
      protocols: .idxAndClassic),
    OrgScenario(
      name: "unlock", summary: "a locked account, unlocked by email", users: [lockedUser],
      policy: .with { $0.unlock = .init() }, goal: .unlock, hints: [lockedHint],
      protocols: .idxAndClassic),
    OrgScenario(
      name: "locked-shown", summary: "a locked account that the classic API reports",
      users: [lockedUser],
      policy: .with {
        $0.unlock = .init()
        $0.showsLockouts = true
      }, goal: .unlock, hints: [lockedHint], protocols: .idxAndClassic),
    OrgScenario(
      name: "locked", summary: "a locked account that cannot be unlocked",
      users: [.demo.with { $0.status = .locked }], policy: .passwordOnly,
      hints: ["the account is locked, so the correct password is refused too"],
      protocols: .every),
  ]

  /// Scenarios about new accounts and their profiles.
  static let registrations: [OrgScenario] = [
    OrgScenario(
      name: "register", summary: "a new account: profile, password, then optional email",
      policy: .with(optional: [.email]) { $0.registration = .init() }, goal: .register,
      hints: [registrationHint]),
    OrgScenario(
      name: "register-password", summary: "a new account, with profile and password in one form",
      policy: .with { $0.registration = .init(takesPassword: true) }, goal: .register,
      hints: [registrationHint]),
    OrgScenario(
      name: "register-verify-mail", summary: "a new account, with an email to verify the address",
      policy: .with { $0.registration = .init(verifiesMail: true) }, goal: .register,
      hints: [registrationHint]),
    after(
      .profile, "progressive-profile", "a password, then a required profile field"),
    after(
      .profileUpdate, "profile-update", "a password, then optional profile fields"),
    before(
      .activationExpired, "activation-expired", "an expired activation link"),
  ]

  /// Scenarios about passwords that must be replaced.
  static let passwords: [OrgScenario] = [
    OrgScenario(
      name: "password-expired", summary: "an expired password that must be replaced",
      users: [.demo.with { $0.status = .passwordExpired }], policy: .passwordOnly, protocols: .every
    ),
    OrgScenario(
      name: "password-expiring", summary: "a password that expires in four days",
      users: [.demo.with { $0.daysToPasswordExpiry = 4 }], policy: .passwordOnly,
      protocols: .idxAndClassic),
    OrgScenario(
      name: "password-elsewhere",
      summary: "an expired password that must be changed on another site",
      users: [.demo.with { $0.status = .passwordExpired }],
      policy: .with { $0.passwordSite = .init() },
      hints: ["the password cannot be changed here: change it on the other site, then start over"]),
    OrgScenario(
      name: "password-elsewhere-warning",
      summary: "a password that expires in four days, to be changed on another site",
      users: [.demo.with { $0.daysToPasswordExpiry = 4 }],
      policy: .with { $0.passwordSite = .init() }),
  ]

  /// Scenarios that leave the password to something else.
  static let otherWays: [OrgScenario] = [
    OrgScenario(
      name: "idp", summary: "a password, or one of two identity providers",
      policy: .with { $0.identityProviders = [google, company] }),
    OrgScenario(
      name: "idp-only", summary: "an identity provider as the only way to sign in",
      policy: .with {
        $0.identityProviders = [company]
        $0.identityProvidersOnly = true
      }),
    OrgScenario(
      name: "idp-factor", summary: "a password, then an identity provider as a factor",
      users: [.demo.with(.device(.externalIdentityProvider))],
      policy: .required(.externalIdentityProvider)),
    OrgScenario(
      name: "idp-more-steps", summary: "an identity provider, then a code by email",
      users: [.demo.with(.email)],
      policy: .with(required: [.email]) { $0.identityProviders = [google] }),
    OrgScenario(
      name: "smart-card", summary: "a password, or a smart card",
      policy: .with { $0.smartCard = true }),
    before(
      .deviceChallenge(.loopback), "device-challenge",
      "Okta Verify on this computer, or a password"),
    OrgScenario(
      name: "fastpass", summary: "a password, or Okta FastPass",
      policy: .with { $0.fastPass = true }),
    before(
      .appleSignOn, "apple-sso", "Apple's single sign-on, which can be cancelled"),
    OrgScenario(
      name: "captcha", summary: "a captcha, which a terminal cannot show, or an identity provider",
      policy: .with {
        $0.captcha = .hCaptcha
        $0.identityProviders = [google]
      }),
    OrgScenario(
      name: "captcha-altcha", summary: "a captcha that a browser computes, or an identity provider",
      policy: .with {
        $0.captcha = .altcha
        $0.identityProviders = [google]
      }),
    OrgScenario(
      name: "dpop", summary: "a password, then tokens that are bound to a key of this computer",
      policy: boundTokensPolicy, protocols: .every),
  ]

  /// Scenarios about steps before or after the authenticators.
  static let interstitials: [OrgScenario] = [
    after(
      .consent(scopes: ["email", "phone"]), "consent", "a password, then consent to an app",
      in: .every),
    after(
      .adminConsent(scopes: ["email", "phone"]), "admin-consent",
      "a password, then consent for everyone"),
    after(
      .granularConsent(scopes: ["openid", "email", "plan", "plan.details"]), "granular-consent",
      "a password, then consent to each scope"),
    after(
      .emailConsent, "email-consent",
      "a password, then the question whether you requested the email"),
    after(
      .keepMeSignedIn, "keep-me-signed-in",
      "a password, then the question whether to stay signed in"),
    after(
      .gracePeriod, "grace-period", "a password on a device that must be updated soon"),
    after(
      .safeMode(seconds: 6), "safe-mode", "a password, then an org under maintenance"),
    OrgScenario(
      name: "device-code", summary: "the code of a device, then a sign-in and consent for it",
      policy: .with {
        $0.beforeIdentify = [.userCode("WDJB-MJHT")]
        $0.afterFactors = [.consent(scopes: ["email"]), .deviceActivated]
      }, hints: ["the device shows WDJB-MJHT"]),
    after(
      .identityProofing, "identity-proofing", "a password, then identity verification in a browser"),
    after(
      .denial(isFinal: false), "denied", "a password, then access is denied", in: .every),
    after(
      .denial(isFinal: true), "denied-final", "a password, then access is denied for good"),
    after(
      .finishedElsewhere, "done", "a password, then the sign-in continues in another tab"),
  ]

  private static let boundTokensPolicy: SignInPolicy = {
    var policy = SignInPolicy.passwordOnly
    policy.requiresDPoP = true
    return policy
  }()

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
