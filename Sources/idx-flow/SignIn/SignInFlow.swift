import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXBase
import IDXOAuth
import IDXSimulatedOrg

/// The protocol of a sign-in: `--flow` and its options.
enum SignInFlow {
  /// The factors, which the leak check of the address sanitizer would not find in an enum alone: Swift keeps its
  /// case in the highest bits of the pointer.
  private static let factors = DirectAuthFactor.allCases.map(\.rawValue)

  static let options = [
    OptionSpec(
      "--flow", value: "PROTOCOL",
      of: .oneOf(SignInProtocol.all.map(\.rawValue)),
      "idx (default), direct (DirectAuth) or classic (Authentication API)"),
    OptionSpec(
      "--first-factor", value: "LIST", of: .listOf(factors),
      "with --flow direct: password, otp, push, sms, voice, email, webauthn"),
  ]

  /// Identity Engine.
  case idx
  /// OAuth grants, with the factors that may come first.
  case direct([DirectAuthFactor])
  /// The authentication API of older orgs.
  case classic(ClassicAuthClient.End)

  /// Reads the options; throws if a value is unknown, or if options cannot be used together.
  ///
  /// `profile` is the protocol of the profile, for a command line without one.
  init(_ options: CommandLineOptions, profile: String? = nil) throws {
    let name = options.values["--flow"] ?? profile ?? "idx"
    if options.flags.contains("--session-token"), options.values["--store"] != nil {
      throw CommandFailure(
        .usage, "--session-token saves nothing: do not use --store with it.")
    }
    for (option, flow) in [("--first-factor", "direct"), ("--session-token", "classic")] {
      guard flow == name || !(options.flags.contains(option) || options.values[option] != nil)
      else { throw CommandFailure(.usage, "\(option) can only be used with --flow \(flow).") }
    }
    let unsupported: [String]
    switch name {
    case "idx":
      self = .idx
      unsupported = []
    case "direct":
      self = .direct(try Self.factors(options.values["--first-factor"] ?? "password"))
      unsupported = ["--recover", "--unlock", "--register"]
    case "classic":
      self = .classic(options.flags.contains("--session-token") ? .sessionToken : .tokens)
      unsupported = ["--register"]
    // The parser has checked the option, but not the profile.
    default: throw CommandFailure(.usage, "The flow must be idx, direct or classic, not \(name).")
    }
    if let goal = unsupported.first(where: options.flags.contains) {
      throw CommandFailure(.usage, "\(goal) cannot be used with --flow \(name).")
    }
  }

  /// The protocol of a recording, which has the first factor of the recorded sign-in.
  init(_ signInProtocol: SignInProtocol) throws {
    switch signInProtocol {
    case .idx: self = .idx
    case .direct: self = .direct([.password])
    case .classic: self = .classic(.tokens)
    default:
      throw CommandFailure(.usage, "There is no client for the protocol \(signInProtocol).")
    }
  }

  /// The grant types that the app needs, as the Admin Console calls them.
  var grantType: String {
    switch self {
    case .idx: "Interaction Code"
    case .classic: "Authorization Code"
    case .direct: "Resource Owner Password, OTP, OOB, MFA OTP and MFA OOB, as far as it uses them"
    }
  }

  /// The grant types of the first factors, as authorization servers list them.
  var grants: [String] {
    switch self {
    case .idx: ["interaction_code"]
    case .classic: ["authorization_code"]
    case .direct(let factors): factors.map { $0.grant(isSecond: false) }
    }
  }

  /// Whether the protocol needs a redirect URI.
  var needsRedirectURI: Bool {
    switch self {
    case .idx, .classic(.tokens): true
    case .direct, .classic(.sessionToken): false
    }
  }

  /// Whether the sign-in returns a session token, which is printed and not saved, instead of tokens.
  var returnsSessionToken: Bool { if case .classic(.sessionToken) = self { true } else { false } }

  /// The value of `--flow`.
  var name: String { signInProtocol.rawValue }

  /// The protocol of its client.
  var signInProtocol: SignInProtocol {
    switch self {
    case .idx: .idx
    case .direct: .direct
    case .classic: .classic
    }
  }

  func client(over transport: any Transport, _ tokens: TokenClient) -> any FlowClient {
    switch self {
    case .idx: IDXClient(transport: transport, tokens: tokens)
    case .direct(let factors):
      DirectAuthClient(transport: transport, factors: factors, tokens: tokens)
    case .classic(let end):
      ClassicAuthClient(transport: transport, endingWith: end, tokens: tokens)
    }
  }

  private static func factors(_ list: String) throws -> [DirectAuthFactor] {
    let factors = try list.split { $0 == "," || $0 == " " }.map { word in
      guard let factor = DirectAuthFactor(rawValue: String(word)) else {
        let known = DirectAuthFactor.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--first-factor accepts \(known), not \(word).")
      }
      return factor
    }
    guard !factors.isEmpty else {
      throw CommandFailure(.usage, "--first-factor needs at least one factor.")
    }
    return factors
  }
}
