import IDXFlow
import Foundation
import IDX
import IDXBase

/// One sign-in with any protocol, stored by its handle.
struct SignIn: Sendable {
  /// The current step; with the account, it determines the response.
  indirect enum Step: Sendable {
    case identify
    /// Asks for the username of the account to recover or unlock.
    case identifyAccount
    /// Asks for the username of the account to unlock, and for an authenticator.
    case selectUnlock
    /// Asks for the profile of a new user.
    case profile
    case selectChallenge
    case selectEnrollment
    /// Asks for what an authenticator needs first, such as a phone number.
    case needsInput(AuthenticatorChallenge)
    case challenge(AuthenticatorChallenge)
    case interstitial(AccountPolicy.InterstitialStep)
    /// The sign-in ended without tokens.
    case final(FinalStep)
    /// Signed in; the code can be exchanged for tokens. On the page of the org, it is empty.
    case succeeded(code: String)

    /// How many seconds it is valid: two hours before the username is known, then five minutes; an interaction code
    /// for one minute.
    var lifetime: TimeInterval {
      switch self {
      case .identify, .identifyAccount, .selectUnlock, .profile: 2 * 60 * 60
      case .succeeded: 60
      default: 5 * 60
      }
    }
  }

  let signInProtocol: SignInProtocol
  /// The state handle, the state token, the `mfa_token`, or the `oob_code` of a first factor.
  var handle: String
  /// The interaction handle of IDX.
  var interaction = ""
  /// What a sign-in on the page of the org has; nil for one that began in the client.
  var hosted: HostedSignIn?
  var step = Step.identify
  var expiresAt: Date
  /// Who has sent the last request.
  var sender: OrgRequest.Sender
  /// The key of the account; nil before the username is known.
  var accountKey: OrgAccount.Key?
  var verified = VerifiedFactors()
  var operation: AccountOperation?
  /// Whether the user has skipped an optional step.
  var hasSkipped = false
  /// Whether the user keeps a password that expires soon.
  var keepsPassword = false
  /// How many interstitial steps are done, before the username and after the authenticators.
  var stepsDone = (before: 0, after: 0)
  /// When the interstitial step began.
  var stepBegan: Date
  var refusedScopes: Set<String> = []
  /// Whether there were too many wrong answers, so that the client can only cancel.
  var isBlocked = false
  /// Whether the user has agreed that the device is remembered.
  var remembersDevice = false
  /// The challenge for a passkey in place of the username; nil if the org accepts none.
  var passkeyFirst: AuthenticatorChallenge?
  /// What Okta Verify on a device is asked to sign; nil if the step does not wait for it.
  var deviceRequest: DeviceRequest?
  /// Secrets of authenticators that are being set up; kept if the user chooses another one and returns.
  var sharedSecrets: [IDXAuthenticator.Key: Secret] = [:]
  /// The last IDX response, before its ``ResponseShape`` is applied; it determines which requests are
  /// accepted.
  var document: JSONValue = .null
  var classic = ClassicState()
  var direct = DirectState()

  init(
    _ signInProtocol: SignInProtocol, handle: String, sender: OrgRequest.Sender, begins now: Date,
    expiresAt: Date
  ) {
    self.signInProtocol = signInProtocol
    self.handle = handle
    self.sender = sender
    self.expiresAt = expiresAt
    stepBegan = now
  }

  var challenge: AuthenticatorChallenge? {
    switch step {
    case .needsInput(let challenge), .challenge(let challenge): challenge
    default: nil
    }
  }

  /// Skips an optional step, or the replacement of a password that expires soon.
  mutating func skip() {
    if challenge?.purpose == .replace { keepsPassword = true } else { hasSkipped = true }
  }
}

/// The state of a sign-in that only the classic API needs.
struct ClassicState: Sendable {
  /// Whether the client asked for a warning if the password expires soon.
  var warnsBeforeExpiry = false
  /// Whether more setups are offered after an optional one.
  var offersMore = false
  /// The result of the last push; nil while it waits.
  var pushResult: String?
  /// The last part of the address of the QR code.
  var imageToken: String?
}

/// A user who has signed in with the classic API, until the session token is used.
struct ClassicSession: Sendable {
  let account: OrgAccount.Key
  let signIn: CompletedSignIn
  let expiresAt: Date

  /// The number of seconds for which a session token is valid.
  static let lifetime: TimeInterval = 5 * 60
}

/// The state of a sign-in that only DirectAuth needs.
///
/// If a sign-in needs a second factor, its handle is its `mfa_token`. While it waits for the answer to a
/// first factor, its handle is the ID of the challenge.
struct DirectState: Sendable {
  var scopes: [String] = []
  /// The authenticators of which one must be verified as the second factor.
  var required: [IDXAuthenticator.Key] = []
  /// The ID of the unanswered challenge: the `oob_code`, or the challenge of a passkey.
  var challengeID: String?
  var challengeExpiresAt = Date.distantPast
  /// The minimum number of seconds between two polls; each poll that is too early increases it (RFC 8628,
  /// section 3.5).
  var interval = Self.firstInterval
  var lastPoll: Date?

  static let firstInterval: TimeInterval = 5
}

/// A recovery, an unlock or a registration that is part of a sign-in.
struct AccountOperation: Sendable {
  enum Kind: Sendable { case recovery, unlock, registration }

  let kind: Kind
  /// Whether it started with a link, which already proves who the user is.
  var isVerifiedByLink = false
}

/// Authenticators that a sign-in has verified or set up.
struct VerifiedFactors: Sendable {
  private(set) var keys: Set<IDXAuthenticator.Key> = []
  /// The methods, with the names of RFC 8176.
  private(set) var methods: Set<String> = []
  /// Whether an identity provider has signed the user in, which replaces the password.
  private(set) var isByIdentityProvider = false

  mutating func add(_ challenge: AuthenticatorChallenge) {
    keys.insert(challenge.authenticator.key)
    methods.insert((challenge.method ?? challenge.authenticator.methods[0]).reference)
  }

  /// Okta Verify on a device replaces the password, and is a factor itself.
  mutating func addDevice() {
    keys.formUnion([.password, .oktaVerify])
    methods.insert("swk")
  }

  /// A passkey in place of the username replaces the password.
  mutating func addPassword() { keys.insert(.password) }

  mutating func addIdentityProvider() {
    keys.insert(.password)
    isByIdentityProvider = true
  }

  /// Only the password.
  static var password: Self {
    var verified = Self()
    verified.add(.password(.challenge))
    return verified
  }

  /// What tokens say about the sign-in.
  func completed(at time: Date) -> CompletedSignIn {
    CompletedSignIn(
      time: time, methods: methods.union(keys.count > 1 ? ["mfa"] : []).sorted(),
      identityProvider: OrgSettings.id(isByIdentityProvider ? "0oa" : "00o", "provider"))
  }
}

/// What an org asks Okta Verify on a device to sign, and whether it has.
struct DeviceRequest: Sendable {
  let id: String
  let nonce: String
  /// The JWT that the client passes on.
  let text: String
  /// The user whose device has signed; nil before that.
  var signer: OrgAccount.Key?
}
