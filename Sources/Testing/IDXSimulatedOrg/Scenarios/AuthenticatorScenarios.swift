import IDXFlow
import IDX
import IDXBase

extension OrgScenario {
  /// Scenarios about authenticators that are set up already.
  static let challenges: [OrgScenario] = [
    OrgScenario(
      name: "password", summary: "only a password", policy: .passwordOnly, protocols: .every),
    verifying(
      "email", "a code or a link by email", .email, in: .every),
    verifying(
      "email-letters", "a code of letters and digits by email", .email
    ) { $0.mailsCodeWithLetters = true },
    OrgScenario(
      name: "magic-link", summary: "a link by email that is opened after some seconds",
      users: [.demo.with(.email).with { $0.device.followsLinksAfter = 8 }],
      policy: .required(.email),
      hints: ["do not enter the code: the link is opened on the phone"]),
    verifying(
      "phone", "a code by SMS or call", .phone("+15550100142"), in: .every),
    OrgScenario(
      name: "two-phones", summary: "a code to one of two phones",
      users: [.demo.with(.phone("+15550100142"), .phone("+15550100177"))],
      policy: .required(.phone), protocols: .idxAndClassic),
    verifying(
      "google", "a code from Google Authenticator", .googleAuthenticator(secret: secret), in: .every
    ),
    verifying(
      "push", "an Okta Verify push, approved on the phone", .oktaVerify(secret: secret),
      in: .every, reactions: [.approve(after: 6)]),
    verifying(
      "push-number", "an Okta Verify push, with a number to choose on the phone",
      .oktaVerify(secret: secret), in: .every, reactions: [.approve(after: 10)]
    ) { $0.matchesNumbers = true },
    verifying(
      "push-rejected", "a push that is rejected once, then approved", .oktaVerify(secret: secret),
      in: .every, reactions: [.reject(after: 4), .approve(after: 4)]),
    verifying(
      "push-timeout", "a push that times out after a minute, then one that is approved",
      .oktaVerify(secret: secret), in: .every, reactions: [.ignore, .approve(after: 4)]),
    verifying(
      "push-auto", "a push that is sent after a question, and later without asking",
      .oktaVerify(secret: secret), reactions: Array(repeating: .approve(after: 4), count: 20)
    ) { $0.asksBeforePush = true },
    verifying(
      "okta-verify-code", "a code from Okta Verify; its pushes time out",
      .oktaVerify(secret: secret), in: .idxAndClassic),
    verifying(
      "fastpass-factor", "a password, then Okta Verify on this computer, a push or a code",
      .oktaVerify(secret: secret), reactions: [.approve(after: 6)]
    ) { $0.offersFastPass = true },
    OrgScenario(
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
      }, hints: ["the phone answers the push by itself"]),
    verifying(
      "custom-app", "a push from the organization's app, rejected once, then approved",
      .device(.customApp), reactions: [.reject(after: 4), .approve(after: 4)]),
    verifying(
      "custom-otp", "a code from a token that an administrator has set up",
      .token(.customOTP, secret: secret)),
    verifying(
      "symantec-vip", "a code from Symantec VIP", .token(.symantecVIP, secret: secret),
      in: .idxAndClassic),
    verifying(
      "yubikey", "a code that a YubiKey types", .token(.yubiKey, secret: secret), in: .idxAndClassic
    ),
    verifying(
      "rsa", "a code from RSA SecurID", .token(.rsa, secret: secret), in: .idxAndClassic),
    verifying(
      "rsa-next-token", "a code from RSA SecurID, then the next code",
      .token(.rsa, secret: secret, wantsNextCode: true), in: .idxAndClassic),
    verifying(
      "onprem", "a code from a token that the organization's server checks",
      .token(.onPremises, secret: secret)),
    verifying(
      "temporary-code", "a code that an administrator has issued",
      .code(.temporaryAccessCode, "ocean-lamp-41")),
    OrgScenario(
      name: "security-question", summary: "the answer to a security question",
      users: [.demo.with(question)], policy: .required(.securityQuestion), hints: [answerHint],
      protocols: .idxAndClassic),
    verifying("nfc-pin", "the PIN of an NFC tag", .code(.nfcPIN, "271828")),
    OrgScenario(
      name: "duo", summary: "Duo, which needs a browser, or an email instead",
      users: [.demo.with(.device(.duo), .email)], policy: .optional(.duo, .email)),
    OrgScenario(
      name: "choose-factor", summary: "a choice of many authenticators",
      users: [
        .demo.with(
          .email, .phone("+15550100142"), .phone("+15550100177"),
          .googleAuthenticator(secret: secret), .oktaVerify(secret: secret), question,
          .device(.duo)
        ).with { $0.device.pushReactions = [.approve(after: 6)] }
      ],
      policy: .optional(.email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .duo),
      hints: [answerHint], protocols: .every),
  ]

  /// Scenarios about authenticators to set up.
  static let enrollments: [OrgScenario] = [
    settingUp(
      "enroll-phone", "a phone to set up by SMS or call", .phone, in: .idxAndClassic),
    OrgScenario(
      name: "enroll-phone-two-steps", summary: "a phone to set up; the number has its own form",
      policy: .required(.phone).with { $0.asksNumberSeparately = true }),
    settingUp(
      "enroll-okta-verify", "Okta Verify to set up, by QR code, email or SMS", .oktaVerify,
      in: .idxAndClassic),
    settingUp(
      "enroll-google", "Google Authenticator to set up", .googleAuthenticator, in: .idxAndClassic),
    settingUp(
      "enroll-question", "a security question to set up", .securityQuestion, in: .idxAndClassic),
    settingUp(
      "enroll-symantec-vip", "a Symantec VIP token to set up", .symantecVIP, hints: [credentialHint]
    ),
    settingUp("enroll-yubikey", "a YubiKey to set up", .yubiKey),
    settingUp(
      "enroll-rsa", "an RSA SecurID token to set up", .rsa),
    settingUp(
      "enroll-nfc-pin", "an NFC tag to set up with a PIN", .nfcPIN),
    OrgScenario(
      name: "enroll-all", summary: "all authenticators to set up, all optional",
      users: [userWithPhone],
      policy: .optional(
        .email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .symantecVIP,
        .yubiKey,
        .rsa, .onPremises, .nfcPIN, .duo), hints: [credentialHint], protocols: .idxAndClassic),
  ]

  static let passkeys: [OrgScenario] = [
    OrgScenario(
      name: "passkey", summary: "a password, then a passkey",
      users: [.demo.with(.passkey(.demo, name: "Demo key"))], policy: .required(.webAuthn),
      hints: ["the passkey is in a software authenticator"], protocols: .every),
    OrgScenario(
      name: "enroll-passkey", summary: "a password, then a passkey to set up",
      policy: .required(.webAuthn)),
    OrgScenario(
      name: "passkey-promotion",
      summary: "a password, then an optional passkey to set up",
      policy: {
        var policy = SignInPolicy(start: .withPassword)
        policy.promotesPasskey = true
        return policy
      }()),
  ]

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
