public import IDXBase

extension Remediation {
  /// The name of a step; a step with an unknown name can be answered too.
  public struct Name: OpenSet {
    /// The name in the response, such as `identify`.
    public let rawValue: String
    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

// MARK: - Sign-in

extension Remediation.Name {
  /// Enter the username, and sometimes the password.
  public static let identify: Self = "identify"
  /// Choose the authenticator to verify with.
  public static let selectAuthenticatorAuthenticate: Self = "select-authenticator-authenticate"
  /// Choose how an authenticator verifies, before it does.
  public static let authenticatorVerificationData: Self = "authenticator-verification-data"
  /// Answer the challenge of an authenticator.
  public static let challengeAuthenticator: Self = "challenge-authenticator"
  /// Wait until the person approves on another device.
  public static let challengePoll: Self = "challenge-poll"
  /// Exchange the interaction code for tokens.
  public static let issue: Self = "issue"
  /// Choose whether to stay signed in.
  public static let keepMeSignedIn: Self = "keep-me-signed-in"
  /// Continue with a device that has to be updated soon.
  public static let deviceAssuranceGracePeriod: Self = "device-assurance-grace-period"
  /// Request another email that activates the account.
  public static let requestActivationEmail: Self = "request-activation-email"
  /// Enter the code that a device shows (RFC 8628).
  public static let userCode: Self = "user-code"

  // MARK: Actions

  /// Continue without an optional step.
  public static let skip: Self = "skip"
  /// Ask whether there is news about this step.
  public static let poll: Self = "poll"
  /// Send a code or push again.
  public static let resend: Self = "resend"
  /// Send a code for the first time.
  public static let send: Self = "send"
  /// Recover the account.
  public static let recover: Self = "recover"
  /// Return to the previous step, if the server keeps it.
  public static let previous: Self = "prev"
  /// Start the sign-in over.
  public static let cancel: Self = "cancel"
  /// Stop waiting for something that happens elsewhere.
  public static let cancelPolling: Self = "cancel-polling"
  /// Stop waiting for a device when the wait is its own transaction.
  public static let cancelPollingTransaction: Self = "cancel-polling-transaction"
  /// Continue without the operating system's single sign-on extension.
  public static let cancelTransaction: Self = "cancel-transaction"

  static let polls: [Self] = [.poll, .challengePoll, .enrollPoll]
  /// The forms that give up a wait for a device.
  package static let pollEnds: [Self] = [.cancelPolling, .cancelPollingTransaction]

  // MARK: Setting up authenticators

  /// Choose an authenticator to set up.
  public static let selectAuthenticatorEnroll: Self = "select-authenticator-enroll"
  /// Enter what is needed before an authenticator is set up.
  public static let authenticatorEnrollmentData: Self = "authenticator-enrollment-data"
  /// Prove or define the credential that is being set up.
  public static let enrollAuthenticator: Self = "enroll-authenticator"
  /// Wait until the person has set up an authenticator on another device.
  public static let enrollPoll: Self = "enroll-poll"
  /// Choose how to set up Okta Verify.
  public static let selectEnrollmentChannel: Self = "select-enrollment-channel"
  /// Enter where to send the link that sets up Okta Verify.
  public static let enrollmentChannelData: Self = "enrollment-channel-data"
  /// Replace an expired credential.
  public static let reenrollAuthenticator: Self = "reenroll-authenticator"
  /// Replace a password that expires soon, or `skip`.
  public static let reenrollAuthenticatorWarning: Self = "reenroll-authenticator-warning"
  /// Replace an expired password in another system.
  public static let reenrollCustomPasswordExpiry: Self = "reenroll-custom-password-expiry"
  /// Replace a password in another system that expires soon, or `skip`.
  public static let reenrollCustomPasswordExpiryWarning: Self =
    "reenroll-custom-password-expiry-warning"

  // MARK: Passkeys

  /// Sign in with a passkey or security key.
  public static let launchWebAuthnAuthenticator: Self = "launch-webauthn-authenticator"
  /// Sign in with a passkey that also identifies the person.
  public static let launchPasskeysAuthenticator: Self = "launch-passkeys-authenticator"
  /// Sign in with a passkey that the browser offers in the username field.
  public static let challengeWebAuthnAutofill: Self = "challenge-webauthn-autofillui-authenticator"
  /// Set up a passkey that also identifies the person.
  public static let enrollWebAuthnResidentKey: Self = "enroll-webauthn-residentkey"
  /// Set up a passkey after the sign-in, or `skip`.
  public static let enrollAuthenticatorPromotion: Self = "enroll-authenticator-promotion"

  // MARK: Accounts

  /// Enter the username of the account whose password is forgotten.
  public static let identifyRecovery: Self = "identify-recovery"
  /// Enter a new password, at the end of a recovery.
  public static let resetAuthenticator: Self = "reset-authenticator"
  /// Start to unlock an account.
  public static let unlockAccount: Self = "unlock-account"
  /// Choose the authenticator to unlock an account with.
  public static let selectAuthenticatorUnlockAccount: Self = "select-authenticator-unlock-account"
  /// Start to sign up.
  public static let selectEnrollProfile: Self = "select-enroll-profile"
  /// Return from signing up to the sign-in.
  public static let selectIdentify: Self = "select-identify"
  /// Fill in the profile of a new account.
  public static let enrollProfile: Self = "enroll-profile"
  /// Fill in missing attributes of the profile.
  public static let profileUpdate: Self = "profile-update"

  // MARK: Consent

  /// Allow or deny what an app asks for.
  public static let consent: Self = "consent"
  /// Allow or deny it for all users, as an administrator.
  public static let adminConsent: Self = "admin-consent"
  /// Allow or deny each scope that an app asks for.
  public static let granularConsent: Self = "granular-consent"
  /// Confirm or deny having followed a link in an email.
  public static let emailChallengeConsent: Self = "email-challenge-consent"

  // MARK: Browsers and devices

  /// Open an identity provider in a browser, to sign in or to verify.
  public static let redirectIdP: Self = "redirect-idp"
  /// Open the sign-in page of the org in a browser: the authorization endpoint of OAuth.
  public static let signInPage: Self = "sign-in-page"
  /// Wait until the person has entered the ``UserCode`` in a browser (RFC 8628).
  public static let userCodePoll: Self = "user-code-poll"
  /// Open a page that reads a smart card.
  public static let smartCard: Self = "piv-idp"
  /// Open a page that verifies the person's identity.
  public static let redirectIdVerify: Self = "redirect-idverify"
  /// The address for a browser after a successful sign-in on a hosted page.
  public static let successRedirect: Self = "success-redirect"
  /// The address for a browser after a failed sign-in on a hosted page.
  public static let failureRedirect: Self = "failure-redirect"
  /// Wait until a device has proved what it is.
  public static let deviceChallengePoll: Self = "device-challenge-poll"
  /// Sign in with Okta Verify on this device (FastPass).
  public static let launchAuthenticator: Self = "launch-authenticator"
  /// Let a program on this device read an NFC tag.
  public static let launchNFCAuthenticator: Self = "launch-nfc-authenticator"
  /// Sign in with the operating system's single sign-on extension.
  public static let deviceAppleSSOExtension: Self = "device-apple-sso-extension"
}

// MARK: - All of them

extension Remediation.Name {
  /// The names that this version of the package knows; a test notices one that is missing.
  package static let known: Set<Self> = [
    .identify, .selectAuthenticatorAuthenticate, .authenticatorVerificationData,
    .challengeAuthenticator, .challengePoll, .issue, .keepMeSignedIn, .deviceAssuranceGracePeriod,
    .requestActivationEmail, .userCode, .skip, .poll, .resend, .send, .recover, .previous, .cancel,
    .cancelPolling, .cancelPollingTransaction, .cancelTransaction, .selectAuthenticatorEnroll,
    .authenticatorEnrollmentData, .enrollAuthenticator, .enrollPoll, .selectEnrollmentChannel,
    .enrollmentChannelData, .reenrollAuthenticator, .reenrollAuthenticatorWarning,
    .reenrollCustomPasswordExpiry, .reenrollCustomPasswordExpiryWarning,
    .launchWebAuthnAuthenticator, .launchPasskeysAuthenticator, .challengeWebAuthnAutofill,
    .enrollWebAuthnResidentKey, .enrollAuthenticatorPromotion, .identifyRecovery,
    .resetAuthenticator, .unlockAccount, .selectAuthenticatorUnlockAccount, .selectEnrollProfile,
    .selectIdentify, .enrollProfile, .profileUpdate, .consent, .adminConsent, .granularConsent,
    .emailChallengeConsent, .redirectIdP, .signInPage, .userCodePoll, .smartCard,
    .redirectIdVerify, .successRedirect, .failureRedirect, .deviceChallengePoll,
    .launchAuthenticator, .launchNFCAuthenticator, .deviceAppleSSOExtension,
  ]
}
