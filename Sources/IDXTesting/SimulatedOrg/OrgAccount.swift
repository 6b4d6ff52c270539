import IDX
import IDXBase
import IDXOAuth

/// A user, with what the org remembers about them.
///
/// A name that nobody has gets an account too, which no password opens, so that the org answers alike.
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
  /// Counters of codes that were accepted: no code is accepted twice.
  var usedCounters: [IDXAuthenticator.Key: Set<UInt64>] = [:]
  /// The counter of the next code, if a token must show two codes in a row.
  var awaitedCounters: [IDXAuthenticator.Key: UInt64] = [:]
  /// Tokens that have shown two codes in a row.
  var synchronizedTokens: Set<IDXAuthenticator.Key> = []
  /// How often a key was touched.
  var presses: [IDXAuthenticator.Key: UInt64] = [:]
  /// How often each passkey had signed when it last did, by its id.
  var passkeyCounters: [[UInt8]: UInt32] = [:]
  var pushes = 0
  /// Authenticators whose pushes are sent without asking.
  var autoChallenges: Set<IDXAuthenticator.Key> = []

  init(_ user: SimulatedUser) {
    self.user = user
    exists = true
  }

  init(nobodyCalled login: String) {
    user = SimulatedUser(login: login, password: "")
    exists = false
  }

  var id: String { Self.id(of: user.login) }
  static func id(of login: String) -> String { OrgSettings.id("00u", login.lowercased()) }

  /// Whether a right answer is accepted.
  var isOpen: Bool { exists && user.status != .locked }
  /// Whether there is a password: a user who registers has none at first.
  var hasPassword: Bool { !exists || !user.password.revealed.isEmpty }

  func has(_ key: IDXAuthenticator.Key) -> Bool {
    key == .password || user.enrollment(of: key) != nil
  }

  /// The id of an enrollment, by its position; nil for the password.
  func enrollmentID(at index: Int?) -> String {
    let login = user.login.lowercased()
    guard let index, user.enrollments.indices.contains(index) else {
      return OrgSettings.id(OrgAuthenticator.password.idPrefix, login)
    }
    let key = user.enrollments[index].authenticator
    return OrgSettings.id(
      OrgAuthenticator[key]?.idPrefix ?? "enr", login, key.rawValue, String(index))
  }
}

extension SimulatedUser {
  func enrollment(of key: IDXAuthenticator.Key) -> Enrollment? {
    enrollments.first { $0.authenticator == key }
  }
}
