import IDX

extension Scenario {
  /// Steps beside the common ones: other factors, other ways, other ends.
  static let rarer: [Scenario] = [
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
  ]
}
