/// A signed JWT in compact form.
///
/// Source: RFC 7515, section 7.1; RFC 7519. Nothing that it says is checked: ``IDToken`` does that.
public struct JWT: Sendable, Hashable {
  /// `alg`: how it says it is signed, as it came.
  public let algorithm: String
  /// `kid`: the key that it says it is signed with, as it came; nil where it does not say.
  public let keyID: String?
  /// The header, a JSON object in UTF-8, for display.
  public let header: [UInt8]
  /// What is signed: for an ID token the claims, a JSON object.
  public let payload: [UInt8]

  /// Whether the header names extensions that must be understood, of which there are none here.
  private let hasCriticalExtensions: Bool
  private let signingInput: [UInt8]
  private let signature: [UInt8]

  /// Takes a token apart.
  ///
  /// Throws ``IDTokenError/Code/malformed`` unless it is three parts of Base64url without padding,
  /// with a point between, of which the first is a JSON object with an `alg` and no name twice.
  public init(parsing token: Secret) throws(IDTokenError) {
    let parts = token.revealed.utf8.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw IDTokenError(
        .malformed,
        "The ID token is no signed JWT: it has \(parts.count) parts instead of three.")
    }
    let decoded = parts.compactMap { Base64URL.decode(String(Substring($0))) }
    guard decoded.count == 3 else {
      throw IDTokenError(.malformed, "The ID token is no signed JWT: it is not Base64url.")
    }
    guard let header = JSONMembers(decoded[0])?.decode(Header.self) else {
      throw IDTokenError(
        .malformed, "The ID token is no signed JWT: its header cannot be read, or is ambiguous.")
    }
    algorithm = header.algorithm
    keyID = header.keyID
    hasCriticalExtensions = header.hasCriticalExtensions
    self.header = decoded[0]
    payload = decoded[1]
    signature = decoded[2]
    signingInput = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
  }

  /// Checks the signature, by RS256 and nothing else.
  ///
  /// Throws ``IDTokenError/Code/algorithm``, ``IDTokenError/Code/unknownKey`` or
  /// ``IDTokenError/Code/signature``.
  func verify(with keys: JSONWebKeySet) throws(IDTokenError) {
    guard algorithm.utf8.elementsEqual("RS256".utf8) else {
      throw IDTokenError(
        .algorithm,
        "The ID token is signed by \(algorithm.quotedBriefly), and only RS256 is accepted."
          + " Ask the org's administrator for RS256.")
    }
    guard !hasCriticalExtensions else {
      throw IDTokenError(
        .algorithm, "The ID token has extensions that must be understood (crit), and are not.")
    }
    let candidates = keys.keys(for: keyID)
    guard !candidates.isEmpty else {
      let key = keyID.map { "the key \($0.quotedBriefly)" } ?? "a key that it does not name"
      throw IDTokenError(
        .unknownKey,
        "The ID token is signed with \(key), which is not among the issuer's keys."
          + " Try again; if that does not help, check the issuer in the settings.")
    }
    guard candidates.contains(where: { $0.verify(signature, of: signingInput) }) else {
      throw IDTokenError(
        .signature,
        "The signature of the ID token is not the issuer's, or the token was changed on its way."
          + " Do not trust it; sign in again.")
    }
  }
}

extension JWT: CustomStringConvertible, CustomReflectable {
  /// `signed JWT`, whatever it says.
  public var description: String { "signed JWT" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension JWT {
  private struct Header: Decodable {
    let algorithm: String
    let keyID: String?
    let hasCriticalExtensions: Bool

    enum CodingKeys: String, CodingKey {
      case algorithm = "alg"
      case keyID = "kid"
      case critical = "crit"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      algorithm = try container.decode(String.self, forKey: .algorithm)
      keyID = try container.decodeIfPresent(String.self, forKey: .keyID)
      hasCriticalExtensions = container.contains(.critical)
    }
  }
}
