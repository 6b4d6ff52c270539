public import IDXBase

/// The proof that who redeems a code is who asked for it, by the method S256.
///
/// Source: RFC 7636.
///
/// The challenge goes with the first request, the verifier with the request for tokens. Encoding
/// writes the verifier in the clear: protect what you encode.
public struct PKCE: Sendable, Hashable, Codable {
  /// The value of `code_challenge_method`.
  public static let method = "S256"

  /// The value of `code_verifier`, kept by the client until the end.
  public let verifier: Secret

  /// A pair with a new verifier of 43 characters, made of 32 random bytes.
  public init(random: RandomBytes = .system) { verifier = Secret(random.token(bytes: 32)) }

  /// A pair with a verifier that was made before.
  ///
  /// Nil unless it has 43 to 128 characters out of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`
  /// (section 4.1).
  public init?(verifier: Secret) {
    let characters = verifier.revealed.utf8
    guard (43...128).contains(characters.count), characters.allSatisfy(FormURLEncoding.isUnreserved)
    else { return nil }
    self.verifier = verifier
  }

  /// The value of `code_challenge`: 43 characters, from which the verifier cannot be found.
  public var challenge: String { Self.challenge(for: verifier.revealed) }

  /// The challenge that belongs to a verifier, as a server works it out (section 4.6).
  package static func challenge(for verifier: String) -> String {
    Base64URL.encode(HashFunction.sha256.hash(Array(verifier.utf8)))
  }

  private enum CodingKeys: CodingKey {
    case verifier
  }

  /// Reads the verifier; throws a `DecodingError` where it is none.
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

/// A source of random bytes.
///
/// ``system`` is right everywhere but in tests, which give bytes of their own:
///
///     let random = RandomBytes { count in [UInt8](repeating: 7, count: count) }
public struct RandomBytes: Sendable {
  private let make: @Sendable (Int) -> [UInt8]

  /// A source that calls `make` with the number of bytes wanted; it must return that many.
  public init(_ make: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.make = make }

  /// The system's generator, fit for secrets.
  public static let system = RandomBytes { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in generator.next() }
  }

  /// This many random bytes.
  public func callAsFunction(_ count: Int) -> [UInt8] {
    let bytes = make(count)
    precondition(bytes.count == count, "A source of random bytes returned another number of them.")
    return bytes
  }

  /// Random bytes as text that is safe in URLs, such as a `state` or a `nonce`.
  ///
  /// It is Base64 for URLs: 32 bytes, the default, make 43 characters.
  public func token(bytes: Int = 32) -> String { Base64URL.encode(self(bytes)) }
}
