import Expectations
import IDX
import IDXBase
import Testing

/// Fixtures.
struct ScenarioTests {
  @Test("Every fixture has a scenario")
  func completeness() {
    expectEqual(scenarios.map { String($0.prefix { $0 != " " }) }, Fixture.names)
  }

  @Test(
    "Remediations, fields, state handles, the current authenticator and messages are as expected",
    arguments: Fixture.names)
  func content(_ name: String) throws {
    let response = try Fixture.response(name)
    expectEqual(response.version, "1.0.0")
    let columns: [[String]] = [
      response.remediations.map(\.name.rawValue), response.remediations.first?.form.openPaths ?? [],
      [response.currentAuthenticator?.key?.rawValue].compactMap(\.self),
      response.allMessages.compactMap(\.key?.rawValue),
    ]
    let texts = columns.map { $0.isEmpty ? "-" : $0.joined(separator: ", ") }
    expectEqual(
      ([name] + texts).joined(separator: " | "), scenarios.first { $0.hasPrefix(name + " ") })
    expect(response.allMessages.compactMap(\.key).allSatisfy(response.says))
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
    // Written JSON reads back as the same value.
    let json = response.raw.json
    try expectEqual(JSONValue(parsing: json.bytes), json)
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

/// The expected content of each fixture: its path; the remediations; the open fields of the first one, with `*` after
/// required ones; the key of the current authenticator; the keys of all messages.
///
/// It is one text, because as many values take long to compile.
private let scenarios = """
  01-password/01-identify-with-password | identify, select-enroll-profile, unlock-account | identifier*, credentials.passcode, rememberMe | okta_password | -
  01-password/02-wrong-credentials | identify | identifier*, credentials.passcode, rememberMe | okta_password | errors.E0000004
  01-password/03-expired-password | reenroll-authenticator | credentials.passcode | okta_password | -
  01-password/04-password-expires-soon | reenroll-authenticator-warning, skip | credentials.passcode | okta_password | idx.password.expiring.message
  02-identity-first/01-identify | identify, select-enroll-profile | identifier*, rememberMe | - | -
  02-identity-first/02-password | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | okta_password | -
  02-identity-first/03-wrong-password | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | okta_password | incorrectPassword
  02-identity-first/04-wrong-password-for-the-step | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | okta_password | incorrectPassword
  03-choose-enrollment/01-required | select-authenticator-enroll | authenticator* | - | -
  03-choose-enrollment/02-optional | select-authenticator-enroll, skip | authenticator | - | -
  04-google-enroll/01-enroll | enroll-authenticator, select-authenticator-enroll | credentials.passcode | google_otp | -
  04-google-enroll/02-wrong-code | enroll-authenticator, select-authenticator-enroll | credentials.passcode | google_otp | api.authn.error.PASSCODE_INVALID
  05-google-challenge/01-challenge | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | google_otp | -
  05-google-challenge/02-wrong-code | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | google_otp | authfactor.challenge.soft_token.invalid_passcode
  05-google-challenge/03-used-code | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | google_otp | authfactor.challenge.soft_token.used_passcode
  06-email/01-challenge | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | okta_email | -
  06-email/02-wrong-code | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | okta_email | api.authn.error.PASSCODE_INVALID
  06-email/03-before-sending | authenticator-verification-data | - | okta_email | -
  07-phone-enroll/01-one-form | select-authenticator-enroll, skip | authenticator* | - | -
  07-phone-enroll/02-number | authenticator-enrollment-data | authenticator.methodType*, authenticator.phoneNumber* | phone_number | -
  07-phone-enroll/03-code | enroll-authenticator | credentials.passcode | phone_number | -
  07-phone-enroll/04-invalid-number | select-authenticator-enroll | authenticator | - | -
  08-phone-challenge/01-choose-method | authenticator-verification-data | authenticator.methodType | phone_number | -
  08-phone-challenge/02-code | challenge-authenticator | credentials.passcode | phone_number | -
  08-phone-challenge/03-two-phones | select-authenticator-authenticate | authenticator* | - | -
  09-security-question/01-enroll | enroll-authenticator, skip | credentials* | security_question | -
  09-security-question/02-answer-too-short | enroll-authenticator, skip | credentials* | security_question | securityQuestion.answer.tooShort.arg, securityQuestion.answer.tooShort.arg
  09-security-question/03-challenge | challenge-authenticator | credentials.answer* | security_question | -
  10-push/01-choose-method | authenticator-verification-data | authenticator.methodType*, authenticator.autoChallenge | okta_verify | -
  10-push/02-pick-the-number | challenge-poll, select-authenticator-authenticate | autoChallenge | okta_verify | -
  10-push/03-declined | resend, select-authenticator-authenticate | - | okta_verify | api.authn.poll.error.push_rejected
  10-push/04-code | challenge-authenticator | credentials.totp* | okta_verify | -
  11-okta-verify-enroll/01-scan | enroll-poll, select-enrollment-channel, select-authenticator-enroll | - | okta_verify | -
  11-okta-verify-enroll/02-where-to-send | enrollment-channel-data, select-enrollment-channel | email* | okta_verify | -
  11-okta-verify-enroll/03-mail-sent | enroll-poll, select-enrollment-channel | - | okta_verify | -
  12-passkey/01-enroll | enroll-authenticator | credentials.clientData*, credentials.attestation*, credentials.transports, credentials.clientExtensions | webauthn | -
  12-passkey/02-challenge | challenge-authenticator | credentials.authenticatorData*, credentials.clientData*, credentials.signatureData*, credentials.userHandle | webauthn | -
  12-passkey/03-transports-as-text | challenge-authenticator | credentials.authenticatorData*, credentials.clientData*, credentials.signatureData*, credentials.userHandle | webauthn | -
  13-identity-providers/01-identify | identify, redirect-idp, redirect-idp, redirect-idp | identifier* | - | -
  13-identity-providers/02-only-a-redirect | redirect-idp | - | - | idx.error.idp.inv
  14-recovery/01-identify | identify-recovery | identifier* | - | -
  14-recovery/02-choose | select-authenticator-authenticate | authenticator* | - | idx.unknown.user
  14-recovery/03-code | challenge-authenticator | credentials.passcode | okta_email | -
  14-recovery/04-new-password | reset-authenticator | credentials.passcode*, credentials.revokeSessions | okta_password | -
  14-recovery/05-password-too-weak | reset-authenticator | credentials.passcode*, credentials.revokeSessions | okta_password | password.passwordRequirementsNotMet
  15-unlock/01-choose | select-authenticator-unlock-account | identifier*, authenticator* | - | -
  15-unlock/02-unlocked | - | - | - | oie.selfservice.unlock_user.success.message
  16-registration/01-profile | enroll-profile, select-identify | userProfile.firstName*, userProfile.lastName*, userProfile.email*, userProfile.country*, userProfile.favouriteTea, userProfile.wholesale, credentials.passcode* | okta_password | -
  16-registration/02-several-errors | enroll-profile, select-identify | userProfile.firstName*, userProfile.lastName*, userProfile.email*, userProfile.country*, userProfile.favouriteTea, userProfile.wholesale, credentials.passcode* | okta_password | tagsNotAllowed, registration.error.invalidLoginEmail, registration.error.doesNotMatchPattern, password.common
  16-registration/03-taken | enroll-profile, select-identify | userProfile.firstName*, userProfile.lastName*, userProfile.email*, userProfile.country*, userProfile.favouriteTea, userProfile.wholesale, credentials.passcode* | okta_password | registration.error.notUniqueWithinOrg
  17-profile-update/01-three-of-one-name | profile-update, skip | userProfile.city*, userProfile.shopName, userProfile.newsletter | - | -
  18-consent/01-consent | consent | consent* | - | -
  18-consent/02-granular | granular-consent | consent*, optedScopes.orders.read*, optedScopes.orders.read.history*, optedScopes.orders* | - | -
  19-device-activation/01-user-code | user-code | userCode* | - | -
  19-device-activation/02-activated | - | - | - | idx.device.activated
  20-success/01-public-client | - | - | - | -
  20-success/02-confidential-client | - | - | - | -
  20-success/03-hosted | - | - | - | -
  21-ends/01-session-expired | - | - | - | idx.session.expired
  21-ends/02-go-back-to-the-first-tab | - | - | okta_email | idx.enter.otp.in.original.tab
  21-ends/03-too-many-tries | challenge-authenticator | credentials.passcode | google_otp | oie.tooManyRequests
  21-ends/04-denied | - | - | - | security.access_denied
  21-ends/05-nothing-at-all | - | - | - | -
  22-choose-challenge/01-everything | select-authenticator-authenticate | authenticator* | - | -
  23-odd-shapes/01-flags-and-names | identify | identifier*, *, credentials.passcode*, locale | - | -
  23-odd-shapes/02-references | challenge-authenticator, launch-authenticator, device-challenge-poll, select-authenticator-authenticate | credentials.passcode | - | -
  23-odd-shapes/03-unknown | teleport-authenticator,  | coordinates*, cargo.crew.size, cargo.captain | star_gate | gap.mind, only.a.key, gate.open
  24-okta-verify-by-text/01-where-to-send | enrollment-channel-data, select-enrollment-channel | phoneNumber* | okta_verify | -
  24-okta-verify-by-text/02-text-sent | enroll-poll, select-enrollment-channel, select-authenticator-enroll | - | okta_verify | -
  25-passkey-promotion/01-offer | enroll-authenticator-promotion, skip | credentials.clientData*, credentials.attestation*, credentials.transports*, credentials.clientExtensions* | webauthn | -
  25-passkey-promotion/02-without-a-name | identify, launch-passkeys-authenticator | identifier* | - | -
  25-passkey-promotion/03-while-a-name-is-typed | identify, challenge-webauthn-autofillui-authenticator | identifier* | - | -
  26-more-consent/01-administrator | admin-consent | consent* | - | -
  26-more-consent/02-link-in-a-mail | email-challenge-consent | consent* | - | -
  26-more-consent/03-written-as-texts | consent | consent* | - | -
  27-stay-signed-in/01-question | keep-me-signed-in | keepMeSignedIn* | - | -
  28-grace-period/01-device-too-old | device-assurance-grace-period | - | - | idx.error.code.access_denied.device_assurance.grace.inv, idx.error.code.access_denied.device_assurance.remediation.inv
  29-safe-mode/01-wait | poll | - | - | idx.error.server.safe.mode.inv
  30-redirects/01-smart-card | identify, piv-idp | identifier* | - | -
  30-redirects/02-proof-of-identity | redirect-idverify | - | - | -
  30-redirects/03-as-a-factor | redirect-idp, select-authenticator-authenticate | - | external_idp | -
  31-duo/01-enroll | enroll-authenticator | credentials.signatureData* | duo | -
  31-duo/02-challenge | challenge-authenticator, select-authenticator-authenticate | credentials.signatureData* | duo | -
  32-device-challenge/01-offer | identify, launch-authenticator | identifier* | - | -
  32-device-challenge/02-probe | device-challenge-poll | - | - | -
  33-apple-sso/01-extension | device-apple-sso-extension, cancel-transaction | - | - | -
  34-captcha/01-identify | identify, select-enroll-profile | identifier*, captchaVerify.captchaToken* | - | -
  35-next-token/01-token | challenge-authenticator | credentials.clientData*, credentials.passcode* | rsa_token | -
  35-next-token/02-the-next-one | challenge-authenticator | credentials.clientData*, credentials.passcode* | rsa_token | errors.E0000113
  36-card-and-pin/01-hold-the-card | enroll-poll | - | nfc_pin | -
  36-card-and-pin/02-choose-a-pin | enroll-authenticator | credentials.passcode* | nfc_pin | -
  36-card-and-pin/03-wrong-pin | challenge-authenticator | credentials.passcode* | nfc_pin | api.authenticator.error.nfc.pin_incorrect
  37-activation/01-link-too-old | request-activation-email | - | - | idx.expired.activation.token
  37-activation/02-mail-sent | - | - | - | idx.request.activation.email
  38-password-elsewhere/01-expires-soon | reenroll-custom-password-expiry-warning, skip | credentials.passcode | okta_password | idx.password.expiring.message
  38-password-elsewhere/02-expired | reenroll-custom-password-expiry | credentials.passcode | okta_password | -
  39-other-factors/01-two-codes-in-a-row | enroll-authenticator | credentials.credentialId*, credentials.passcode*, credentials.nextPasscode* | symantec_vip | -
  39-other-factors/02-temporary-code | challenge-authenticator | credentials.passcode* | tac | -
  39-other-factors/03-app-of-the-org | challenge-poll, select-authenticator-authenticate | autoChallenge | custom_app | -
  40-unlock-by-name/01-name | unlock-account | identifier* | - | -
  40-unlock-by-name/02-not-allowed | - | - | - | oie.selfservice.user.unlock.not.allowed
  40-unlock-by-name/03-reset-done | - | - | - | idx.recovery.completed
  41-code-with-letters/01-email | challenge-authenticator, select-authenticator-authenticate | credentials.passcode | okta_email | -
  42-okta-verify-apart/01-choose | select-authenticator-authenticate | authenticator* | - | -
  42-okta-verify-apart/02-fastpass | challenge-poll, select-authenticator-authenticate | - | okta_verify_fastpass | -
  43-captcha-altcha/01-identify | identify, select-enroll-profile | identifier*, captchaVerify.captchaToken* | - | -
  """.split(separator: "\n").map(String.init)
