import IDX
import IDXBase
import IDXOAuth

/// A user, and what the org remembers about the user.
///
/// An unknown username gets an account too, without a valid password, so that the org gives the same
/// answers.
struct OrgAccount: Sendable {
  struct Key: Hashable, Sendable {
    let text: String
    init(_ login: String) { text = login.lowercased() }
  }

  var user: SimulatedUser
  let exists: Bool
  /// Passwords that were replaced, and must not be used again.
  var oldPasswords: Set<Secret> = []
  var failures = 0
  /// The counters of codes that were accepted; each code is accepted once.
  var usedCounters: [IDXAuthenticator.Key: Set<UInt64>] = [:]
  /// The counter of the next code, if a token must show two codes in a row.
  var awaitedCounters: [IDXAuthenticator.Key: UInt64] = [:]
  /// Tokens that have shown two codes in a row.
  var synchronizedTokens: Set<IDXAuthenticator.Key> = []
  /// How often each hardware key was touched.
  var touches: [IDXAuthenticator.Key: UInt64] = [:]
  /// The last signature counter of each passkey, by its id.
  var passkeyCounters: [[UInt8]: UInt32] = [:]
  /// The devices that are remembered, by their tokens.
  var devices: Set<String> = []
  var pushes = 0
  /// Authenticators that send pushes without asking.
  var autoChallenges: Set<IDXAuthenticator.Key> = []

  init(_ user: SimulatedUser) {
    self.user = user
    exists = true
  }

  init(unknown login: String) {
    user = SimulatedUser(login: login, password: "")
    exists = false
  }

  var id: String { Self.id(of: user.login) }
  static func id(of login: String) -> String { OrgSettings.id("00u", login.lowercased()) }

  /// Whether correct answers are accepted.
  var isOpen: Bool { exists && user.status != .locked }
  /// Whether there is a password; a new user has none at first.
  var hasPassword: Bool { !exists || !user.password.revealed.isEmpty }

  func has(_ key: IDXAuthenticator.Key) -> Bool {
    key == .password || user.enrollment(of: key) != nil
  }

  /// The user as tokens describe them.
  var subject: TokenSubject {
    TokenSubject(
      id: id, login: user.login, firstName: user.firstName, lastName: user.lastName,
      email: user.email)
  }

  mutating func unlock() {
    failures = 0
    if user.status == .locked { user.status = .active }
  }
}

extension SimulatedUser {
  func enrollment(of key: IDXAuthenticator.Key) -> Enrollment? {
    enrollments.first { $0.authenticator == key }
  }
}
