/// Something that may be done next: a form, and where to send it.
///
/// Remediations (`$.remediation.value[*]`), top-level actions (`$.cancel`) and the actions inside an
/// authenticator (`resend`, `poll`, `recover`) are all of this kind. Source: protocol sections 1.5
/// and 2.2.
public struct Remediation: Sendable, Hashable {
  /// The name of a step.
  ///
  /// The server may add names; one that is unknown here can be answered too.
  public struct Name: OpenSet {
    /// The name on the wire.
    public let rawValue: String
    /// A name as it stands on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The name; empty where the server sent none.
  public let name: Name
  /// The method, such as `POST`; nil where the server sent none.
  ///
  /// A `GET` is for a browser.
  public let method: String?
  /// Where to send it, absolute; nil where the server sent none.
  public let href: String?
  /// The media type of the request's body; nil where the server does not say.
  public let accepts: String?
  /// The media type of the response; nil where the server does not say.
  public let produces: String?
  /// How long to wait before sending it (`refresh`, milliseconds on the wire); nil where it is not
  /// meant to be polled.
  public let refresh: Duration?
  /// The form to fill.
  public internal(set) var form: Form
  /// What the server says about this step alone.
  public let messages: [Message]
  /// The authenticators that it relates to, those that are not there left out.
  public internal(set) var authenticators: [Authenticator] = []
  /// The identity provider that it leads to (`idp`); nil where it leads to none.
  public let identityProvider: IdentityProvider?
  /// The remediation as sent, with what is not modelled.
  public let raw: RawJSON

  let references: [Reference]

  /// An identity provider outside the org.
  public struct IdentityProvider: Sendable, Hashable {
    /// Its id; nil where the server does not say.
    public let id: String?
    /// Its name for a person; nil where the server does not say.
    public let name: String?
  }

  /// The first field that a dotted path leads to, as in `remediation["credentials.passcode"]`.
  public subscript(path: String) -> Field? { form[path] }

  /// Whether it is sent again and again until the server has news.
  public var isPolled: Bool { refresh != nil || Name.polls.contains(name) }
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

  static let polls: Set<Self> = [.poll, .challengePoll, .enrollPoll]
}

extension Remediation {
  init(reading reader: inout JSONReader) throws(JSONError) {
    let start = reader.mark()
    var name: String?
    var method: String?
    var href: String?
    var accepts: String?
    var produces: String?
    var refresh: Int?
    var fields: [Field] = []
    var messages: [Message] = []
    var references: [Reference] = []
    var identityProvider: IdentityProvider?
    var members = try reader.enterObject()
    while let key = try reader.nextName(&members) {
      switch key {
      case "name": name = try reader.stringOrSkip()
      case "method": method = try reader.stringOrSkip()
      case "href": href = try reader.stringOrSkip()
      case "accepts": accepts = try reader.stringOrSkip()
      case "produces": produces = try reader.stringOrSkip()
      case "refresh": refresh = try reader.integerOrSkip()
      case "value":
        fields = try reader.objects { reader, _ throws(JSONError) in try Field(reading: &reader) }
      case "messages":
        messages = try reader.collection { reader, _ throws(JSONError) in
          try Message(reading: &reader)
        }
      case "relatesTo": references = try Reference.list(reading: &reader)
      case "idp": identityProvider = try IdentityProvider(reading: &reader)
      default: try reader.skip()
      }
    }
    self.name = Name(rawValue: name ?? "")
    self.method = method
    self.href = href
    self.accepts = accepts
    self.produces = produces
    self.refresh = refresh.map { .milliseconds($0) }
    self.form = Form(fields: fields)
    self.messages = messages
    self.references = references
    self.identityProvider = identityProvider
    self.raw = reader.raw(since: start)
  }
}

extension Remediation {
  /// Reads what stands next where it is an action, an object with a name and an address; passes over
  /// anything else.
  init?(readingAction reader: inout JSONReader) throws(JSONError) {
    guard reader.isAtObject else {
      try reader.skip()
      return nil
    }
    let action = try Remediation(reading: &reader)
    guard action.href != nil, action.raw["name"]?.string != nil else { return nil }
    self = action
  }
}

extension Remediation.IdentityProvider {
  init?(reading reader: inout JSONReader) throws(JSONError) {
    guard reader.isAtObject else {
      try reader.skip()
      return nil
    }
    var id: String?
    var name: String?
    var members = try reader.enterObject()
    while let key = try reader.nextName(&members) {
      switch key {
      case "id": id = try reader.stringOrSkip()
      case "name": name = try reader.stringOrSkip()
      default: try reader.skip()
      }
    }
    self.id = id
    self.name = name
  }
}

extension Remediation: CustomStringConvertible, CustomReflectable {
  /// The name and the names of the fields, without their values.
  public var description: String { "\(name): \(form)" }
  /// Nothing to look into: fields hold state handles.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
