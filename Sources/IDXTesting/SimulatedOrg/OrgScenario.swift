/// A situation at a ``SimulatedOrg``: who can sign in, what the org demands of them, and what a person
/// has to know to get through it.
///
///     let org = SimulatedOrg(.demo, seed: 1)
public struct OrgScenario: Sendable {
  /// The name by which it is asked for, such as `push`.
  public let name: String
  /// What it shows, in a line.
  public let summary: String
  /// Who can sign in.
  public var users: [SimulatedUser]
  /// What the org demands.
  public var policy: SignInPolicy
  /// What a person must know beside the login and the password of the first user: a line each.
  public var hints: [String]

  /// A situation.
  public init(
    name: String, summary: String, users: [SimulatedUser] = [.demo], policy: SignInPolicy,
    hints: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.users = users
    self.policy = policy
    self.hints = hints
  }
}

extension OrgScenario {
  /// All that are known by name.
  public static let all: [OrgScenario] = [demo] + factors + passkeys + accounts

  /// The one of a name; nil where there is none.
  public static func named(_ name: String) -> OrgScenario? { all.first { $0.name == name } }

  /// A password, then Google Authenticator or e-mail to set up, or neither.
  public static let demo = OrgScenario(
    name: "basic", summary: "a password, then Google Authenticator or e-mail to set up",
    policy: .demo)
}

extension SimulatedUser {
  /// The person of the scenarios: `ada@example.com`, whose password is `Analytical-1843`.
  public static let demo = SimulatedUser(login: "ada@example.com", password: "Analytical-1843")

  /// The user with this set up, in place of what was.
  func with(_ enrollments: Enrollment...) -> SimulatedUser {
    var user = self
    user.enrollments = enrollments
    return user
  }
}
