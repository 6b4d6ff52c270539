import IDXFlow
import IDXBase
import IDXOAuth
import IDXPrompt
import IDXSimulatedOrg
import TerminalSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A sign-in at a pseudo-terminal, with everything that it shows.
struct TerminalSession {
  /// A terminal without color but with symbols, for readable transcripts.
  static let plain = ["TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_COLOR": "1"]
  /// 10 s after the start of a time step of 30 s.
  static let moment = Date(timeIntervalSince1970: 1_900_000_000)

  let pseudo: PseudoTerminal
  let before: PseudoTerminal.Settings
  let task: Task<Outcome, any Error>
  /// The output so far, with the line ends of a file.
  private(set) var shown = ""

  private static let end = "\u{1}"

  /// Starts a sign-in to a server, with the issuer of a simulated org. `sleep` waits between polls; by
  /// default it returns at once.
  init(
    _ server: some Transport, columns: UInt16 = 80, rows: UInt16 = 24,
    environment: [String: String] = TerminalSession.plain, drawsQRCodes: Bool = false,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in },
    passkeys: (any PasskeyProvider)? = nil, startsOver: Bool = false
  ) throws {
    pseudo = try PseudoTerminal()
    pseudo.resize(columns: columns, rows: rows)
    before = pseudo.settings
    let terminal = try InteractiveTerminal(path: pseudo.path, environment: environment)
    let frontEnd = TerminalFrontEnd(
      terminal: terminal, drawsQRCodes: drawsQRCodes, passkeys: passkeys, now: { Self.moment })
    let configuration = try FlowConfiguration(
      issuer: "https://demo.okta.example/oauth2/default", clientID: "0oaDemoApp0000000001",
      redirectURI: "com.example.demo:/callback")
    var handlers = Handlers.showing(
      Screens(canUsePasskeys: passkeys != nil), on: frontEnd, now: { Self.moment })
    if !startsOver { handlers.atEnd = nil }
    let coordinator = FlowCoordinator(
      client: IDXClient(
        transport: server, tokens: TokenClient(transport: server, now: { Self.moment })),
      handlers: handlers, sleep: sleep,
      observe: { frontEnd.report($0) })
    task = Task {
      defer { terminal.write(Self.end) }
      return try await coordinator.run(configuration)
    }
  }

  /// Plays a sign-in to its end, with a line for each prompt; `signingIn` types Ada's username and
  /// password first.
  static func play(
    _ server: some Transport, signingIn: Bool = false, _ lines: KeyValuePairs<String, String>
  ) async throws -> (shown: String, result: Result<Outcome, any Error>) {
    var session = try TerminalSession(server)
    if signingIn { try await session.signIn() }
    try await session.answer(lines)
    let result = try await session.end()
    return (session.shown, result)
  }

  /// Waits for each prompt and types its line, with Enter unless it is Ctrl-D.
  mutating func answer(_ lines: KeyValuePairs<String, String>) async throws {
    for (prompt, line) in lines {
      try await type(line == "\u{4}" ? line : "\(line)\n", at: prompt)
    }
  }

  /// Types Ada's username and password.
  mutating func signIn() async throws {
    try await answer(["Username: ": "ada@example.com", "Password: ": "Analytical-1843"])
  }

  /// What ``signIn()`` shows.
  static let signedIn = """
    Sign in to Demo app
    Username: ada@example.com
    Password: ••••••••
    """

  /// What the policy `.demo` shows after that, up to the number that is typed.
  static let secondFactors = """

    Set up a second factor
      It protects your account if somebody else knows your password.
      1  Google Authenticator
      2  Email
      3  Skip for now
    Choose 1-3: 
    """

  /// Waits for a prompt and presses keys.
  mutating func type(_ keys: String, at prompt: String) async throws {
    shown += try await pseudo.shown(until: prompt)
    try pseudo.type(keys)
  }

  /// Waits for the end of the sign-in and returns its result.
  mutating func end() async throws -> Result<Outcome, any Error> {
    shown += try await pseudo.shown(until: Self.end)
    shown = String(shown.filter { $0 != "\r" && $0 != "\u{1}" }.map { $0 == "\r\n" ? "\n" : $0 })
    return await task.result
  }
}

extension Result<Outcome, any Error> {
  var isSignedIn: Bool {
    if case .success(.signedIn) = self { true } else { false }
  }
  var isCancelled: Bool {
    switch self {
    case .success(.cancelled): true
    case .failure(let error): error is CancellationError
    default: false
    }
  }
}

/// An org with one user, Ada, whose clock stands still.
func makeOrg(
  _ policy: SignInPolicy = .demo, _ enrollments: [SimulatedUser.Enrollment] = [],
  login: String = "ada@example.com", status: SimulatedUser.Status = .active
) -> SimulatedOrg {
  let ada = SimulatedUser(
    login: login, password: "Analytical-1843", status: status, enrollments: enrollments)
  return SimulatedOrg(users: [ada], policy: policy, seed: 7, clock: { TerminalSession.moment })
}
