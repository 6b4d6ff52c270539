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
    /// Signed in; the code can be exchanged for tokens.
    case succeeded(code: String)
  }

  let signInProtocol: SignInProtocol
  /// The state handle, the state token, the `mfa_token`, or the `oob_code` of a first factor.
  var handle: String
  /// The interaction handle of IDX.
  var interaction = ""
  var step = Step.identify
  var expiresAt: Date
  /// The account; nil before the username is known.
  var account: OrgAccount.Key?
  var proved = ProvedAuthenticators()
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
    _ signInProtocol: SignInProtocol, handle: String, at now: Date,
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

  /// Skips an optional step, or the replacement of a password that expires soon.
  mutating func skip() {
    if challenge?.purpose == .replace { keepsPassword = true } else { hasSkipped = true }
  }
}

/// A recovery, an unlock or a registration that is part of a sign-in.
struct AccountOperation: Sendable {
  enum Kind: Sendable { case recovery, unlock, registration }

  let kind: Kind
  /// Whether it started with a link, which already proves who the user is.
  var isProvedByLink = false
}

/// Authenticators that a sign-in has verified or set up.
struct ProvedAuthenticators: Sendable {
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
}

/// A challenge of an authenticator, or its setup.
struct AuthenticatorChallenge: Sendable {
  enum Purpose: Sendable {
    case challenge
    case enroll
    /// Replace an expired or expiring password.
    case replace
    /// Replace a forgotten password.
    case reset
  }

  let authenticator: OrgAuthenticator
  let purpose: Purpose
  /// The method; nil while the user can still choose.
  var method: OrgAuthenticator.Method?
  /// The index of the user's enrollment; nil for the password and for setups.
  var enrollment: Int?
  /// Whether only this enrollment of the authenticator can answer.
  var isForOneEnrollment = false
  /// Whether the user has chosen it; false if the org has.
  var wasChosen = false
  /// Whether the user has agreed to it, if the policy asks for that.
  var isConfirmed = false
  /// Whether it is a setup that is offered at the end of the sign-in.
  var isPromotion = false
  /// The phone number to set up.
  var phoneNumber: String?
  var code: String?
  /// The secret of an authenticator that is being set up.
  var sharedSecret: Secret?
  var qrCode: String?
  /// The WebAuthn options for creating a passkey or signing with one.
  var passkeyRequest: JSONValue?
  var device = PendingDeviceAction()

  init(_ authenticator: OrgAuthenticator, _ purpose: Purpose, enrollment: Int? = nil) {
    self.authenticator = authenticator
    self.purpose = purpose
    self.enrollment = enrollment
    method = authenticator.methods.count == 1 ? authenticator.methods[0] : nil
  }

  /// A challenge of the password, or its replacement.
  static func password(_ purpose: Purpose) -> AuthenticatorChallenge { .init(.password, purpose) }

  var proof: any Proof {
    purpose == .enroll ? authenticator.setUpProof : (method ?? authenticator.methods[0]).proof
  }

  /// The user's enrollment; nil for setups.
  func enrollment(of user: SimulatedUser) -> SimulatedUser.Enrollment? {
    guard purpose != .enroll else { return nil }
    guard let enrollment, user.enrollments.indices.contains(enrollment) else {
      return user.enrollment(of: authenticator.key)
    }
    return user.enrollments[enrollment]
  }
}

/// What the user's device must do in a challenge: answer a push, scan a code or touch a tag.
struct PendingDeviceAction: Sendable {
  enum Event: Sendable { case approved, rejected, timedOut }

  enum Stage: Sendable {
    case idle
    /// Waiting for the device. The event happens at the date; nil if it is not known yet.
    case waiting(next: (event: Event, date: Date)?)
    /// A push was rejected or timed out, and can be sent again.
    case failed
    /// The device is finished, but the step is not, such as the choice of a PIN.
    case done
  }

  /// How many seconds a push waits for an answer.
  static let pushTimeout: TimeInterval = 60

  var stage = Stage.idle
  var channel: String?
  /// Where the link to set up the app is sent.
  var destination: String?
  /// Whether the user wants pushes without being asked; nil if the user did not say.
  var autoChallenge: Bool?
  /// How many pushes the user had before this one; nil if this is not a push.
  var push: Int?
  var number: String?

  func isWaiting(at date: Date) -> Bool {
    guard case .waiting(let next) = stage else { return false }
    return next.map { date < $0.date } ?? true
  }

  /// The event that has happened by a date; nil if none has.
  func event(by date: Date) -> Event? {
    guard case .waiting(let next?) = stage, next.date <= date else { return nil }
    return next.event
  }

  mutating func wait(for event: Event, at date: Date) { stage = .waiting(next: (event, date)) }
}
