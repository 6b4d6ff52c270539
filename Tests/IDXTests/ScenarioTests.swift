import IDX
import Testing

/// What each fixture is about, in the terms of the model.
struct Scenario: Sendable, CustomTestStringConvertible {
  let name: String
  /// The remediations in order.
  let remediations: [Remediation.Name]
  /// The paths of the first form that a person answers, in order, `*` after those required.
  let open: [String]
  /// The authenticator that the step is about.
  let current: IDXAuthenticator.Key?
  /// The keys of all messages, those without a key left out.
  let messages: [IDXMessage.Key]

  init(
    _ name: String, _ remediations: [Remediation.Name] = [], open: [String] = [],
    current: IDXAuthenticator.Key? = nil, messages: [IDXMessage.Key] = []
  ) {
    self.name = name
    self.remediations = remediations
    self.open = open
    self.current = current
    self.messages = messages
  }

  var testDescription: String { name }

  /// All of them, in the order of the folder.
  static let all = common + rarer

  static let common: [Scenario] = [
    Scenario(
      "01-password/01-identify-with-password",
      ["identify", "select-enroll-profile", "unlock-account"],
      open: ["identifier*", "credentials.passcode", "rememberMe"], current: .password),
    Scenario(
      "01-password/02-wrong-credentials", [.identify],
      open: ["identifier*", "credentials.passcode", "rememberMe"], current: .password,
      messages: [.authenticationFailed]),
    Scenario(
      "01-password/03-expired-password", [.reenrollAuthenticator], open: ["credentials.passcode"],
      current: .password),
    Scenario(
      "01-password/04-password-expires-soon", ["reenroll-authenticator-warning", .skip],
      open: ["credentials.passcode"], current: .password,
      messages: ["idx.password.expiring.message"]),
    Scenario(
      "02-identity-first/01-identify", [.identify, "select-enroll-profile"],
      open: ["identifier*", "rememberMe"]),
    Scenario(
      "02-identity-first/02-password", [.challengeAuthenticator, .selectAuthenticatorAuthenticate],
      open: ["credentials.passcode"], current: .password),
    Scenario(
      "02-identity-first/03-wrong-password",
      [.challengeAuthenticator, .selectAuthenticatorAuthenticate], open: ["credentials.passcode"],
      current: .password, messages: [.incorrectPassword]),
    Scenario(
      "02-identity-first/04-wrong-password-for-the-step",
      [.challengeAuthenticator, .selectAuthenticatorAuthenticate], open: ["credentials.passcode"],
      current: .password, messages: [.incorrectPassword]),
    Scenario(
      "03-choose-enrollment/01-required", [.selectAuthenticatorEnroll], open: ["authenticator*"]),
    Scenario(
      "03-choose-enrollment/02-optional", [.selectAuthenticatorEnroll, .skip],
      open: ["authenticator"]),
    Scenario(
      "04-google-enroll/01-enroll", [.enrollAuthenticator, .selectAuthenticatorEnroll],
      open: ["credentials.passcode"], current: .googleAuthenticator),
    Scenario(
      "04-google-enroll/02-wrong-code", [.enrollAuthenticator, .selectAuthenticatorEnroll],
      open: ["credentials.passcode"], current: .googleAuthenticator, messages: [.passcodeInvalid]),
    Scenario(
      "05-google-challenge/01-challenge",
      [.challengeAuthenticator, .selectAuthenticatorAuthenticate], open: ["credentials.passcode"],
      current: .googleAuthenticator),
    Scenario(
      "05-google-challenge/02-wrong-code",
      [.challengeAuthenticator, .selectAuthenticatorAuthenticate], open: ["credentials.passcode"],
      current: .googleAuthenticator, messages: [.softTokenInvalid]),
    Scenario(
      "05-google-challenge/03-used-code",
      [.challengeAuthenticator, .selectAuthenticatorAuthenticate], open: ["credentials.passcode"],
      current: .googleAuthenticator, messages: [.softTokenUsed]),
    Scenario(
      "06-email/01-challenge", [.challengeAuthenticator, .selectAuthenticatorAuthenticate],
      open: ["credentials.passcode"], current: .email),
    Scenario(
      "06-email/02-wrong-code", [.challengeAuthenticator, .selectAuthenticatorAuthenticate],
      open: ["credentials.passcode"], current: .email, messages: [.passcodeInvalid]),
    Scenario("06-email/03-before-sending", [.authenticatorVerificationData], current: .email),
    Scenario(
      "07-phone-enroll/01-one-form", [.selectAuthenticatorEnroll, .skip], open: ["authenticator*"]),
    Scenario(
      "07-phone-enroll/02-number", [.authenticatorEnrollmentData],
      open: ["authenticator.methodType*", "authenticator.phoneNumber*"], current: .phone),
    Scenario(
      "07-phone-enroll/03-code", [.enrollAuthenticator], open: ["credentials.passcode"],
      current: .phone),
    Scenario(
      "07-phone-enroll/04-invalid-number", [.selectAuthenticatorEnroll], open: ["authenticator"]),
    Scenario(
      "08-phone-challenge/01-choose-method", [.authenticatorVerificationData],
      open: ["authenticator.methodType"], current: .phone),
    Scenario(
      "08-phone-challenge/02-code", [.challengeAuthenticator], open: ["credentials.passcode"],
      current: .phone),
    Scenario(
      "08-phone-challenge/03-two-phones", [.selectAuthenticatorAuthenticate],
      open: ["authenticator*"]),
    Scenario(
      "09-security-question/01-enroll", [.enrollAuthenticator, .skip], open: ["credentials*"],
      current: .securityQuestion),
    Scenario(
      "09-security-question/02-answer-too-short", [.enrollAuthenticator, .skip],
      open: ["credentials*"], current: .securityQuestion,
      messages: ["securityQuestion.answer.tooShort.arg", "securityQuestion.answer.tooShort.arg"]),
    Scenario(
      "09-security-question/03-challenge", [.challengeAuthenticator], open: ["credentials.answer*"],
      current: .securityQuestion),
    Scenario(
      "10-push/01-choose-method", [.authenticatorVerificationData],
      open: ["authenticator.methodType*", "authenticator.autoChallenge"], current: .oktaVerify),
    Scenario(
      "10-push/02-pick-the-number", [.challengePoll, .selectAuthenticatorAuthenticate],
      open: ["autoChallenge"], current: .oktaVerify),
    Scenario(
      "10-push/03-declined", [.resend, .selectAuthenticatorAuthenticate], current: .oktaVerify,
      messages: ["api.authn.poll.error.push_rejected"]),
    Scenario(
      "10-push/04-code", [.challengeAuthenticator], open: ["credentials.totp*"],
      current: .oktaVerify),
    Scenario(
      "11-okta-verify-enroll/01-scan",
      [.enrollPoll, "select-enrollment-channel", .selectAuthenticatorEnroll], current: .oktaVerify),
    Scenario(
      "11-okta-verify-enroll/02-where-to-send",
      ["enrollment-channel-data", "select-enrollment-channel"], open: ["email*"],
      current: .oktaVerify),
    Scenario(
      "11-okta-verify-enroll/03-mail-sent", [.enrollPoll, "select-enrollment-channel"],
      current: .oktaVerify),
    Scenario(
      "12-passkey/01-enroll", [.enrollAuthenticator],
      open: [
        "credentials.clientData*", "credentials.attestation*", "credentials.transports",
        "credentials.clientExtensions",
      ], current: .webAuthn),
    Scenario(
      "12-passkey/02-challenge", [.challengeAuthenticator],
      open: [
        "credentials.authenticatorData*", "credentials.clientData*", "credentials.signatureData*",
        "credentials.userHandle",
      ], current: .webAuthn),
    Scenario(
      "13-identity-providers/01-identify",
      [.identify, "redirect-idp", "redirect-idp", "redirect-idp"], open: ["identifier*"]),
    Scenario(
      "13-identity-providers/02-only-a-redirect", ["redirect-idp"],
      messages: ["idx.error.idp.inv"]),
    Scenario("14-recovery/01-identify", ["identify-recovery"], open: ["identifier*"]),
    Scenario(
      "14-recovery/02-choose", [.selectAuthenticatorAuthenticate], open: ["authenticator*"],
      messages: ["idx.unknown.user"]),
    Scenario(
      "14-recovery/03-code", [.challengeAuthenticator], open: ["credentials.passcode"],
      current: .email),
    Scenario(
      "14-recovery/04-new-password", ["reset-authenticator"],
      open: ["credentials.passcode*", "credentials.revokeSessions"], current: .password),
    Scenario(
      "14-recovery/05-password-too-weak", ["reset-authenticator"],
      open: ["credentials.passcode*", "credentials.revokeSessions"], current: .password,
      messages: ["password.passwordRequirementsNotMet"]),
    Scenario(
      "15-unlock/01-choose", ["select-authenticator-unlock-account"],
      open: ["identifier*", "authenticator*"]),
    Scenario(
      "15-unlock/02-unlocked", messages: ["oie.selfservice.unlock_user.success.message"]),
    Scenario(
      "16-registration/01-profile", ["enroll-profile", "select-identify"],
      open: [
        "userProfile.firstName*", "userProfile.lastName*", "userProfile.email*",
        "userProfile.country*", "userProfile.favouriteTea", "userProfile.wholesale",
        "credentials.passcode*",
      ], current: .password),
    Scenario(
      "16-registration/02-several-errors", ["enroll-profile", "select-identify"],
      open: [
        "userProfile.firstName*", "userProfile.lastName*", "userProfile.email*",
        "userProfile.country*", "userProfile.favouriteTea", "userProfile.wholesale",
        "credentials.passcode*",
      ], current: .password,
      messages: [
        "tagsNotAllowed", "registration.error.invalidLoginEmail",
        "registration.error.doesNotMatchPattern", "password.common",
      ]),
    Scenario(
      "16-registration/03-taken", ["enroll-profile", "select-identify"],
      open: [
        "userProfile.firstName*", "userProfile.lastName*", "userProfile.email*",
        "userProfile.country*", "userProfile.favouriteTea", "userProfile.wholesale",
        "credentials.passcode*",
      ], current: .password, messages: ["registration.error.notUniqueWithinOrg"]),
    Scenario(
      "17-profile-update/01-three-of-one-name", ["profile-update", .skip],
      open: ["userProfile.city*", "userProfile.shopName", "userProfile.newsletter"]),
    Scenario("18-consent/01-consent", ["consent"], open: ["consent*"]),
    Scenario(
      "18-consent/02-granular", ["granular-consent"],
      open: [
        "consent*", "optedScopes.orders.read*", "optedScopes.orders.read.history*",
        "optedScopes.orders*",
      ]),
    Scenario("19-device-activation/01-user-code", ["user-code"], open: ["userCode*"]),
    Scenario("19-device-activation/02-activated", messages: ["idx.device.activated"]),
    Scenario("20-success/01-public-client"),
    Scenario("20-success/02-confidential-client"),
    Scenario("20-success/03-hosted"),
    Scenario("21-ends/01-session-expired", messages: [.sessionExpired]),
    Scenario(
      "21-ends/02-go-back-to-the-first-tab", current: .email,
      messages: ["idx.enter.otp.in.original.tab"]),
    Scenario(
      "21-ends/03-too-many-tries", [.challengeAuthenticator], open: ["credentials.passcode"],
      current: .googleAuthenticator, messages: [.tooManyRequestsForOperation]),
    Scenario("21-ends/04-denied", messages: ["security.access_denied"]),
    Scenario("21-ends/05-nothing-at-all"),
    Scenario(
      "22-choose-challenge/01-everything", [.selectAuthenticatorAuthenticate],
      open: ["authenticator*"]),
    Scenario(
      "23-odd-shapes/01-flags-and-names", [.identify],
      open: ["identifier*", "*", "credentials.passcode*", "locale"]),
    Scenario(
      "23-odd-shapes/02-references",
      [
        .challengeAuthenticator, "launch-authenticator", "device-challenge-poll",
        .selectAuthenticatorAuthenticate,
      ], open: ["credentials.passcode"]),
    Scenario(
      "23-odd-shapes/03-unknown", ["teleport-authenticator", ""],
      open: ["coordinates*", "cargo.crew.size", "cargo.captain"], current: "star_gate",
      messages: ["gap.mind", "only.a.key", "gate.open"]),
  ]
}

@Suite("Every fixture means what its name says")
struct ScenarioTests {
  @Test("Every fixture has its scenario")
  func completeness() { #expect(Scenario.all.map(\.name) == Fixture.names) }

  @Test("Steps, what a person answers, the authenticator and the messages", arguments: Scenario.all)
  func meaning(_ scenario: Scenario) throws {
    let response = try Fixture.response(scenario.name)
    #expect(response.version == "1.0.0")
    #expect(response.remediations.map(\.name) == scenario.remediations)
    #expect((response.remediations.first?.form.openPaths ?? []) == scenario.open)
    #expect(response.currentAuthenticator?.key == scenario.current)
    #expect(response.allMessages.compactMap(\.key) == scenario.messages)
    #expect(scenario.messages.allSatisfy(response.says))
  }

  @Test(
    "A form echoes the handle that stands in it, whatever else is asked", arguments: Scenario.all)
  func stateHandle(_ scenario: Scenario) throws {
    let response = try Fixture.response(scenario.name)
    for form in response.allForms {
      guard let field = form["stateHandle"] else { continue }
      #expect(field.isFixed)
      #expect(!field.isVisible)
      #expect(field.value?.string == response.stateHandle?.revealed)
      if let body = try? form.body(answering: [:]) {
        #expect(body["stateHandle"] == field.value)
      }
    }
  }
}

extension Remediation.Form {
  /// The paths of what may be answered, `*` after those required, without looking into options.
  fileprivate var openPaths: [String] {
    fields.flatMap { field -> [String] in
      if field.isFixed { return [] }
      if let form = field.form { return form.openPaths.map { "\(field.name).\($0)" } }
      return [field.name + (field.isRequired ? "*" : "")]
    }
  }
}
