import IDXBase
import IDX

// Proving an authenticator that is set up.
extension OrgScenario {
  /// One for each authenticator, and for each way in which it may go.
  public static let factors: [OrgScenario] = [
    password, email, magicLink, phone, twoPhones, googleAuthenticator, push,
    pushWithNumberChallenge,
    rejectedPush, unansweredPush, automaticPush, oktaVerifyCode, customApp, customOTP, symantecVIP,
    yubiKey, rsaToken, rsaTokenWithNextCode, onPremisesToken, temporaryAccessCode, securityQuestion,
    nfcPIN, duo, severalFactors, phoneEnrollment, phoneEnrollmentInTwoSteps, oktaVerifyEnrollment,
    googleAuthenticatorEnrollment, securityQuestionEnrollment, symantecVIPEnrollment,
    yubiKeyEnrollment, rsaTokenEnrollment, nfcPINEnrollment, everyEnrollment,
  ]

  /// A password, and nothing beside it.
  public static let password = OrgScenario(
    name: "password", summary: "a password alone", policy: .passwordOnly)

  /// A password, then a code by e-mail, or the link beside it.
  public static let email = proving(
    "email", "a code by e-mail, or the link beside it", .email)

  /// A password, then a mail whose link is followed after some seconds, as if on a phone.
  public static let magicLink: OrgScenario = {
    var user = SimulatedUser.demo.with(.email)
    user.device.followsLinksAfter = 8
    return OrgScenario(
      name: "magic-link", summary: "a mail whose link is followed after some seconds",
      users: [user], policy: .required(.email),
      hints: ["type nothing at the code: the link is followed on the phone"])
  }()

  /// A password, then a code by SMS or in a call.
  public static let phone = proving("phone", "a code by SMS or in a call", .phone("+15550100142"))

  /// A password, then a code to one of two phones.
  public static let twoPhones = OrgScenario(
    name: "two-phones", summary: "a code to one of two phones",
    users: [.demo.with(.phone("+15550100142"), .phone("+15550100177"))],
    policy: .required(.phone))

  /// A password, then a code of Google Authenticator.
  public static let googleAuthenticator = proving(
    "google", "a code of Google Authenticator", .googleAuthenticator(secret: secret))

  /// A password, then a push that is approved after a few seconds.
  public static let push = proving(
    "push", "a push of Okta Verify, approved on the phone", .oktaVerify(secret: secret),
    replies: [.approve(after: 6)])

  /// A password, then a push for which the phone picks the number that the sign-in shows.
  public static let pushWithNumberChallenge = proving(
    "push-number", "a push of Okta Verify, with a number to pick on the phone",
    .oktaVerify(secret: secret), replies: [.approve(after: 10)]
  ) { $0.matchesNumbers = true }

  /// A password, then a push that is rejected once, and approved when it is sent again.
  public static let rejectedPush = proving(
    "push-rejected", "a push that is rejected once, then approved", .oktaVerify(secret: secret),
    replies: [.reject(after: 4), .approve(after: 4)])

  /// A password, then a push that nobody answers, and one that is approved.
  public static let unansweredPush = proving(
    "push-timeout", "a push that nobody answers for a minute, then one that is approved",
    .oktaVerify(secret: secret), replies: [.ignore, .approve(after: 4)])

  /// A password, then the question whether to push, and whether always to.
  public static let automaticPush = proving(
    "push-auto", "a push that is asked for first, and from then on sent by itself",
    .oktaVerify(secret: secret), replies: Array(repeating: .approve(after: 4), count: 20)
  ) { $0.asksBeforePush = true }

  /// A password, then a code that Okta Verify shows; its pushes go unanswered.
  public static let oktaVerifyCode = proving(
    "okta-verify-code", "a code of Okta Verify, whose pushes nobody answers",
    .oktaVerify(secret: secret))

  /// A password, then a push of an app of the org's own.
  public static let customApp = proving(
    "custom-app", "a push of the org's own app, rejected once, then approved", .customApp,
    replies: [.reject(after: 4), .approve(after: 4)])

  /// A password, then a code of a token that an administrator has handed out.
  public static let customOTP = proving(
    "custom-otp", "a code of a token that an administrator has handed out",
    .customOTP(secret: secret))

  /// A password, then a code of Symantec VIP.
  public static let symantecVIP = proving(
    "symantec-vip", "a code of Symantec VIP", .symantecVIP(secret: secret))

  /// A password, then the touch of a YubiKey.
  public static let yubiKey = proving(
    "yubikey", "a code that a YubiKey types", .yubiKey(secret: secret))

  /// A password, then a code of RSA SecurID.
  public static let rsaToken = proving("rsa", "a code of RSA SecurID", .rsa(secret: secret))

  /// A password, then a code of RSA SecurID, and the one after it.
  public static let rsaTokenWithNextCode = proving(
    "rsa-next-token", "a code of RSA SecurID, and the one after it",
    .rsa(secret: secret, wantsNextCode: true))

  /// A password, then a code of a token that a server of the org's own knows.
  public static let onPremisesToken = proving(
    "onprem", "a code of a token that a server of the org's own knows",
    .onPremises(secret: secret))

  /// A password, then a code that an administrator has issued.
  public static let temporaryAccessCode = proving(
    "temporary-code", "a code that an administrator has issued",
    .temporaryAccessCode("ocean-lamp-41"))

  /// A password, then the answer to a question.
  public static let securityQuestion = OrgScenario(
    name: "security-question", summary: "the answer to a question",
    users: [.demo.with(question)], policy: .required(.securityQuestion), hints: [answerHint])

  /// A password, then the PIN of an NFC tag.
  public static let nfcPIN = proving("nfc-pin", "the PIN of an NFC tag", .nfcPIN("271828"))

  /// A password, then Duo, which no terminal can show, or e-mail.
  public static let duo = OrgScenario(
    name: "duo", summary: "Duo, which needs a browser, or e-mail instead of it",
    users: [.demo.with(.duo, .email)], policy: .optional(.duo, .email))

  /// A password, then one of many authenticators.
  public static let severalFactors = OrgScenario(
    name: "choose-factor", summary: "one of many authenticators",
    users: [
      .demo.with(
        .email, .phone("+15550100142"), .phone("+15550100177"),
        .googleAuthenticator(secret: secret), .oktaVerify(secret: secret), question, .duo
      ).answering([.approve(after: 6)])
    ],
    policy: .optional(
      .email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .duo),
    hints: [answerHint])

  private static let secret: Secret = "NBQXAZDFOJSXGZLB"
  private static let question = SimulatedUser.Enrollment.securityQuestion(
    question: "What does the engine weave?", answer: "Algebraic patterns")
  private static let answerHint = "the answer to the security question is algebraic patterns"

  /// The demo user with one authenticator, which has to be proved.
  private static func proving(
    _ name: String, _ summary: String, _ enrollment: SimulatedUser.Enrollment,
    replies: [SimulatedUser.Device.PushReply] = [],
    rules change: (inout SignInPolicy.FactorRules) -> Void = { _ in }
  ) -> OrgScenario {
    OrgScenario(
      name: name, summary: summary, users: [.demo.with(enrollment).answering(replies)],
      policy: .required(enrollment.authenticator).with(change))
  }
}

extension SimulatedUser {
  /// The user with a telephone that answers pushes so.
  fileprivate func answering(_ replies: [Device.PushReply]) -> SimulatedUser {
    var user = self
    user.device.pushReplies = replies
    return user
  }
}
