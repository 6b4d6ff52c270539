import IDX

// To add an authenticator, add a row. Its check determines its behavior.
extension OrgAuthenticator {
  static let all: [OrgAuthenticator] = [
    OrgAuthenticator(
      key: .password, type: "password", displayName: "Password", idPrefix: "lae",
      methods: [
        Method(
          label: "Password", value: "password", check: PasswordCheck(), reference: "pwd",
          direct: .password)
      ]),
    OrgAuthenticator(
      key: .googleAuthenticator, type: "app", displayName: "Google Authenticator", idPrefix: "uft",
      methods: [
        Method(
          label: "Enter a code", value: "otp",
          check: DeviceCode(wrong: .wrongAppCode, used: .usedAppCode, showsSecret: true),
          classic: ClassicName("token:software:totp", "GOOGLE", "uft", canBeSetUp: true),
          direct: .otp)
      ], challengesEnrollment: false, namesMethod: false),
    OrgAuthenticator(
      key: .email, type: "email", displayName: "Email", idPrefix: "eae",
      methods: [
        Method(
          label: "Email", value: "email", check: SentCode(isMail: true),
          classic: ClassicName("email", "OKTA", "emf", canBeSetUp: true), direct: .outOfBand)
      ]),
    OrgAuthenticator(
      key: .phone, type: "phone", displayName: "Phone", idPrefix: "pae",
      methods: [
        Method(
          label: "SMS", value: "sms", check: SentCode(), reference: "sms",
          classic: ClassicName("sms", "OKTA", "mbl", canBeSetUp: true), direct: .outOfBand),
        Method(
          label: "Voice call", value: "voice", check: SentCode(), reference: "tel",
          classic: ClassicName("call", "OKTA", "clf", canBeSetUp: true), direct: .outOfBand),
      ], setUp: .byNumber, allowsSeveral: true),
    OrgAuthenticator(
      key: .securityQuestion, type: "security_question", displayName: "Security Question",
      idPrefix: "qae",
      methods: [
        Method(
          label: "Security Question", value: "security_question", check: QuestionCheck(),
          reference: "kba", classic: ClassicName("question", "OKTA", "ufs", canBeSetUp: true))
      ]),
    OrgAuthenticator(
      key: .oktaVerify, type: "app", displayName: "Okta Verify", idPrefix: "pfd",
      methods: [
        Method(
          label: "Get a push notification", value: "push", check: Push(matchesNumbers: true),
          reference: "swk", classic: ClassicName("push", "OKTA", "opf", canBeSetUp: true),
          direct: .outOfBand),
        Method(
          label: "Use Okta FastPass", value: "signed_nonce", check: FastPassCheck(),
          reference: "swk"),
        Method(
          label: "Enter a code", value: "totp", check: DeviceCode(field: "totp"),
          classic: ClassicName("token:software:totp", "OKTA", "ost"), direct: .otp),
      ], setUp: .inApp, ownSetUpCheck: AppSetUp(), challengesEnrollment: false,
      isChosenByEnrollment: false),
    // The methods of Okta Verify as authenticators of their own.
    OrgAuthenticator(
      key: .oktaVerifyPush, type: "app", displayName: "Okta Verify: notification", idPrefix: "pfd",
      methods: [
        Method(
          label: "Get a push notification", value: "push", check: Push(matchesNumbers: true),
          reference: "swk")
      ], setUp: .byAdministrator, challengesEnrollment: false, isChosenByEnrollment: false),
    OrgAuthenticator(
      key: .oktaVerifyFastPass, type: "app", displayName: "Okta FastPass", idPrefix: "pfd",
      methods: [
        Method(
          label: "Use Okta FastPass", value: "signed_nonce", check: FastPassCheck(),
          reference: "swk")
      ], setUp: .byAdministrator, challengesEnrollment: false, isChosenByEnrollment: false),
    OrgAuthenticator(
      key: .oktaVerifyCode, type: "app", displayName: "Okta Verify: code", idPrefix: "pfd",
      methods: [
        Method(label: "Enter a code", value: "totp", check: DeviceCode(field: "totp"))
      ], setUp: .byAdministrator, challengesEnrollment: false, isChosenByEnrollment: false),
    OrgAuthenticator(
      key: .customApp, type: "app", displayName: "Custom Push", idPrefix: "pfd",
      methods: [
        Method(label: "Get a push notification", value: "push", check: Push(), reference: "swk")
      ], setUp: .byAdministrator, challengesEnrollment: false, isChosenByEnrollment: false),
    OrgAuthenticator(
      key: .customOTP, type: "security_key", displayName: "Custom OTP", idPrefix: "dsf",
      methods: [
        Method(label: "Enter a code", value: "otp", check: DeviceCode(hasFieldMessage: false))
      ],
      setUp: .byAdministrator),
    OrgAuthenticator(
      key: .symantecVIP, type: "app", displayName: "Symantec VIP", idPrefix: "sym",
      methods: [
        Method(
          label: "Enter a code", value: "otp",
          check: DeviceCode(
            label: "Enter security code", wrong: .wrongAppCode, used: .usedAppCode,
            setUpForm: .credentialAndTwoCodes), classic: ClassicName("token", "SYMANTEC", "sym"))
      ], challengesEnrollment: false, namesMethod: false),
    OrgAuthenticator(
      key: .yubiKey, type: "security_key", displayName: "YubiKey Authenticator", idPrefix: "ykf",
      methods: [
        Method(
          label: "Touch the key", value: "otp",
          check: DeviceCode(
            label: "Insert the YubiKey and touch it", isSecret: true, source: .touches),
          reference: "hwk", classic: ClassicName("token:hardware", "YUBICO", "ykf"))
      ]),
    OrgAuthenticator(
      key: .rsa, type: "security_key", displayName: "RSA SecurID", idPrefix: "rsa",
      methods: [
        Method(
          label: "Enter a code", value: "otp", check: DeviceCode.serverToken,
          classic: ClassicName("token", "RSA", "rsa"))
      ]),
    OrgAuthenticator(
      key: .onPremises, type: "security_key", displayName: "On-Prem MFA", idPrefix: "opm",
      methods: [Method(label: "Enter a code", value: "otp", check: DeviceCode.serverToken)]),
    OrgAuthenticator(
      key: .temporaryAccessCode, type: "tac", displayName: "Temporary Access Code", idPrefix: "tac",
      methods: [
        Method(
          label: "Enter a code", value: "tac",
          check: FixedCode(label: "Enter code", wrong: .wrongCode))
      ], setUp: .byAdministrator),
    OrgAuthenticator(
      key: .nfcPIN, type: "proximity", displayName: "NFC", idPrefix: "nfc",
      methods: [
        Method(
          label: "NFC", value: "nfc_pin", check: FixedCode(label: "PIN", wrong: .wrongPIN),
          reference: "pin")
      ], setUp: .byTag, ownSetUpCheck: TagSetUp(), challengesEnrollment: false),
    OrgAuthenticator(
      key: .duo, type: "app", displayName: "Duo Security", idPrefix: "dsf",
      methods: [Method(label: "Duo", value: "duo", check: FrameCheck(), reference: "mca")]),
    OrgAuthenticator(
      key: .webAuthn, type: "security_key", displayName: "Passkey or security key", idPrefix: "fwf",
      methods: [
        Method(
          label: "Passkey or security key", value: "webauthn", check: PasskeyCheck(),
          reference: "hwk", classic: ClassicName("webauthn", "FIDO", "fwf"), direct: .webAuthn)
      ], challengesEnrollment: false, allowsSeveral: true),
    OrgAuthenticator(
      key: .externalIdentityProvider, type: "federated", displayName: "Company sign-in",
      idPrefix: "fed",
      methods: [
        Method(label: "Sign in elsewhere", value: "idp", check: RedirectCheck(), reference: "user")
      ]),
  ]
}

extension IDXAuthenticator.Key {
  // An org can name them in any way, so a client must not know these.
  static let oktaVerifyPush: Self = "okta_verify_push"
  static let oktaVerifyFastPass: Self = "okta_verify_fastpass"
  static let oktaVerifyCode: Self = "okta_verify_totp"
}
