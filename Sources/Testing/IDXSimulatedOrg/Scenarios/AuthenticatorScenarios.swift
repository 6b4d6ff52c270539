import IDXFlow
import IDX
import IDXBase

// To add a scenario, add a row and list its name.
extension OrgScenario {
  /// Scenarios about authenticators other than passkeys.
  public static let factors = challenges + enrollments

  /// Scenarios about authenticators that are set up already.
  static let challenges: [OrgScenario] = [
    password, email, emailWithLetters, magicLink, phone, twoPhones, googleAuthenticator, push,
    pushWithNumberChallenge, rejectedPush, unansweredPush, automaticPush, oktaVerifyCode,
    fastPassFactor, oktaVerifyApart, customApp, customOTP, symantecVIP, yubiKey, rsaToken,
    rsaTokenWithNextCode, onPremisesToken, temporaryAccessCode, securityQuestion, nfcPIN, duo,
    severalFactors,
  ]

  /// Scenarios about authenticators to set up.
  static let enrollments: [OrgScenario] = [
    phoneEnrollment, phoneEnrollmentInTwoSteps, oktaVerifyEnrollment,
    googleAuthenticatorEnrollment, securityQuestionEnrollment, symantecVIPEnrollment,
    yubiKeyEnrollment, rsaTokenEnrollment, nfcPINEnrollment, everyEnrollment,
  ]

  static let passkeys: [OrgScenario] = [passkey, enrollPasskey, passkeyPromotion]

  // MARK: Authenticators to verify after the password

  /// Only a password (`password`).
  public static let password = OrgScenario(
    name: "password", summary: "only a password", policy: .passwordOnly, protocols: .every)
  /// A code or a link by email (`email`).
  public static let email = verifying(
    "email", "a code or a link by email", .email, in: .every)
  /// A code of letters and digits by email (`email-letters`).
  public static let emailWithLetters = verifying(
    "email-letters", "a code of letters and digits by email", .email
  ) { $0.mailsCodeWithLetters = true }
  /// A link by email that is opened after some seconds, as on a phone (`magic-link`).
  public static let magicLink = OrgScenario(
    name: "magic-link", summary: "a link by email that is opened after some seconds",
    users: [.demo.with(.email).with { $0.device.followsLinksAfter = 8 }], policy: .required(.email),
    hints: ["do not enter the code: the link is opened on the phone"])
  /// A code by SMS or call (`phone`).
  public static let phone = verifying(
    "phone", "a code by SMS or call", .phone("+15550100142"), in: .every)
  /// A code to one of two phones (`two-phones`).
  public static let twoPhones = OrgScenario(
    name: "two-phones", summary: "a code to one of two phones",
    users: [.demo.with(.phone("+15550100142"), .phone("+15550100177"))],
    policy: .required(.phone), protocols: .idxAndClassic)
  /// A code from Google Authenticator (`google`).
  public static let googleAuthenticator = verifying(
    "google", "a code from Google Authenticator", .googleAuthenticator(secret: secret), in: .every)
  /// A push that is approved after a few seconds (`push`).
  public static let push = verifying(
    "push", "an Okta Verify push, approved on the phone", .oktaVerify(secret: secret),
    in: .every, reactions: [.approve(after: 6)])
  /// A push with a number to choose on the phone (`push-number`).
  public static let pushWithNumberChallenge = verifying(
    "push-number", "an Okta Verify push, with a number to choose on the phone",
    .oktaVerify(secret: secret), in: .every, reactions: [.approve(after: 10)]
  ) { $0.matchesNumbers = true }
  /// A push that is rejected once, and approved when it is sent again (`push-rejected`).
  public static let rejectedPush = verifying(
    "push-rejected", "a push that is rejected once, then approved", .oktaVerify(secret: secret),
    in: .every, reactions: [.reject(after: 4), .approve(after: 4)])
  /// A push that times out, and one that is approved (`push-timeout`).
  public static let unansweredPush = verifying(
    "push-timeout", "a push that times out after a minute, then one that is approved",
    .oktaVerify(secret: secret), in: .every, reactions: [.ignore, .approve(after: 4)])
  /// A question before a push is sent, which can allow all later pushes (`push-auto`).
  public static let automaticPush = verifying(
    "push-auto", "a push that is sent after a question, and later without asking",
    .oktaVerify(secret: secret), reactions: Array(repeating: .approve(after: 4), count: 20)
  ) { $0.asksBeforePush = true }
  /// A code from Okta Verify; its pushes time out (`okta-verify-code`).
  public static let oktaVerifyCode = verifying(
    "okta-verify-code", "a code from Okta Verify; its pushes time out",
    .oktaVerify(secret: secret), in: .idxAndClassic)
  /// A password, then Okta FastPass, a push or a code of Okta Verify (`fastpass-factor`).
  public static let fastPassFactor = verifying(
    "fastpass-factor", "a password, then Okta Verify on this computer, a push or a code",
    .oktaVerify(secret: secret), reactions: [.approve(after: 6)]
  ) { $0.offersFastPass = true }
  /// Okta FastPass, a push or a code, each as an authenticator of its own (`okta-verify-apart`).
  public static let oktaVerifyApart = OrgScenario(
    name: "okta-verify-apart",
    summary: "Okta Verify on this computer, a push or a code, each as its own authenticator",
    users: [
      .demo.with(
        .device(.oktaVerifyFastPass), .device(.oktaVerifyPush),
        .token(.oktaVerifyCode, secret: secret)
      ).with { $0.device.pushReactions = [.approve(after: 6)] }
    ],
    policy: .optional(.oktaVerifyFastPass, .oktaVerifyPush, .oktaVerifyCode).with {
      $0.offersFastPass = true
    }, hints: ["the phone answers the push by itself"])
  /// A push from an app of the organization (`custom-app`).
  public static let customApp = verifying(
    "custom-app", "a push from the organization's app, rejected once, then approved",
    .device(.customApp), reactions: [.reject(after: 4), .approve(after: 4)])
  /// A code from a token that an administrator has set up (`custom-otp`).
  public static let customOTP = verifying(
    "custom-otp", "a code from a token that an administrator has set up",
    .token(.customOTP, secret: secret))
  /// A code from Symantec VIP (`symantec-vip`).
  public static let symantecVIP = verifying(
    "symantec-vip", "a code from Symantec VIP", .token(.symantecVIP, secret: secret),
    in: .idxAndClassic)
  /// A code that a YubiKey types (`yubikey`).
  public static let yubiKey = verifying(
    "yubikey", "a code that a YubiKey types", .token(.yubiKey, secret: secret), in: .idxAndClassic)
  /// A code from RSA SecurID (`rsa`).
  public static let rsaToken = verifying(
    "rsa", "a code from RSA SecurID", .token(.rsa, secret: secret), in: .idxAndClassic)
  /// A code from RSA SecurID, and the next one (`rsa-next-token`).
  public static let rsaTokenWithNextCode = verifying(
    "rsa-next-token", "a code from RSA SecurID, then the next code",
    .token(.rsa, secret: secret, wantsNextCode: true), in: .idxAndClassic)
  /// A code from a token that a server of the organization checks (`onprem`).
  public static let onPremisesToken = verifying(
    "onprem", "a code from a token that the organization's server checks",
    .token(.onPremises, secret: secret))
  /// A code that an administrator has issued (`temporary-code`).
  public static let temporaryAccessCode = verifying(
    "temporary-code", "a code that an administrator has issued",
    .code(.temporaryAccessCode, "ocean-lamp-41"))
  /// The answer to a security question (`security-question`).
  public static let securityQuestion = OrgScenario(
    name: "security-question", summary: "the answer to a security question",
    users: [.demo.with(question)], policy: .required(.securityQuestion), hints: [answerHint],
    protocols: .idxAndClassic)
  /// The PIN of an NFC tag (`nfc-pin`).
  public static let nfcPIN = verifying("nfc-pin", "the PIN of an NFC tag", .code(.nfcPIN, "271828"))
  /// Duo, which needs a browser, or an email (`duo`).
  public static let duo = OrgScenario(
    name: "duo", summary: "Duo, which needs a browser, or an email instead",
    users: [.demo.with(.device(.duo), .email)], policy: .optional(.duo, .email))
  /// A choice of many authenticators (`choose-factor`).
  public static let severalFactors = OrgScenario(
    name: "choose-factor", summary: "a choice of many authenticators",
    users: [
      .demo.with(
        .email, .phone("+15550100142"), .phone("+15550100177"),
        .googleAuthenticator(secret: secret), .oktaVerify(secret: secret), question,
        .device(.duo)
      ).with { $0.device.pushReactions = [.approve(after: 6)] }
    ],
    policy: .optional(.email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .duo),
    hints: [answerHint], protocols: .every)
  /// The passkey of ``SoftwareAuthenticator/demo`` (`passkey`).
  public static let passkey = OrgScenario(
    name: "passkey", summary: "a password, then a passkey",
    users: [.demo.with(.passkey(.demo, name: "Demo key"))], policy: .required(.webAuthn),
    hints: ["the passkey is in a software authenticator"], protocols: .every)

  // MARK: Authenticators to set up after the password

  /// A phone to set up (`enroll-phone`).
  public static let phoneEnrollment = settingUp(
    "enroll-phone", "a phone to set up by SMS or call", .phone, in: .idxAndClassic)
  /// A phone to set up; the number has its own form (`enroll-phone-two-steps`).
  public static let phoneEnrollmentInTwoSteps = OrgScenario(
    name: "enroll-phone-two-steps", summary: "a phone to set up; the number has its own form",
    policy: .required(.phone).with { $0.asksNumberSeparately = true })
  /// Okta Verify to set up; the phone completes the setup after some seconds (`enroll-okta-verify`).
  public static let oktaVerifyEnrollment = settingUp(
    "enroll-okta-verify", "Okta Verify to set up, by QR code, email or SMS", .oktaVerify,
    in: .idxAndClassic)
  /// Google Authenticator to set up (`enroll-google`).
  public static let googleAuthenticatorEnrollment = settingUp(
    "enroll-google", "Google Authenticator to set up", .googleAuthenticator, in: .idxAndClassic)
  /// A security question to set up (`enroll-question`).
  public static let securityQuestionEnrollment = settingUp(
    "enroll-question", "a security question to set up", .securityQuestion, in: .idxAndClassic)
  /// A Symantec VIP token to set up with two codes in a row (`enroll-symantec-vip`).
  public static let symantecVIPEnrollment = settingUp(
    "enroll-symantec-vip", "a Symantec VIP token to set up", .symantecVIP, hints: [credentialHint])
  /// A YubiKey to set up (`enroll-yubikey`).
  public static let yubiKeyEnrollment = settingUp("enroll-yubikey", "a YubiKey to set up", .yubiKey)
  /// An RSA SecurID token to set up (`enroll-rsa`).
  public static let rsaTokenEnrollment = settingUp(
    "enroll-rsa", "an RSA SecurID token to set up", .rsa)
  /// An NFC tag to set up with a PIN (`enroll-nfc-pin`).
  public static let nfcPINEnrollment = settingUp(
    "enroll-nfc-pin", "an NFC tag to set up with a PIN", .nfcPIN)
  /// All authenticators that a user can set up, all optional (`enroll-all`).
  public static let everyEnrollment = OrgScenario(
    name: "enroll-all", summary: "all authenticators to set up, all optional",
    users: [userWithPhone],
    policy: .optional(
      .email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .symantecVIP, .yubiKey,
      .rsa, .onPremises, .nfcPIN, .duo), hints: [credentialHint], protocols: .idxAndClassic)
  /// A passkey to set up (`enroll-passkey`).
  public static let enrollPasskey = OrgScenario(
    name: "enroll-passkey", summary: "a password, then a passkey to set up",
    policy: .required(.webAuthn))
  /// A passkey that is offered and can be skipped (`passkey-promotion`).
  public static let passkeyPromotion = OrgScenario(
    name: "passkey-promotion",
    summary: "a password, then an optional passkey to set up",
    policy: {
      var policy = SignInPolicy(start: .withPassword)
      policy.promotesPasskey = true
      return policy
    }())

  // MARK: Parts of rows

  private static let secret: Secret = "NBQXAZDFOJSXGZLB"
  private static let question = SimulatedUser.Enrollment.securityQuestion(
    question: "What does the engine weave?", answer: "Algebraic patterns")
  private static let answerHint = "the answer to the security question is algebraic patterns"
  private static let credentialHint =
    "the Symantec VIP token has the ID \(SimulatedUser.demo.symantecCredentialID)"
  /// A user with a phone that completes setups after some seconds.
  private static let userWithPhone = SimulatedUser.demo.with { $0.device.setsUpAfter = 8 }

  /// A scenario in which the demo user must verify this authenticator.
  private static func verifying(
    _ name: String, _ summary: String, _ enrollment: SimulatedUser.Enrollment,
    in protocols: Set<SignInProtocol> = [.idx], reactions: [SimulatedUser.Device.PushReaction] = [],
    rules change: (inout SignInPolicy.FactorRules) -> Void = { _ in }
  ) -> OrgScenario {
    OrgScenario(
      name: name, summary: summary,
      users: [.demo.with(enrollment).with { $0.device.pushReactions = reactions }],
      policy: .required(enrollment.authenticator).with(change),
      hints: reactions.isEmpty ? [] : ["the phone answers the push by itself"], protocols: protocols
    )
  }

  /// A scenario in which the demo user must set up this authenticator.
  private static func settingUp(
    _ name: String, _ summary: String, _ key: IDXAuthenticator.Key,
    in protocols: Set<SignInProtocol> = [.idx], hints: [String] = []
  ) -> OrgScenario {
    OrgScenario(
      name: name, summary: summary, users: [userWithPhone], policy: .required(key), hints: hints,
      protocols: protocols)
  }
}
