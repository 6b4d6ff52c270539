import DirectAuth
import IDXFlow
import OAuth

/// The protocol that a sign-in speaks: `--flow`, and what goes with it.
enum SignInFlow {
  /// Identity Engine.
  case idx
  /// OAuth grants, one of these factors coming first.
  case direct([DirectAuthFactor])

  /// Throws where an option names nothing, or does not go with another.
  init(_ options: CommandLineOptions) throws {
    let factors = options.values["--first-factor"]
    switch options.values["--flow"] ?? "idx" {
    case "idx":
      guard factors == nil else {
        throw CommandFailure(.usage, "--first-factor goes with --flow direct alone.")
      }
      self = .idx
    case "direct":
      if let goal = ["--recover", "--unlock", "--register"].first(where: options.flags.contains) {
        throw CommandFailure(.usage, "\(goal) cannot be done with --flow direct.")
      }
      self = .direct(try Self.factors(factors ?? "password"))
    case let word:
      throw CommandFailure(.usage, "--flow is idx or direct, not \(word).")
    }
  }

  /// Whether a browser may come back, so that a redirect URI must be known.
  var needsRedirectURI: Bool { if case .idx = self { true } else { false } }

  func client(over transport: any Transport, _ tokens: TokenClient) -> any FlowClient {
    switch self {
    case .idx: IDXClient(transport: transport, tokens: tokens)
    case .direct(let factors):
      DirectAuthClient(transport: transport, factors: factors, tokens: tokens)
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
