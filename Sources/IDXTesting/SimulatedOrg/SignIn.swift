import Foundation
import IDX
import IDXBase

/// One sign-in by any protocol, as the org remembers it under its handle.
struct SignIn: Sendable {
  /// Where the sign-in is; with the account, it determines what the response says.
  enum Step: Sendable {
    case identify
    /// Say whose account is recovered or unlocked.
    case identifyAccount
    /// Say whose account is unlocked, and choose an authenticator for that.
    case selectUnlock
    /// Fill in a profile, to register.
    case profile
    case selectChallenge
    case selectEnrollment
    /// Give what is needed before an authenticator can be used, such as a number.
    case needsInput(AuthenticatorChallenge)
    case challenge(AuthenticatorChallenge)
    case interstitial(AccountPolicy.InterstitialStep)
    /// Nothing more can be done.
    case final(FinalStep)
    /// Signed in: the code can be traded for tokens.
    case succeeded(code: String)
  }

  let signInProtocol: OrgScenario.SignInProtocol
  /// The state handle, the state token, the `mfa_token`, or the `oob_code` of a first factor.
  var handle: String
  /// The interaction handle of IDX.
  var interaction = ""
  var step = Step.identify
  var expiresAt: Date
  /// The account that was named; nil before that.
  var account: OrgAccount.Key?
  var proved = ProvedAuthenticators()
  var operation: AccountOperation?
  /// Whether the user has skipped what is optional.
  var hasSkipped = false
  /// Whether the user keeps a password that expires soon.
  var keepsPassword = false
  /// How many interstitial steps are done, before the user name and after the authenticators.
  var stepsDone = (before: 0, after: 0)
  /// When the interstitial step began.
  var stepBegan: Date
  var refusedScopes: Set<String> = []
  /// Whether there were too many wrong answers: the client can only cancel.
  var isBlocked = false
  /// Secrets of authenticators that are being set up; they stay if the user looks at another one.
  var sharedSecrets: [IDXAuthenticator.Key: Secret] = [:]
  /// The last IDX response, before it was shaped: it determines which requests are accepted.
  var document: JSONValue = .null
  var classic = ClassicState()
  var direct = DirectState()

  init(
    _ signInProtocol: OrgScenario.SignInProtocol, handle: String, at now: Date,
    lifetime: TimeInterval
  ) {
    self.signInProtocol = signInProtocol
    self.handle = handle
    expiresAt = now.addingTimeInterval(lifetime)
    stepBegan = now
  }

  var challenge: AuthenticatorChallenge? {
    switch step {
    case .needsInput(let challenge), .challenge(let challenge): challenge
    default: nil
    }
  }

  /// Skips what is optional, or the replacement of a password that expires soon.
  mutating func skip() {
    if challenge?.purpose == .replace { keepsPassword = true } else { hasSkipped = true }
  }
}

/// What a sign-in does besides signing in.
struct AccountOperation: Sendable {
  enum Kind: Sendable { case recovery, unlock, registration }

  let kind: Kind
  /// Whether the link that began it has proved already who the user is.
  var isProvedByLink = false
}

/// Authenticators that a sign-in has verified or set up.
struct ProvedAuthenticators: Sendable {
  private(set) var keys: Set<IDXAuthenticator.Key> = []
  /// How, by the names of RFC 8176.
  private(set) var methods: Set<String> = []
  /// Whether an identity provider has signed the user in, which stands in for the password.
  private(set) var isByIdentityProvider = false

  mutating func add(_ challenge: AuthenticatorChallenge) {
    keys.insert(challenge.authenticator.key)
    methods.insert((challenge.method ?? challenge.authenticator.methods[0]).reference)
  }

  mutating func addIdentityProvider() {
    keys.insert(.password)
    isByIdentityProvider = true
  }
}

/// A challenge of an authenticator, or its set-up.
struct AuthenticatorChallenge: Sendable {
  enum Purpose: Sendable {
    case challenge
    case enroll
    /// Put a new password in place of one that expires.
    case replace
    /// Put a new password in place of a forgotten one.
    case reset
  }

  let authenticator: OrgAuthenticator
  let purpose: Purpose
  /// How it is used; nil while the user can still choose.
  var method: OrgAuthenticator.Method?
  /// The enrollment, by its position among the user's; nil for the password and for set-ups.
  var enrollment: Int?
  /// Whether no other enrollment of the authenticator can answer.
  var isForOneEnrollment = false
  /// Whether the user has chosen it, or the org by itself.
  var wasChosen = false
  /// Whether the user has agreed to it, if that is asked.
  var isConfirmed = false
  /// Whether it is a set-up that is offered after the sign-in.
  var isPromotion = false
  /// The number to set up.
  var phoneNumber: String?
  var code: String?
  /// The secret of an authenticator that is being set up.
  var sharedSecret: Secret?
  var qrCode: String?
  /// What a passkey must make or sign.
  var passkeyRequest: JSONValue?
  var device = PendingDeviceAction()

  init(_ authenticator: OrgAuthenticator, _ purpose: Purpose, enrollment: Int? = nil) {
    self.authenticator = authenticator
    self.purpose = purpose
    self.enrollment = enrollment
    let methods = authenticator.usableMethods
    method = methods.count == 1 ? methods[0] : nil
  }

  /// A challenge of the password, or its replacement.
  static func password(_ purpose: Purpose) -> AuthenticatorChallenge { .init(.password, purpose) }

  var proof: any Proof {
    purpose == .enroll ? authenticator.setUpProof : (method ?? authenticator.methods[0]).proof
  }

  /// The user's enrollment that it is about; nil for set-ups.
  func enrollment(of user: SimulatedUser) -> SimulatedUser.Enrollment? {
    guard purpose != .enroll else { return nil }
    guard let enrollment, user.enrollments.indices.contains(enrollment) else {
      return user.enrollment(of: authenticator.key)
    }
    return user.enrollments[enrollment]
  }
}

/// What a device of the user must do in a challenge: answer a push, scan a code, touch a tag.
struct PendingDeviceAction: Sendable {
  enum Event: Sendable { case approved, rejected, timedOut }

  enum Stage: Sendable {
    case idle
    /// The device was asked. The event happens at the date; nil if it is not known yet.
    case waiting(next: (event: Event, date: Date)?)
    /// A push was rejected or timed out, and can be sent again.
    case failed
    /// The device has done its part, and the user must do the rest.
    case done
  }

  /// How many seconds a push waits for an answer.
  static let pushTimeout: TimeInterval = 60

  var stage = Stage.idle
  var channel: String?
  /// Where the link to set up the app is sent.
  var destination: String?
  /// Whether the user wants pushes without being asked; nil if not said.
  var autoChallenge: Bool?
  /// How many pushes the user had before this one; nil if this is not a push.
  var push: Int?
  var number: String?

  func isWaiting(at date: Date) -> Bool {
    guard case .waiting(let next) = stage else { return false }
    return next.map { date < $0.date } ?? true
  }

  /// What has happened by a date; nil if nothing has.
  func event(by date: Date) -> Event? {
    guard case .waiting(let next?) = stage, next.date <= date else { return nil }
    return next.event
  }

  mutating func wait(for event: Event, at date: Date) { stage = .waiting(next: (event, date)) }
}
