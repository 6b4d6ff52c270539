public import IDXBase

/// A PKCE verifier and its S256 challenge.
///
/// The first request contains the challenge, and the token request contains the verifier. This proves
/// that the client that redeems a code is the one that requested it. The encoded form contains the
/// verifier, which must stay secret. Source: RFC 7636.
public struct PKCE: Sendable, Hashable, Codable {
  /// The value of `code_challenge_method`: `S256`.
  public static let method = "S256"

  /// The value of `code_verifier`, which the client keeps until the token request.
  public let verifier: Secret

  /// Creates a new verifier with 43 characters from 32 random bytes.
  public init(random: RandomBytes = .system) { verifier = Secret(random.token(bytes: 32)) }

  /// Takes an existing verifier.
  ///
  /// Nil unless it has 43 to 128 of the characters A-Z, a-z, 0-9, `-`, `.`, `_` and `~` (RFC 7636,
  /// section 4.1).
  package init?(verifier: Secret) {
    let characters = verifier.revealed.utf8
    guard (43...128).contains(characters.count), characters.allSatisfy(FormURLEncoding.isUnreserved)
    else { return nil }
    self.verifier = verifier
  }

  /// The value of `code_challenge`: 43 characters, which do not reveal the verifier.
  public var challenge: String { Self.challenge(for: verifier.revealed) }

  /// The challenge of a verifier, as a server computes it (section 4.6).
  package static func challenge(for verifier: String) -> String {
    Base64URL.encode(HashFunction.sha256.hash(Array(verifier.utf8)))
  }

  private enum CodingKeys: CodingKey {
    case verifier
  }

  /// Reads the verifier; throws a `DecodingError` if it is not valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let pair = PKCE(verifier: try container.decode(Secret.self, forKey: .verifier)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .verifier, in: container,
        debugDescription: "A PKCE verifier has 43 to 128 unreserved characters.")
    }
    self = pair
  }
}
