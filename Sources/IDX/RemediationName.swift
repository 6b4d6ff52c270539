public import IDXBase

extension Remediation {
  /// The name of a step.
  ///
  /// The server may add names; one that is unknown here can be answered too.
  public struct Name: OpenSet {
    /// The name on the wire.
    public let rawValue: String
    /// A name as it stands on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Remediation.Name {
  /// Say who signs in.
  public static let identify: Self = "identify"
  /// Answer the challenge of an authenticator.
  public static let challengeAuthenticator: Self = "challenge-authenticator"
  /// Choose the authenticator to verify with.
  public static let selectAuthenticatorAuthenticate: Self = "select-authenticator-authenticate"
  /// Say how an authenticator is to verify, before it does.
  public static let authenticatorVerificationData: Self = "authenticator-verification-data"
  /// Choose an authenticator to set up.
  public static let selectAuthenticatorEnroll: Self = "select-authenticator-enroll"
  /// Say what is needed before an authenticator is set up.
  public static let authenticatorEnrollmentData: Self = "authenticator-enrollment-data"
  /// Prove or define the credential that is being set up.
  public static let enrollAuthenticator: Self = "enroll-authenticator"
  /// Replace a credential that has expired.
  public static let reenrollAuthenticator: Self = "reenroll-authenticator"
  /// Go on without what is optional.
  public static let skip: Self = "skip"
  /// Wait for a person to approve elsewhere.
  public static let challengePoll: Self = "challenge-poll"
  /// Wait for a person to set something up elsewhere.
  public static let enrollPoll: Self = "enroll-poll"
  /// Wait, wherever it stands.
  public static let poll: Self = "poll"
  /// Send again what was sent.
  public static let resend: Self = "resend"
  /// Send what was not sent yet.
  public static let send: Self = "send"
  /// Recover the account.
  public static let recover: Self = "recover"
  /// Go back to the step before, where the server remembers it.
  public static let previous: Self = "prev"
  /// Start the sign-in over.
  public static let cancel: Self = "cancel"
  /// Trade the interaction code for tokens.
  public static let issue: Self = "issue"

  /// Go to an identity provider with a browser, to sign in there or to verify.
  public static let redirectIdP: Self = "redirect-idp"
  /// Go to a page that reads a smart card.
  public static let smartCard: Self = "piv-idp"
  /// Go to a page that proves who one is.
  public static let redirectIdVerify: Self = "redirect-idverify"
  /// Where a browser would be sent after a sign-in in a hosted page.
  public static let successRedirect: Self = "success-redirect"
  /// Where a browser would be sent after a sign-in that failed in a hosted page.
  public static let failureRedirect: Self = "failure-redirect"
  /// Say who has lost the password.
  public static let identifyRecovery: Self = "identify-recovery"
  /// Choose a new password, at the end of a recovery.
  public static let resetAuthenticator: Self = "reset-authenticator"
  /// Replace a password that expires soon, or `skip`.
  public static let reenrollAuthenticatorWarning: Self = "reenroll-authenticator-warning"
  /// Replace a password elsewhere that has expired.
  public static let reenrollCustomPasswordExpiry: Self = "reenroll-custom-password-expiry"
  /// Replace a password elsewhere that expires soon, or `skip`.
  public static let reenrollCustomPasswordExpiryWarning: Self =
    "reenroll-custom-password-expiry-warning"
  /// Begin to unlock an account.
  public static let unlockAccount: Self = "unlock-account"
  /// Choose the authenticator to unlock an account with.
  public static let selectAuthenticatorUnlockAccount: Self = "select-authenticator-unlock-account"
  /// Begin to sign up.
  public static let selectEnrollProfile: Self = "select-enroll-profile"
  /// Fill in one's profile.
  public static let enrollProfile: Self = "enroll-profile"
  /// Fill in what one's profile lacks.
  public static let profileUpdate: Self = "profile-update"
  /// Go back from the registration to the sign-in.
  public static let selectIdentify: Self = "select-identify"
  /// Choose how Okta Verify is to be set up.
  public static let selectEnrollmentChannel: Self = "select-enrollment-channel"
  /// Say where to send the link that sets up Okta Verify.
  public static let enrollmentChannelData: Self = "enrollment-channel-data"
  /// Wait for a device to prove itself.
  public static let deviceChallengePoll: Self = "device-challenge-poll"
  /// Let Okta Verify on this device sign in (FastPass).
  public static let launchAuthenticator: Self = "launch-authenticator"
  /// Let a program on this device read an NFC tag.
  public static let launchNFCAuthenticator: Self = "launch-nfc-authenticator"
  /// Let the operating system's extension sign in.
  public static let deviceAppleSSOExtension: Self = "device-apple-sso-extension"
  /// Agree, or not, to what an app is to be allowed.
  public static let consent: Self = "consent"
  /// Agree for everybody, as an administrator.
  public static let adminConsent: Self = "admin-consent"
  /// Agree to each thing that an app is to be allowed.
  public static let granularConsent: Self = "granular-consent"
  /// Say whether it was oneself who followed a link in a mail.
  public static let emailChallengeConsent: Self = "email-challenge-consent"
  /// Say whether to stay signed in.
  public static let keepMeSignedIn: Self = "keep-me-signed-in"
  /// Go on with a device that will have to be brought up to date.
  public static let deviceAssuranceGracePeriod: Self = "device-assurance-grace-period"
  /// Ask for another mail that activates the account.
  public static let requestActivationEmail: Self = "request-activation-email"
  /// Type the code that a device shows (RFC 8628).
  public static let userCode: Self = "user-code"
  /// Set up a passkey after the sign-in, or `skip`.
  public static let enrollAuthenticatorPromotion: Self = "enroll-authenticator-promotion"
  /// Wait no longer for what is done elsewhere.
  public static let cancelPolling: Self = "cancel-polling"
  /// Wait no longer for a device, where the wait is a transaction of its own.
  public static let cancelPollingTransaction: Self = "cancel-polling-transaction"
  /// Do without the operating system's extension.
  public static let cancelTransaction: Self = "cancel-transaction"

  static let polls: Set<Self> = [.poll, .challengePoll, .enrollPoll]
}
