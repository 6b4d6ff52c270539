import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One sign-in on its way, as the org remembers it under the state handle.
struct OrgTransaction: Sendable {
  /// Where it stands.
  ///
  /// What the response says follows from this and the account alone.
  enum Step: Sendable {
    /// Who is it?
    case identify
    /// Something about accounts, or a station: no authenticator.
    case account(AccountStep)
    /// With which of several authenticators?
    case selectChallenge
    /// Which authenticator is to be set up?
    case selectEnrollment
    /// Something must be known before the ceremony begins, such as a number.
    case needsData(Ceremony)
    /// An authenticator is being challenged or set up.
    case ceremony(Ceremony)
    /// Nothing more can be done here.
    case refused(OrgMessage)
    /// It is done: this code stands for tokens.
    case succeeded(code: String)
  }

  /// The handle that the client began with.
  let interaction: String
  var stateHandle: String
  var step: Step = .identify
  var expiresAt: Date
  /// The key of the account that was named; nil before.
  var account: OrgAccount.Key?
  /// What has been proved in this sign-in, by a challenge or by setting it up.
  var verified: Set<IDXAuthenticator.Key> = []
  /// In which ways, where an authenticator has several.
  var methods: Set<IDXAuthenticator.Method> = []
  /// Whether another identity provider's word stands for the password.
  var isVouchedFor = false
  /// Whether the user has passed over what is optional.
  var hasSkipped = false
  /// What it is about besides signing in; nil mostly.
  var errand: OrgErrand?
  /// Whether the user keeps a password that expires soon.
  var keepsPassword = false
  /// How many stations lie behind: before the user name, and after the authenticators.
  var stationsBefore = 0
  var stationsPassed = 0
  /// Scopes that the user has not allowed.
  var refusedScopes: Set<String> = []
  /// When the station was reached; nil before any.
  var since: Date?
  /// Whether answers were wrong too often: the way out is to cancel.
  var isBlocked = false
  /// Secrets of authenticators that were begun to be set up: they stay while the user looks around.
  var sharedSecrets: [IDXAuthenticator.Key: Secret] = [:]
  /// The response that was last sent, in its plain shape: it says what the next request may be.
  var document: JSONValue = .null
  /// What a sign-in by the classic API has beside all this; nil for any other.
  var classic: ClassicState?

  init(interaction: String, stateHandle: String, expiresAt: Date) {
    self.interaction = interaction
    self.stateHandle = stateHandle
    self.expiresAt = expiresAt
  }

  /// The ceremony that is under way or waits for data; nil elsewhere.
  var ceremony: Ceremony? {
    switch step {
    case .needsData(let ceremony), .ceremony(let ceremony): ceremony
    default: nil
    }
  }
}

/// The challenge or the set-up of one authenticator.
struct Ceremony: Sendable {
  enum Purpose: Sendable {
    /// Setting it up.
    case enroll
    /// Proving that one has it.
    case challenge
    /// Putting a new one in place of an old one.
    case replace
    /// Putting a new one in place of a forgotten one.
    case reset
  }

  let authenticator: IDXAuthenticator.Key
  let purpose: Purpose
  /// Which enrolment is challenged, by its position in the user's; nil for the password and set-ups.
  var enrollment: Int?
  /// How it is to be used, where there are several ways.
  var method: IDXAuthenticator.Method?
  /// The number to be set up.
  var phoneNumber: String?
  /// The code that was sent.
  var code: String?
  /// The secret that was made.
  var sharedSecret: Secret?
  /// The secret as an image, a data URI.
  var qrCode: String?
  /// What a passkey is asked to make or to sign.
  var passkeyRequest: JSONValue?
  /// Whether it is offered after the sign-in.
  var isPromotion = false
  /// Whether it was answered elsewhere, such as by following a link.
  var isApproved = false
  /// Whether the user has answered the form that comes before it.
  var isConfirmed = false
  /// What a device of the person's has to do with it.
  var device = DeviceErrand()
}

/// A user with what the org keeps about them.
///
/// A name that nobody has gets an account too, one that no password opens: whoever asks must not
/// learn which names exist.
struct OrgAccount: Sendable {
  /// The login in lower case.
  struct Key: Hashable, Sendable {
    let text: String
    init(_ login: String) { text = login.lowercased() }
  }

  /// Passwords that were replaced, which may not come again.
  var oldPasswords: Set<Secret> = []
  var user: SimulatedUser
  let exists: Bool
  /// Wrong answers since the last right one.
  var failures = 0
  /// Time steps, or presses, of codes that were accepted: no code counts twice.
  var usedCounters: [IDXAuthenticator.Key: Set<UInt64>] = [:]
  /// What the person's devices did and were told.
  var devices = DeviceMemory()
  /// How often each passkey had signed when it last did, by its id.
  var passkeyCounters: [[UInt8]: UInt32] = [:]

  init(_ user: SimulatedUser) {
    self.user = user
    exists = true
  }

  init(nobodyCalled login: String) {
    user = SimulatedUser(login: login, password: "")
    exists = false
  }

  var id: String { OrgSettings.id("00u", user.login.lowercased()) }
  /// Whether a right answer counts.
  var isOpen: Bool { exists && user.status != .locked }

  func has(_ key: IDXAuthenticator.Key) -> Bool {
    key == .password || user.enrollment(of: key) != nil
  }
}

extension OrgTransaction {
  /// The secret of an authenticator app that is being set up.
  var appSecret: Secret? { sharedSecrets[.googleAuthenticator] }
}
