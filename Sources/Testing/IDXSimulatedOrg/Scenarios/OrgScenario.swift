public import IDXFlow

/// A ``SimulatedOrg`` for a demo or a test: its users, its policy, and hints for signing in.
///
///     let org = SimulatedOrg(OrgScenario["push"], seed: 1)
///
/// `idx-flow signin --demo list` shows the name of each prepared scenario: the demo with that name signs in to the same
/// org. To add one, add a row to a list of this folder.
public struct OrgScenario: Sendable {
  /// The name of the scenario and of its demo, such as `push`.
  public let name: String
  /// What it shows, in one line.
  public let summary: String
  /// The users; the first one is the person of the demo.
  public var users: [SimulatedUser]
  /// What the org requires of users and offers them.
  public var policy: SignInPolicy
  /// What the person of the demo wants; nil if it is only to sign in.
  public var goal: Goal?
  /// What a person needs to know besides the first user's login and password, one line each.
  public var hints: [String]
  /// The protocols in which it can be played.
  public let protocols: Set<SignInProtocol>

  /// Creates a scenario; by default it is for IDX only.
  public init(
    name: String, summary: String, users: [SimulatedUser] = [.demo], policy: SignInPolicy,
    goal: Goal? = nil, hints: [String] = [], protocols: Set<SignInProtocol> = [.idx]
  ) {
    self.name = name
    self.summary = summary
    self.users = users
    self.policy = policy
    self.goal = goal
    self.hints = hints
    // The page of an org has the steps of Identity Engine.
    self.protocols = protocols.contains(.idx) ? protocols.union([.hosted]) : protocols
  }
}

extension OrgScenario: CustomStringConvertible {
  /// The name, which test output then shows.
  public var description: String { name }
}

extension OrgScenario {
  /// Scenarios that belong together.
  public struct Group: Sendable {
    /// The title, such as `Passkeys`.
    public let title: String
    /// The scenarios of the group, in the order of `--demo list`.
    public let scenarios: [OrgScenario]

    init(_ title: String, _ scenarios: [OrgScenario]) {
      self.title = title
      self.scenarios = scenarios
    }
  }

  /// All prepared scenarios, in groups.
  public static let groups = [
    Group("To begin with", [demo]), Group("Verify with an authenticator", challenges),
    Group("Set up an authenticator", enrollments), Group("Passkeys", passkeys),
    Group("Forgotten passwords and locked accounts", recoveries),
    Group("New accounts", registrations), Group("Passwords to replace", passwords),
    Group("Other ways to sign in", otherWays), Group("Other steps", interstitials),
  ]

  /// All prepared scenarios.
  public static let all = groups.flatMap(\.scenarios)

  /// The prepared scenario with this name, such as `push`.
  ///
  /// - Precondition: There is one; ``named(_:)`` is for names that a person enters.
  public static subscript(name: String) -> OrgScenario {
    guard let found = named(name) else {
      preconditionFailure("There is no scenario \(name). The names: \(all.map(\.name))")
    }
    return found
  }

  /// The prepared scenario with this name; nil if there is none.
  public static func named(_ name: String) -> OrgScenario? {
    // Most demos are this one, and creating all of them takes longer than the sign-in.
    name == demo.name ? demo : all.first { $0.name == name }
  }

  /// The prepared scenarios for a protocol.
  public static func all(for signInProtocol: SignInProtocol) -> [OrgScenario] {
    all.filter { $0.protocols.contains(signInProtocol) }
  }

  /// A password, then Google Authenticator or email to set up; both can be skipped (`basic`).
  public static let demo = OrgScenario(
    name: "basic",
    summary: "a password, then Google Authenticator or email to set up (not with DirectAuth)",
    policy: .demo, protocols: .every.union(SignInProtocol.onPages))
}

extension Set<SignInProtocol> {
  // A protocol that is added to `SignInProtocol.all` has no scenarios yet.
  static let every: Self = [.idx, .direct, .classic]
  static let idxAndClassic: Self = [.idx, .classic]
}

extension SimulatedUser {
  /// The user of the scenarios: `ada@example.com`, with the password `Analytical-1843`.
  public static let demo = SimulatedUser(login: "ada@example.com", password: "Analytical-1843")

  /// The same user with these authenticators in place of the others.
  public func with(_ enrollments: Enrollment...) -> SimulatedUser {
    with { $0.enrollments = enrollments }
  }

  /// The same user with a change.
  ///
  ///     let locked = SimulatedUser.demo.with { $0.status = .locked }
  public func with(_ change: (inout SimulatedUser) -> Void) -> SimulatedUser {
    var user = self
    change(&user)
    return user
  }
}
