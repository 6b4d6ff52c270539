import IDX
import IDXBase

// To add a scenario, add a row and name it in its list.
extension OrgScenario {
  /// Scenarios about authenticators other than passkeys.
  public static let factors: [OrgScenario] = [
    password, email, magicLink, phone, twoPhones, googleAuthenticator, push,
    pushWithNumberChallenge, rejectedPush, unansweredPush, automaticPush, oktaVerifyCode,
    customApp, customOTP, symantecVIP, yubiKey, rsaToken, rsaTokenWithNextCode, onPremisesToken,
    temporaryAccessCode, securityQuestion, nfcPIN, duo, severalFactors, phoneEnrollment,
    phoneEnrollmentInTwoSteps, oktaVerifyEnrollment, googleAuthenticatorEnrollment,
    securityQuestionEnrollment, symantecVIPEnrollment, yubiKeyEnrollment, rsaTokenEnrollment,
    nfcPINEnrollment, everyEnrollment,
  ]

  static let passkeys: [OrgScenario] = [passkey, enrollPasskey, passkeyPromotion]

  // MARK: After the password, an authenticator that is set up

  /// A password, and nothing else.
  public static let password = OrgScenario(
    name: "password", summary: "a password alone", policy: .passwordOnly, protocols: .every)
  /// A code by e-mail, or the link beside it.
  public static let email = verifying(
    "email", "a code by e-mail, or the link beside it", .email, in: .every)
  /// A mail whose link is followed after some seconds, as on a phone.
  public static let magicLink = OrgScenario(
    name: "magic-link", summary: "a mail whose link is followed after some seconds",
    users: [.demo.with(.email).with { $0.device.followsLinksAfter = 8 }], policy: .required(.email),
    hints: ["type nothing at the code: the link is followed on the phone"])
  /// A code by SMS or call.
  public static let phone = verifying(
    "phone", "a code by SMS or in a call", .phone("+15550100142"), in: .every)
  /// A code to one of two phones.
  public static let twoPhones = OrgScenario(
    name: "two-phones", summary: "a code to one of two phones",
    users: [.demo.with(.phone("+15550100142"), .phone("+15550100177"))],
    policy: .required(.phone), protocols: .idxAndClassic)
  /// A code of Google Authenticator.
  public static let googleAuthenticator = verifying(
    "google", "a code of Google Authenticator", .googleAuthenticator(secret: secret), in: .every)
  /// A push that is approved after a few seconds.
  public static let push = verifying(
    "push", "a push of Okta Verify, approved on the phone", .oktaVerify(secret: secret),
    in: .every, replies: [.approve(after: 6)])
  /// A push for which the phone picks the number that the sign-in shows.
  public static let pushWithNumberChallenge = verifying(
    "push-number", "a push of Okta Verify, with a number to pick on the phone",
    .oktaVerify(secret: secret), in: .every, replies: [.approve(after: 10)]
  ) { $0.matchesNumbers = true }
  /// A push that is rejected once, and approved when it is sent again.
  public static let rejectedPush = verifying(
    "push-rejected", "a push that is rejected once, then approved", .oktaVerify(secret: secret),
    in: .every, replies: [.reject(after: 4), .approve(after: 4)])
  /// A push that nobody answers, and one that is approved.
  public static let unansweredPush = verifying(
    "push-timeout", "a push that nobody answers for a minute, then one that is approved",
    .oktaVerify(secret: secret), in: .every, replies: [.ignore, .approve(after: 4)])
  /// The question whether to send a push, and whether to do so from now on.
  public static let automaticPush = verifying(
    "push-auto", "a push that is asked for first, and from then on sent by itself",
    .oktaVerify(secret: secret), replies: Array(repeating: .approve(after: 4), count: 20)
  ) { $0.asksBeforePush = true }
  /// A code of Okta Verify, whose pushes nobody answers.
  public static let oktaVerifyCode = verifying(
    "okta-verify-code", "a code of Okta Verify, whose pushes nobody answers",
    .oktaVerify(secret: secret), in: .idxAndClassic)
  /// A push of an app of the organization.
  public static let customApp = verifying(
    "custom-app", "a push of the org's own app, rejected once, then approved", .device(.customApp),
    replies: [.reject(after: 4), .approve(after: 4)])
  /// A code of a token from an administrator.
  public static let customOTP = verifying(
    "custom-otp", "a code of a token from an administrator", .token(.customOTP, secret: secret))
  /// A code of Symantec VIP.
  public static let symantecVIP = verifying(
    "symantec-vip", "a code of Symantec VIP", .token(.symantecVIP, secret: secret),
    in: .idxAndClassic)
  /// The touch of a YubiKey.
  public static let yubiKey = verifying(
    "yubikey", "a code that a YubiKey types", .token(.yubiKey, secret: secret), in: .idxAndClassic)
  /// A code of RSA SecurID.
  public static let rsaToken = verifying(
    "rsa", "a code of RSA SecurID", .token(.rsa, secret: secret), in: .idxAndClassic)
  /// A code of RSA SecurID, and the next one.
  public static let rsaTokenWithNextCode = verifying(
    "rsa-next-token", "a code of RSA SecurID, and the next one",
    .token(.rsa, secret: secret, wantsNextCode: true), in: .idxAndClassic)
  /// A code of a token that a server of the organization knows.
  public static let onPremisesToken = verifying(
    "onprem", "a code of a token that a server of the org's own knows",
    .token(.onPremises, secret: secret))
  /// A code that an administrator has issued.
  public static let temporaryAccessCode = verifying(
    "temporary-code", "a code that an administrator has issued",
    .code(.temporaryAccessCode, "ocean-lamp-41"))
  /// The answer to a question.
  public static let securityQuestion = OrgScenario(
    name: "security-question", summary: "the answer to a question", users: [.demo.with(question)],
    policy: .required(.securityQuestion), hints: [answerHint], protocols: .idxAndClassic)
  /// The PIN of an NFC tag.
  public static let nfcPIN = verifying("nfc-pin", "the PIN of an NFC tag", .code(.nfcPIN, "271828"))
  /// Duo, which needs a browser, or e-mail.
  public static let duo = OrgScenario(
    name: "duo", summary: "Duo, which needs a browser, or e-mail instead of it",
    users: [.demo.with(.device(.duo), .email)], policy: .optional(.duo, .email))
  /// One of many authenticators.
  public static let severalFactors = OrgScenario(
    name: "choose-factor", summary: "one of many authenticators",
    users: [
      .demo.with(
        .email, .phone("+15550100142"), .phone("+15550100177"),
        .googleAuthenticator(secret: secret), .oktaVerify(secret: secret), question,
        .device(.duo)
      ).with { $0.device.pushReplies = [.approve(after: 6)] }
    ],
    policy: .optional(.email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .duo),
    hints: [answerHint], protocols: .every)
  /// The passkey of ``SoftwareAuthenticator/demo``.
  public static let passkey = OrgScenario(
    name: "passkey", summary: "a password, then a passkey that is set up",
    users: [.demo.with(.passkey(.demo, name: "Demo key"))], policy: .required(.webAuthn),
    hints: ["The passkey is held by a software authenticator."], protocols: .every)

  // MARK: After the password, an authenticator to set up

  /// A phone to set up.
  public static let phoneEnrollment = settingUp(
    "enroll-phone", "a phone to set up by SMS or a call", .phone, in: .idxAndClassic)
  /// A phone to set up, whose number is asked for in a form of its own.
  public static let phoneEnrollmentInTwoSteps = OrgScenario(
    name: "enroll-phone-two-steps", summary: "a phone to set up, in two forms",
    policy: .required(.phone).with { $0.asksNumberSeparately = true })
  /// Okta Verify to set up, which the phone does after some seconds.
  public static let oktaVerifyEnrollment = settingUp(
    "enroll-okta-verify", "Okta Verify to set up, by QR code, e-mail or SMS", .oktaVerify,
    in: .idxAndClassic)
  /// Google Authenticator to set up.
  public static let googleAuthenticatorEnrollment = settingUp(
    "enroll-google", "Google Authenticator to set up", .googleAuthenticator, in: .idxAndClassic)
  /// A security question to set up.
  public static let securityQuestionEnrollment = settingUp(
    "enroll-question", "a security question to set up", .securityQuestion, in: .idxAndClassic)
  /// A Symantec VIP token to set up with two codes in a row.
  public static let symantecVIPEnrollment = settingUp(
    "enroll-symantec-vip", "a Symantec VIP token to set up", .symantecVIP, hints: [credentialHint])
  /// A YubiKey to set up.
  public static let yubiKeyEnrollment = settingUp("enroll-yubikey", "a YubiKey to set up", .yubiKey)
  /// An RSA SecurID token to set up.
  public static let rsaTokenEnrollment = settingUp(
    "enroll-rsa", "an RSA SecurID token to set up", .rsa)
  /// An NFC tag to set up with a PIN.
  public static let nfcPINEnrollment = settingUp(
    "enroll-nfc-pin", "an NFC tag to set up, and its PIN", .nfcPIN)
  /// Everything that a user can set up, as much as the user likes.
  public static let everyEnrollment = OrgScenario(
    name: "enroll-all", summary: "everything to set up that a user can, as much as they like",
    users: [userWithPhone],
    policy: .optional(
      .email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .symantecVIP, .yubiKey,
      .rsa, .onPremises, .nfcPIN, .duo), hints: [credentialHint], protocols: .idxAndClassic)
  /// A passkey to set up.
  public static let enrollPasskey = OrgScenario(
    name: "enroll-passkey", summary: "a password, then a passkey to set up",
    policy: .required(.webAuthn))
  /// A passkey that is offered, and can be skipped.
  public static let passkeyPromotion = OrgScenario(
    name: "passkey-promotion",
    summary: "a password, then a passkey is offered, which may be skipped",
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
  /// A user whose phone does its part of a set-up after some seconds.
  private static let userWithPhone = SimulatedUser.demo.with { $0.device.setsUpAfter = 8 }

  /// The demo user must verify this authenticator.
  private static func verifying(
    _ name: String, _ summary: String, _ enrollment: SimulatedUser.Enrollment,
    in protocols: Set<SignInProtocol> = [.idx], replies: [SimulatedUser.Device.PushReply] = [],
    rules change: (inout SignInPolicy.FactorRules) -> Void = { _ in }
  ) -> OrgScenario {
    OrgScenario(
      name: name, summary: summary,
      users: [.demo.with(enrollment).with { $0.device.pushReplies = replies }],
      policy: .required(enrollment.authenticator).with(change), protocols: protocols)
  }

  /// The demo user must set up this authenticator.
  private static func settingUp(
    _ name: String, _ summary: String, _ key: IDXAuthenticator.Key,
    in protocols: Set<SignInProtocol> = [.idx], hints: [String] = []
  ) -> OrgScenario {
    OrgScenario(
      name: name, summary: summary, users: [userWithPhone], policy: .required(key), hints: hints,
      protocols: protocols)
  }
}
