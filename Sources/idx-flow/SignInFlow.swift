import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXOAuth

/// The protocol that a sign-in speaks: `--flow`, and what goes with it.
enum SignInFlow {
  /// Identity Engine.
  case idx
  /// OAuth grants, one of these factors coming first.
  case direct([DirectAuthFactor])
  /// The authentication API of older orgs.
  case classic(ClassicAuthClient.Result)

  /// Throws where an option names nothing, or does not go with another.
  init(_ options: CommandLineOptions) throws {
    let word = options.values["--flow"] ?? "idx"
    if options.flags.contains("--session-token"), options.values["--store"] != nil {
      throw CommandFailure(.usage, "--session-token keeps nothing, so --store does not go with it.")
    }
    for (option, flow) in [("--first-factor", "direct"), ("--session-token", "classic")] {
      guard flow == word || !(options.flags.contains(option) || options.values[option] != nil)
      else { throw CommandFailure(.usage, "\(option) goes with --flow \(flow) alone.") }
    }
    let impossible: [String]
    switch word {
    case "idx":
      self = .idx
      impossible = []
    case "direct":
      self = .direct(try Self.factors(options.values["--first-factor"] ?? "password"))
      impossible = ["--recover", "--unlock", "--register"]
    case "classic":
      self = .classic(options.flags.contains("--session-token") ? .sessionToken : .tokens)
      impossible = ["--register"]
    default:
      throw CommandFailure(.usage, "--flow is idx, direct or classic, not \(word).")
    }
    if let goal = impossible.first(where: options.flags.contains) {
      throw CommandFailure(.usage, "\(goal) cannot be done with --flow \(word).")
    }
  }

  /// Whether the server redirects there, so that a redirect URI must be known.
  var needsRedirectURI: Bool {
    switch self {
    case .idx, .classic(.tokens): true
    case .direct, .classic(.sessionToken): false
    }
  }

  /// Whether it ends with something else than tokens, which is printed and not kept.
  var returnsSessionToken: Bool { if case .classic(.sessionToken) = self { true } else { false } }

  /// What `--flow` calls it.
  var name: String {
    switch self {
    case .idx: "idx"
    case .direct: "direct"
    case .classic: "classic"
    }
  }

  /// Whether the demo of a name shows by this protocol what it is for.
  func canPlay(_ demo: String) -> Bool {
    switch self {
    case .idx: true
    case .direct: Self.everywhere.contains(demo)
    case .classic: Self.everywhere.contains(demo) || Self.classic.contains(demo)
    }
  }

  private static let everywhere: Set = [
    "basic", "password", "email", "phone", "google", "push", "push-number", "push-rejected",
    "push-timeout", "passkey", "choose-factor", "password-expired", "locked", "consent", "denied",
  ]

  private static let classic: Set = [
    "two-phones", "okta-verify-code", "symantec-vip", "yubikey", "rsa", "rsa-next-token",
    "security-question", "enroll-phone", "enroll-okta-verify", "enroll-google", "enroll-question",
    "enroll-all", "recover", "recover-question", "recover-phone", "unlock", "locked-shown",
    "password-expiring",
  ]

  func client(over transport: any Transport, _ tokens: TokenClient) -> any FlowClient {
    switch self {
    case .idx: IDXClient(transport: transport, tokens: tokens)
    case .direct(let factors):
      DirectAuthClient(transport: transport, factors: factors, tokens: tokens)
    case .classic(let result):
      ClassicAuthClient(transport: transport, returning: result, tokens: tokens)
    }
  }

  private static func factors(_ list: String) throws -> [DirectAuthFactor] {
    let factors = try list.split { $0 == "," || $0 == " " }.map { word in
      guard let factor = DirectAuthFactor(rawValue: String(word)) else {
        let known = DirectAuthFactor.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--first-factor takes \(known), not \(word).")
      }
      return factor
    }
    guard !factors.isEmpty else { throw CommandFailure(.usage, "--first-factor names none.") }
    return factors
  }
}
