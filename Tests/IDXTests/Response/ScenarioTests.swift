import Expectations
import IDX
import Testing

/// The expected content of a fixture.
struct Scenario: Sendable, CustomTestStringConvertible {
  let name: String
  /// The names of the remediations, in order.
  let remediations: [Remediation.Name]
  /// The paths of the open fields in the first form, in order, with `*` after required ones.
  let open: [String]
  /// The key of the current authenticator.
  let current: IDXAuthenticator.Key?
  /// The keys of all messages that have one.
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

  /// All scenarios, in the order of the folder.
  static let all: [Scenario] = [
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
      "12-passkey/03-transports-as-text", [.challengeAuthenticator],
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
    Scenario(
      "24-okta-verify-by-text/01-where-to-send",
      ["enrollment-channel-data", "select-enrollment-channel"], open: ["phoneNumber*"],
      current: .oktaVerify),
    Scenario(
      "24-okta-verify-by-text/02-text-sent",
      [.enrollPoll, "select-enrollment-channel", .selectAuthenticatorEnroll], current: .oktaVerify),
    Scenario(
      "25-passkey-promotion/01-offer", ["enroll-authenticator-promotion", .skip],
      open: [
        "credentials.clientData*", "credentials.attestation*", "credentials.transports*",
        "credentials.clientExtensions*",
      ], current: .webAuthn),
    Scenario(
      "25-passkey-promotion/02-without-a-name", [.identify, "launch-passkeys-authenticator"],
      open: ["identifier*"]),
    Scenario(
      "25-passkey-promotion/03-while-a-name-is-typed",
      [.identify, "challenge-webauthn-autofillui-authenticator"], open: ["identifier*"]),
    Scenario("26-more-consent/01-administrator", ["admin-consent"], open: ["consent*"]),
    Scenario("26-more-consent/02-link-in-a-mail", ["email-challenge-consent"], open: ["consent*"]),
    Scenario("26-more-consent/03-written-as-texts", ["consent"], open: ["consent*"]),
    Scenario("27-stay-signed-in/01-question", ["keep-me-signed-in"], open: ["keepMeSignedIn*"]),
    Scenario(
      "28-grace-period/01-device-too-old", ["device-assurance-grace-period"],
      messages: [
        "idx.error.code.access_denied.device_assurance.grace.inv",
        "idx.error.code.access_denied.device_assurance.remediation.inv",
      ]),
    Scenario("29-safe-mode/01-wait", [.poll], messages: ["idx.error.server.safe.mode.inv"]),
    Scenario("30-redirects/01-smart-card", [.identify, "piv-idp"], open: ["identifier*"]),
    Scenario("30-redirects/02-proof-of-identity", ["redirect-idverify"]),
    Scenario(
      "30-redirects/03-as-a-factor", ["redirect-idp", .selectAuthenticatorAuthenticate],
      current: "external_idp"),
    Scenario(
      "31-duo/01-enroll", [.enrollAuthenticator], open: ["credentials.signatureData*"],
      current: "duo"),
    Scenario(
      "31-duo/02-challenge", [.challengeAuthenticator, .selectAuthenticatorAuthenticate],
      open: ["credentials.signatureData*"], current: "duo"),
    Scenario(
      "32-device-challenge/01-offer", [.identify, "launch-authenticator"], open: ["identifier*"]),
    Scenario("32-device-challenge/02-probe", ["device-challenge-poll"]),
    Scenario("33-apple-sso/01-extension", ["device-apple-sso-extension", "cancel-transaction"]),
    Scenario(
      "34-captcha/01-identify", [.identify, "select-enroll-profile"],
      open: ["identifier*", "captchaVerify.captchaToken*"]),
    Scenario(
      "35-next-token/01-token", [.challengeAuthenticator],
      open: ["credentials.clientData*", "credentials.passcode*"], current: "rsa_token"),
    Scenario(
      "35-next-token/02-the-next-one", [.challengeAuthenticator],
      open: ["credentials.clientData*", "credentials.passcode*"], current: "rsa_token",
      messages: ["errors.E0000113"]),
    Scenario("36-card-and-pin/01-hold-the-card", [.enrollPoll], current: "nfc_pin"),
    Scenario(
      "36-card-and-pin/02-choose-a-pin", [.enrollAuthenticator], open: ["credentials.passcode*"],
      current: "nfc_pin"),
    Scenario(
      "36-card-and-pin/03-wrong-pin", [.challengeAuthenticator], open: ["credentials.passcode*"],
      current: "nfc_pin", messages: ["api.authenticator.error.nfc.pin_incorrect"]),
    Scenario(
      "37-activation/01-link-too-old", ["request-activation-email"],
      messages: ["idx.expired.activation.token"]),
    Scenario("37-activation/02-mail-sent", messages: ["idx.request.activation.email"]),
    Scenario(
      "38-password-elsewhere/01-expires-soon", ["reenroll-custom-password-expiry-warning", .skip],
      open: ["credentials.passcode"], current: .password,
      messages: ["idx.password.expiring.message"]),
    Scenario(
      "38-password-elsewhere/02-expired", ["reenroll-custom-password-expiry"],
      open: ["credentials.passcode"], current: .password),
    Scenario(
      "39-other-factors/01-two-codes-in-a-row", [.enrollAuthenticator],
      open: ["credentials.credentialId*", "credentials.passcode*", "credentials.nextPasscode*"],
      current: "symantec_vip"),
    Scenario(
      "39-other-factors/02-temporary-code", [.challengeAuthenticator],
      open: ["credentials.passcode*"], current: "tac"),
    Scenario(
      "39-other-factors/03-app-of-the-org", [.challengePoll, .selectAuthenticatorAuthenticate],
      open: ["autoChallenge"], current: "custom_app"),
    Scenario("40-unlock-by-name/01-name", ["unlock-account"], open: ["identifier*"]),
    Scenario(
      "40-unlock-by-name/02-not-allowed", messages: ["oie.selfservice.user.unlock.not.allowed"]),
    Scenario("40-unlock-by-name/03-reset-done", messages: ["idx.recovery.completed"]),
    Scenario(
      "41-code-with-letters/01-email",
      [.challengeAuthenticator, .selectAuthenticatorAuthenticate],
      open: ["credentials.passcode"], current: .email),
    Scenario(
      "42-okta-verify-apart/01-choose", [.selectAuthenticatorAuthenticate],
      open: ["authenticator*"]),
    Scenario(
      "42-okta-verify-apart/02-fastpass", [.challengePoll, .selectAuthenticatorAuthenticate],
      current: "okta_verify_fastpass"),
    Scenario(
      "43-captcha-altcha/01-identify", [.identify, "select-enroll-profile"],
      open: ["identifier*", "captchaVerify.captchaToken*"]),
  ]
}

/// Fixtures.
struct ScenarioTests {
  @Test("Every fixture has a scenario")
  func completeness() { expectEqual(Scenario.all.map(\.name), Fixture.names) }

  @Test(
    "Remediations, fields, state handles, the current authenticator and messages are as expected",
    arguments: Scenario.all)
  func content(_ scenario: Scenario) throws {
    let response = try Fixture.response(scenario.name)
    expectEqual(response.version, "1.0.0")
    expectEqual(response.remediations.map(\.name), scenario.remediations)
    expectEqual((response.remediations.first?.form.openPaths ?? []), scenario.open)
    expectEqual(response.currentAuthenticator?.key, scenario.current)
    expectEqual(response.allMessages.compactMap(\.key), scenario.messages)
    expect(scenario.messages.allSatisfy(response.says))
    for form in response.allForms {
      for input in form.form.inputs() { expect(form[input.path] != nil, "\(input.path)") }
      guard let field = form["stateHandle"] else { continue }
      expect(field.isFixed)
      expect(!field.isVisible)
      expectEqual(field.value?.string, response.stateHandle?.revealed)
      if let body = try? form.body(answering: [:]) {
        expectEqual(body["stateHandle"], field.value)
      }
    }
  }
}

extension Remediation.Form {
  /// The paths of the open fields, with `*` after required ones, except those of options.
  fileprivate var openPaths: [String] {
    fields.flatMap { field -> [String] in
      if field.isFixed { return [] }
      if let form = field.form { return form.openPaths.map { "\(field.name).\($0)" } }
      return [field.name + (field.isRequired ? "*" : "")]
    }
  }
}
