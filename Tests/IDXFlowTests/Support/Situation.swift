import IDX
import IDXFlow
import IDXTesting
import Testing

/// What a person replies in a situation, and how that ends.
struct Situation: Sendable, CustomTestStringConvertible {
  enum End: Sendable, Hashable {
    case tokens
    case message(IDXMessage.Key)
    /// The person gives up; this, if anything, is in the way.
    case givenUp(UnsupportedStep.Kind?)
  }

  let name: String
  var goal: Goal?
  var passkeys: (any PasskeyProvider)?
  var end = End.tokens
  let replies: @Sendable (Scene) -> [ScriptedReply]

  var testDescription: String { name }

  init(
    _ name: String, _ end: End = .tokens, goal: Goal? = nil,
    passkeys: (any PasskeyProvider)? = nil,
    _ replies: @escaping @Sendable (Scene) -> [ScriptedReply]
  ) {
    self.name = name
    self.goal = goal
    self.passkeys = passkeys
    self.end = end
    self.replies = replies
  }

  /// One in which user name and password come first.
  static func signingIn(
    _ name: String, _ end: End = .tokens, passkeys: (any PasskeyProvider)? = nil,
    _ rest: @escaping @Sendable (Scene) -> [ScriptedReply] = { _ in [] }
  ) -> Situation {
    Situation(name, end, passkeys: passkeys) { ScriptedReply.entry + rest($0) }
  }

  static let all = factors + enrollments + passkeys + accounts

  private static let push: @Sendable (Scene) -> [ScriptedReply] = { _ in
    [.answer("authenticator.methodType", "push")]
  }

  private static let factors: [Situation] = [
    .signingIn("basic") { _ in [.instead("authenticator", .skip)] },
    .signingIn("password"),
    .signingIn("email") { [$0.mailed()] },
    .signingIn("magic-link") { _ in [.elsewhere("credentials.passcode") {}] },
    .signingIn("phone") { [.answer("authenticator.methodType", "sms"), $0.mailed()] },
    .signingIn("two-phones") {
      [
        .answer("authenticator", .option(1)), .answer("authenticator.methodType", "voice"),
        $0.mailed(),
      ]
    },
    .signingIn("google") { [$0.shown(by: .googleAuthenticator)] },
    .signingIn("push") { push($0) },
    .signingIn("push-number") { push($0) },
    .signingIn("push-rejected") { push($0) + [.instead("resend", .resend)] },
    .signingIn("push-timeout") { push($0) + [.instead("resend", .resend)] },
    .signingIn("push-auto") {
      push($0) + [.answer("authenticator.autoChallenge", true)]
    },
    .signingIn("okta-verify-code") {
      [
        .answer("authenticator.methodType", "totp"),
        $0.shown(by: .oktaVerify, "credentials.totp"),
      ]
    },
    .signingIn("custom-app") { _ in [.instead("resend", .resend)] },
    .signingIn("custom-otp") { [$0.shown(by: "custom_otp")] },
    .signingIn("symantec-vip") { [$0.shown(by: "symantec_vip")] },
    .signingIn("yubikey") { [$0.shown(by: "yubikey_token")] },
    .signingIn("rsa") { [$0.shown(by: "rsa_token")] },
    .signingIn("rsa-next-token") {
      [$0.shown(by: "rsa_token"), $0.shown(by: "rsa_token")]
    },
    .signingIn("onprem") { [$0.shown(by: "onprem_mfa")] },
    .signingIn("temporary-code") { [$0.shown(by: "tac")] },
    .signingIn("security-question") { _ in
      [.answer("credentials.answer", "algebraic patterns")]
    },
    .signingIn("nfc-pin") { [$0.shown(by: "nfc_pin")] },
    .signingIn("duo") {
      [
        .authenticator("duo"), .authenticator(.email), $0.mailed(),
      ]
    },
    .signingIn("choose-factor") { _ in
      [.authenticator(.oktaVerify), .answer("authenticator.methodType", "push")]
    },
  ]

  private static let enrollments: [Situation] = [
    .signingIn("enroll-phone") {
      [
        .authenticator(.phone), .answer("authenticator.methodType", "sms"),
        .answer("authenticator.phoneNumber", "+15550100188"), $0.mailed(),
      ]
    },
    .signingIn("enroll-phone-two-steps") {
      [
        .authenticator(.phone), .answer("authenticator.methodType", "voice"),
        .answer("authenticator.phoneNumber", "+15550100188"), $0.mailed(),
      ]
    },
    .signingIn("enroll-okta-verify") { _ in
      [.authenticator(.oktaVerify), .answer("authenticator.channel", "qrcode")]
    },
    .signingIn("enroll-google") { _ in
      [.authenticator(.googleAuthenticator), .totp("credentials.passcode")]
    },
    .signingIn("enroll-question") { _ in
      [
        .authenticator(.securityQuestion), .answer("credentials", .option(0)),
        .answer("credentials.questionKey", "first_concert"),
        .answer("credentials.answer", "Loom Lane"),
      ]
    },
    .signingIn("enroll-symantec-vip") { scene in
      [
        .authenticator("symantec_vip"),
        .answer("credentials.credentialId", .text(SimulatedUser.demo.symantecCredentialID)),
        scene.shown(by: "symantec_vip"),
        scene.shown(by: "symantec_vip", "credentials.nextPasscode", ahead: 1),
      ]
    },
    .signingIn("enroll-yubikey") {
      [.authenticator("yubikey_token"), $0.shown(by: "yubikey_token")]
    },
    .signingIn("enroll-rsa") {
      [
        .authenticator("rsa_token"), .nothing("credentials.clientData"),
        $0.shown(by: "rsa_token"),
      ]
    },
    .signingIn("enroll-nfc-pin") { _ in
      [.authenticator("nfc_pin"), .passcode("31415")]
    },
    .signingIn("enroll-all") {
      [
        .authenticator(.email), $0.mailed(),
        .authenticator(.oktaVerify), .answer("authenticator.channel", "sms"),
        .answer("phoneNumber", "+15550100188"),
        .instead("authenticator", .skip),
      ]
    },
  ]

  private static let passkeys: [Situation] = [
    .signingIn("passkey", passkeys: SoftwareAuthenticator([.demo])),
    .signingIn("enroll-passkey", passkeys: SoftwareAuthenticator()) { _ in
      [.authenticator(.webAuthn)]
    },
    .signingIn("passkey-promotion") { _ in
      [.instead("enroll-authenticator-promotion", .skip)]
    },
  ]
}
