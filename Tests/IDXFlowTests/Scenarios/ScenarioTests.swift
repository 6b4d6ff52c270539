import Expectations
import IDX
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import Testing

@Suite("Scenarios of the simulated org")
struct ScenarioTests {
  @Test(
    "A person reaches the end of each scenario, in different shapes of responses",
    .timeLimit(.minutes(10)), arguments: ScenarioCase.all,
    [[], [.optionsAsForms, .bareReferences, .flagsAsStrings, .unknownMembers]] as [ResponseShape])
  func scenario(scenario: ScenarioCase, shape: ResponseShape) async throws {
    let test = try TestSignIn(try #require(OrgScenario.named(scenario.name)), shape: shape)
    let (outcome, person) = try await test.run(
      scenario.replies(test), goal: scenario.goal, passkeys: scenario.passkeys)
    switch (outcome, scenario.end) {
    case (.signedIn(let signIn), .tokens):
      #expect(!signIn.credential.tokens.accessToken.revealed.isEmpty)
    case (.ended(let state), .message(let key)):
      expectEqual(state.response.allMessages.map(\.key), [key])
    case (.cancelled, .cancelled(let unsupportedStep)):
      await expectEqual(person.unsupportedSteps.map(\.kind), [unsupportedStep].compactMap(\.self))
    default: Issue.record("Unexpected end: \(outcome)")
    }
  }

  @Test("Every scenario has a case")
  func complete() {
    expectEqual(ScenarioCase.all.map(\.name).sorted(), OrgScenario.all.map(\.name).sorted())
  }

  @Test("In every shape of responses, all authenticators can be set up", arguments: 0..<16)
  func shapes(bits: Int) async throws {
    let test = try TestSignIn(
      .required(.googleAuthenticator, .email, .phone, .securityQuestion),
      shape: ResponseShape(rawValue: bits))
    let (outcome, person) = try await test.run([
      .login, .passcode("a guess"), .password,
      .authenticator(.googleAuthenticator), .passcode("000000"), .totp("credentials.passcode"),
      .authenticator(.email), test.sentCode(),
      .authenticator(.phone), .answer("authenticator.methodType", "sms"),
      .answer("authenticator.phoneNumber", "+15550100142"), test.sentCode(),
      .authenticator(.securityQuestion), .answer("credentials", .option(0)),
      .answer("credentials.questionKey", .option(1)), .answer("credentials.answer", "abc"),
      .answer("credentials.answer", "Loom Lane"),
    ])
    expectEqual(outcome.signIn?.user?.identifier, TestSignIn.login)
    await expectEqual(test.org.user(TestSignIn.login)?.enrollments.count, 4)
    let secret = await person.questions.map(\.input).first { $0.id == "credentials.passcode" }
    expectEqual(secret?.kind, .secret)
    #expect(await person.apps.first?.uri != nil)
  }
}

/// A scenario of the simulated org, with the replies of a person and how the sign-in ends.
struct ScenarioCase: Sendable, CustomTestStringConvertible {
  enum End: Sendable, Hashable {
    case tokens
    case message(IDXMessage.Key)
    /// The person cancels, after an unsupported step if there is one.
    case cancelled(UnsupportedStep.Kind?)
  }

  let name: String
  var goal: Goal?
  var passkeys: (any PasskeyProvider)?
  var end = End.tokens
  let replies: @Sendable (TestSignIn) -> [ScriptedReply]

  var testDescription: String { name }

  init(
    _ name: String, _ end: End = .tokens, goal: Goal? = nil,
    passkeys: (any PasskeyProvider)? = nil,
    _ replies: @escaping @Sendable (TestSignIn) -> [ScriptedReply]
  ) {
    self.name = name
    self.goal = goal
    self.passkeys = passkeys
    self.end = end
    self.replies = replies
  }

  /// A scenario that starts with the username and the password.
  static func signingIn(
    _ name: String, _ end: End = .tokens, passkeys: (any PasskeyProvider)? = nil,
    _ rest: @escaping @Sendable (TestSignIn) -> [ScriptedReply] = { _ in [] }
  ) -> ScenarioCase {
    ScenarioCase(name, end, passkeys: passkeys) { [.login, .password] + rest($0) }
  }

  static let all = factors + enrollments + passkeys + accounts

  private static let push: @Sendable (TestSignIn) -> [ScriptedReply] = { _ in
    [.answer("authenticator.methodType", "push")]
  }

  private static let factors: [ScenarioCase] = [
    .signingIn("basic") { _ in [.instead("authenticator", .skip)] },
    .signingIn("password"),
    .signingIn("email") { [$0.sentCode()] },
    .signingIn("magic-link") { _ in [.elsewhere("credentials.passcode") {}] },
    .signingIn("phone") { [.answer("authenticator.methodType", "sms"), $0.sentCode()] },
    .signingIn("two-phones") {
      [
        .answer("authenticator", .option(1)), .answer("authenticator.methodType", "voice"),
        $0.sentCode(),
      ]
    },
    .signingIn("google") { [$0.code(of: .googleAuthenticator)] },
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
        $0.code(of: .oktaVerify, "credentials.totp"),
      ]
    },
    .signingIn("custom-app") { _ in [.instead("resend", .resend)] },
    .signingIn("custom-otp") { [$0.code(of: "custom_otp")] },
    .signingIn("symantec-vip") { [$0.code(of: "symantec_vip")] },
    .signingIn("yubikey") { [$0.code(of: "yubikey_token")] },
    .signingIn("rsa") { [$0.code(of: "rsa_token")] },
    .signingIn("rsa-next-token") {
      [$0.code(of: "rsa_token"), $0.code(of: "rsa_token")]
    },
    .signingIn("onprem") { [$0.code(of: "onprem_mfa")] },
    .signingIn("temporary-code") { [$0.code(of: "tac")] },
    .signingIn("security-question") { _ in
      [.answer("credentials.answer", "algebraic patterns")]
    },
    .signingIn("nfc-pin") { [$0.code(of: "nfc_pin")] },
    .signingIn("duo") {
      [
        .authenticator("duo"), .authenticator(.email), $0.sentCode(),
      ]
    },
    .signingIn("choose-factor") { _ in
      [.authenticator(.oktaVerify), .answer("authenticator.methodType", "push")]
    },
  ]

  private static let enrollments: [ScenarioCase] = [
    .signingIn("enroll-phone") {
      [
        .authenticator(.phone), .answer("authenticator.methodType", "sms"),
        .answer("authenticator.phoneNumber", "+15550100188"), $0.sentCode(),
      ]
    },
    .signingIn("enroll-phone-two-steps") {
      [
        .authenticator(.phone), .answer("authenticator.methodType", "voice"),
        .answer("authenticator.phoneNumber", "+15550100188"), $0.sentCode(),
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
    .signingIn("enroll-symantec-vip") { test in
      [
        .authenticator("symantec_vip"),
        .answer("credentials.credentialId", .text(SimulatedUser.demo.symantecCredentialID)),
        test.code(of: "symantec_vip"),
        test.code(of: "symantec_vip", "credentials.nextPasscode", ahead: 1),
      ]
    },
    .signingIn("enroll-yubikey") {
      [.authenticator("yubikey_token"), $0.code(of: "yubikey_token")]
    },
    .signingIn("enroll-rsa") {
      [
        .authenticator("rsa_token"), .nothing("credentials.clientData"),
        $0.code(of: "rsa_token"),
      ]
    },
    .signingIn("enroll-nfc-pin") { _ in
      [.authenticator("nfc_pin"), .passcode("31415")]
    },
    .signingIn("enroll-all") {
      [
        .authenticator(.email), $0.sentCode(),
        .authenticator(.oktaVerify), .answer("authenticator.channel", "sms"),
        .answer("phoneNumber", "+15550100188"),
        .instead("authenticator", .skip),
      ]
    },
  ]

  private static let passkeys: [ScenarioCase] = [
    .signingIn("passkey", passkeys: SoftwareAuthenticator([.demo])),
    .signingIn("enroll-passkey", passkeys: SoftwareAuthenticator()) { _ in
      [.authenticator(.webAuthn)]
    },
    .signingIn("passkey-promotion") { _ in
      [.instead("enroll-authenticator-promotion", .skip)]
    },
  ]

  // MARK: Accounts and steps without an authenticator

  private static let newPassword: [ScriptedReply] = [
    .passcode("Mechanism-1831"), .passcode("Mechanism-1831"),
  ]

  private static let profile: [ScriptedReply] = [
    .answer("userProfile.firstName", "Mary"), .answer("userProfile.lastName", "Somerville"),
    .answer("userProfile.email", "mary@example.com"), .answer("userProfile.country", "GB"),
    .answer("userProfile.newsletter", true), .nothing("userProfile.nickname"),
  ]

  private static let sessions = ScriptedReply.answer("credentials.revokeSessions", true)

  private static let accounts: [ScenarioCase] = [
    ScenarioCase("recover", goal: .recover) { [.login, $0.sentCode()] + newPassword + [sessions] },
    ScenarioCase("recover-question", goal: .recover) { _ in
      [.login, .authenticator(.securityQuestion), .answer("credentials.answer", "Difference")]
        + newPassword + [sessions]
    },
    ScenarioCase("recover-phone", goal: .recover) {
      [.login, .answer("authenticator.methodType", "sms"), $0.sentCode()]
        + [.answer("credentials.answer", "Difference")] + newPassword + [sessions]
    },
    ScenarioCase(
      "unlock", .message("oie.selfservice.unlock_user.success.message"), goal: .unlock
    ) { [.login, .authenticator(.email), $0.sentCode()] },
    ScenarioCase(
      "locked-shown", .message("oie.selfservice.unlock_user.success.message"), goal: .unlock
    ) { [.login, .authenticator(.email), $0.sentCode()] },
    ScenarioCase("register", goal: .register) { _ in
      profile + [.authenticator(.password)] + newPassword + [.instead("authenticator", .skip)]
    },
    ScenarioCase("register-password", goal: .register) { _ in profile + newPassword },
    ScenarioCase(
      "register-verify-mail", .message("idx.email.verification.required"), goal: .register
    ) { _ in profile },
    .signingIn("progressive-profile") { _ in [.answer("userProfile.department", "Numbers")] },
    .signingIn("profile-update") { _ in
      [
        .nothing("userProfile.nickname"), .nothing("userProfile.secondEmail"),
        .answer("userProfile.city", "London"),
      ]
    },
    .signingIn("password-expired") { _ in newPassword },
    .signingIn("password-expiring") { _ in newPassword },
    .signingIn("password-elsewhere", .cancelled(.passwordElsewhere)) { _ in
      [.cancel("reenroll-custom-password-expiry")]
    },
    .signingIn("password-elsewhere-warning") { _ in
      [.instead("reenroll-custom-password-expiry-warning", .skip)]
    },
    .signingIn("consent") { _ in [.answer("consent", true)] },
    .signingIn("admin-consent") { _ in [.answer("consent", true)] },
    .signingIn("granular-consent") { _ in
      [
        .answer("consent", true), .answer("optedScopes.email", true),
        .answer("optedScopes.plan", true), .answer("optedScopes.plan.details", false),
      ]
    },
    .signingIn("email-consent") { _ in [.answer("consent", true)] },
    .signingIn("keep-me-signed-in") { _ in [.answer("keepMeSignedIn", true)] },
    .signingIn("grace-period") { _ in
      [.instead("device-assurance-grace-period", .deviceAssuranceGracePeriod)]
    },
    .signingIn("safe-mode"),
    ScenarioCase("device-code", .message("idx.device.activated")) { _ in
      [.answer("userCode", "WDJB-MJHT"), .login, .password, .answer("consent", true)]
    },
    ScenarioCase("activation-expired", .message("idx.request.activation.email")) { _ in
      [.instead("request-activation-email", .requestActivationEmail)]
    },
    ScenarioCase("idp") { [.instead("identifier", .redirectIdP), $0.returning()] },
    ScenarioCase("idp-only") { [$0.returning()] },
    .signingIn("idp-factor") { [$0.returning()] },
    ScenarioCase("idp-more-steps") {
      [.instead("identifier", .redirectIdP), $0.returning(), $0.sentCode()]
    },
    ScenarioCase("smart-card") {
      [.instead("identifier", .smartCard), $0.returning(from: .smartCard)]
    },
    .signingIn("identity-proofing") { [$0.returning(from: .redirectIdVerify)] },
    ScenarioCase("device-challenge") { _ in [.login, .password] },
    .signingIn("fastpass"),
    ScenarioCase("apple-sso") { _ in [.login, .password] },
    ScenarioCase("captcha") { [.instead("identify", .redirectIdP), $0.returning()] },
    .signingIn("denied", .message("security.access_denied")),
    .signingIn("denied-final", .message("security.access_denied")),
    .signingIn("done", .message("idx.transferred.to.new.tab")),
    .signingIn("locked", .cancelled(nil)) { _ in [.cancel("credentials.passcode")] },
  ]
}
