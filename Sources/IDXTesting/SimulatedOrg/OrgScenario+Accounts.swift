import IDX

extension OrgScenario {
  /// Accounts, and all steps that are about no authenticator.
  public static let accounts: [OrgScenario] = [
    recovery, recoveryWithQuestion, recoveryByPhone, unlocking, lockoutShown, registration,
    registrationWithPassword,
    registrationWithMail, progressiveProfile, profileUpdate, passwordExpired, passwordExpiring,
    passwordElsewhere, passwordElsewhereWarning, consent, adminConsent, granularConsent,
    emailConsent, keepMeSignedIn, gracePeriod, safeMode, deviceCode, activationExpired,
    identityProviders, identityProviderOnly, identityProviderFactor, identityProviderMoreSteps,
    smartCard, identityProofing, deviceChallenge, fastPass, appleSignOn, captcha, denied,
    deniedForGood, finishedElsewhere, locked,
  ]

  // MARK: Accounts

  /// A forgotten password, recovered by e-mail.
  public static let recovery = OrgScenario(
    name: "recover", summary: "a forgotten password, recovered by e-mail",
    users: [.demo.with(.email)], policy: .with { $0.recovery = .init() })

  /// A forgotten password, recovered by e-mail or the security question.
  public static let recoveryWithQuestion = OrgScenario(
    name: "recover-question", summary: "a forgotten password, recovered by a security question",
    users: [.demo.with(.email, .demoQuestion)],
    policy: .with { $0.recovery = .init(by: [.securityQuestion, .email]) },
    hints: ["the answer to the question is Difference"])

  /// A forgotten password, recovered by a code to a phone and a question after it.
  public static let recoveryByPhone = OrgScenario(
    name: "recover-phone",
    summary: "a forgotten password, recovered by SMS or a call, and a question",
    users: [.demo.with(.phone("+15550100142"), .demoQuestion)],
    policy: .with { $0.recovery = .init(by: [.phone], asksQuestion: true) },
    hints: ["the answer to the question is Difference"])

  /// A locked account, unlocked by e-mail.
  public static let unlocking = OrgScenario(
    name: "unlock", summary: "a locked account, unlocked by e-mail",
    users: [.demo.with(.email).being(.locked)], policy: .with { $0.unlock = .init() },
    hints: ["the password is refused until the account is unlocked: type ? at the user name"])

  /// A locked account that the classic API tells of, unlocked by e-mail.
  public static let lockoutShown = OrgScenario(
    name: "locked-shown", summary: "a locked account, said to be locked where that can be said",
    users: [.demo.with(.email).being(.locked)],
    policy: .with {
      $0.unlock = .init()
      $0.showsLockouts = true
    },
    hints: ["the password is refused until the account is unlocked: type ? at the user name"])

  /// A new account, in steps.
  public static let registration = OrgScenario(
    name: "register", summary: "a new account: profile, password, then e-mail if you like",
    policy: .with(optional: [.email]) { $0.registration = .init() },
    hints: ["type ? at the user name to sign up; ada@example.com is taken"])

  /// A new account, the password in the form of the profile.
  public static let registrationWithPassword = OrgScenario(
    name: "register-password", summary: "a new account, profile and password in one form",
    policy: .with { $0.registration = .init(takesPassword: true) },
    hints: ["type ? at the user name to sign up; ada@example.com is taken"])

  /// A new account that waits for its address to be verified.
  public static let registrationWithMail = OrgScenario(
    name: "register-verify-mail", summary: "a new account that waits for a mail to be followed",
    policy: .with { $0.registration = .init(verifiesMail: true) },
    hints: ["type ? at the user name to sign up; ada@example.com is taken"])

  /// One more attribute of the profile, required.
  public static let progressiveProfile = after(
    .profile, "progressive-profile", "a password, then one more line for the profile")

  /// Three more attributes of the profile, optional.
  public static let profileUpdate = after(
    .profileUpdate, "profile-update", "a password, then more for the profile if you like")

  /// A locked account without a way to unlock it.
  public static let locked = OrgScenario(
    name: "locked", summary: "an account that is locked and stays so",
    users: [.demo.being(.locked)], policy: .passwordOnly,
    hints: ["the account is locked, so that the right password is refused like a wrong one"])

  // MARK: Passwords

  /// A password that has expired.
  public static let passwordExpired = OrgScenario(
    name: "password-expired", summary: "a password that must be replaced",
    users: [.demo.being(.passwordExpired)], policy: .passwordOnly)

  /// A password that expires soon.
  public static let passwordExpiring = OrgScenario(
    name: "password-expiring", summary: "a password that expires in four days",
    users: [.demo.expiring], policy: .passwordOnly)

  /// An expired password that is changed at another site.
  public static let passwordElsewhere = OrgScenario(
    name: "password-elsewhere", summary: "an expired password that is changed elsewhere",
    users: [.demo.being(.passwordExpired)], policy: .with { $0.passwordSite = .init() },
    hints: ["nothing that is typed here changes it: start over once it is changed there"])

  /// A password that expires soon and is changed at another site.
  public static let passwordElsewhereWarning = OrgScenario(
    name: "password-elsewhere-warning",
    summary: "a password that expires in four days and is changed elsewhere",
    users: [.demo.expiring], policy: .with { $0.passwordSite = .init() })

  // MARK: Other ways in

  /// Identity providers beside the user name.
  public static let identityProviders = OrgScenario(
    name: "idp", summary: "a password, or one of two identity providers",
    policy: .with { $0.identityProviders = [.google, .company] })

  /// An identity provider as the only way in.
  public static let identityProviderOnly = OrgScenario(
    name: "idp-only", summary: "an identity provider as the only way in",
    policy: .with {
      $0.identityProviders = [.company]
      $0.identityProvidersOnly = true
    })

  /// An identity provider as a factor.
  public static let identityProviderFactor = OrgScenario(
    name: "idp-factor", summary: "a password, then an identity provider as a factor",
    users: [.demo.with(.identityProvider)], policy: .required(.externalIdentityProvider))

  /// An identity provider, after which a code is asked for.
  public static let identityProviderMoreSteps = OrgScenario(
    name: "idp-more-steps", summary: "an identity provider, then a code by e-mail",
    users: [.demo.with(.email)],
    policy: .with(required: [.email]) { $0.identityProviders = [.google] })

  /// A smart card beside the user name.
  public static let smartCard = OrgScenario(
    name: "smart-card", summary: "a password, or a smart card",
    policy: .with { $0.smartCard = true })

  /// Okta FastPass beside the user name.
  public static let fastPass = OrgScenario(
    name: "fastpass", summary: "a password, or Okta FastPass", policy: .with { $0.fastPass = true })

  /// A captcha beside the user name, and a way in without it.
  public static let captcha = OrgScenario(
    name: "captcha", summary: "a captcha, which a terminal cannot show, or an identity provider",
    policy: .with {
      $0.captcha = true
      $0.identityProviders = [.google]
    })
}

extension SignInPolicy {
  static func with(
    required: [IDXAuthenticator.Key] = [], optional: [IDXAuthenticator.Key] = [],
    _ change: (inout AccountPolicy) -> Void
  ) -> SignInPolicy {
    var policy = SignInPolicy(required: required, optional: optional)
    change(&policy.accounts)
    return policy
  }
}

extension SimulatedUser {
  fileprivate var expiring: SimulatedUser {
    var user = self
    user.daysToPasswordExpiry = 4
    return user
  }

  fileprivate func being(_ status: Status) -> SimulatedUser {
    var user = self
    user.status = status
    return user
  }
}

extension SimulatedUser.Enrollment {
  fileprivate static let demoQuestion = securityQuestion(
    question: "Which engine came first?", answer: "Difference")
}

extension AccountPolicy.IdentityProvider {
  fileprivate static let google = Self(type: "GOOGLE", name: "Google")
  fileprivate static let company = Self(type: "OIDC", name: "Company sign-in")
}
