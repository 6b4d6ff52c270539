package import IDXBase

/// A signed JWT in compact form, unchecked; ``IDToken`` checks it.
///
/// Source: RFC 7515, section 7.1; RFC 7519.
package struct JWT: Sendable, Hashable {
  /// `alg`: the algorithm that the token names.
  package let algorithm: String
  /// `kid`: the key that the token names.
  package let keyID: String?
  /// The header, a JSON object in UTF-8.
  package let header: [UInt8]
  /// The signed content: for an ID token, a JSON object of claims.
  package let payload: [UInt8]

  /// `typ`: the kind of token; nil if the header does not say.
  private let type: String?
  private let hasCriticalExtensions: Bool
  private let signingInput: [UInt8]
  private let signature: [UInt8]

  /// Splits a token into its parts.
  ///
  /// Throws ``IDTokenError/Code/malformed`` unless the token has three parts in Base64url without
  /// padding, joined by dots, and the first is a JSON object with an `alg` and no repeated name.
  package init(parsing token: Secret) throws(IDTokenError) {
    let bytes = Array(token.revealed.utf8)
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw IDTokenError(
        .malformed,
        "The ID token is not a signed JWT: it has \(parts.count) parts instead of three.")
    }
    let decoded = parts.compactMap { Base64URL.decode($0) }
    guard decoded.count == 3 else {
      throw IDTokenError(.malformed, "The ID token is not a signed JWT: it is not Base64url.")
    }
    guard let header = JSONDocument(parsingUnique: decoded[0]),
      let algorithm = header.member("alg", of: 0).flatMap(header.string),
      case let keyID = header.member("kid", of: 0).map(header.value) ?? .null,
      case let type = header.member("typ", of: 0).map(header.value) ?? .null,
      keyID == .null || keyID.string != nil, type == .null || type.string != nil
    else {
      throw IDTokenError(
        .malformed,
        "The ID token is not a signed JWT: its header cannot be read, or a name in it occurs twice."
      )
    }
    self.algorithm = algorithm
    self.keyID = keyID.string
    self.type = type.string
    hasCriticalExtensions = header.member("crit", of: 0) != nil
    self.header = decoded[0]
    payload = decoded[1]
    signature = decoded[2]
    signingInput = Array(bytes[..<parts[1].endIndex])
  }

  /// Checks the kind and the signature; only RS256 and ES256 are accepted.
  ///
  /// A token of another kind, such as an access token (`at+jwt`), is refused, because the issuer signs it
  /// with the same keys (RFC 8725, section 3.11). Throws ``IDTokenError/Code/malformed``,
  /// ``IDTokenError/Code/algorithm``, ``IDTokenError/Code/unknownKey`` or
  /// ``IDTokenError/Code/signature``.
  package func verify(with keys: JSONWebKeySet) throws(IDTokenError) {
    guard ["jwt", nil].contains(type?.lowercased()) else {
      throw IDTokenError(
        .malformed, "The server sent a token of another kind (typ) instead of an ID token.")
    }
    guard VerificationKey.algorithms.contains(where: { algorithm.utf8.elementsEqual($0.utf8) })
    else {
      throw IDTokenError(
        .algorithm,
        "The ID token is signed with \(algorithm.quotedBriefly), and only RS256 and ES256 are accepted."
          + " Ask the org's administrator for RS256.")
    }
    guard !hasCriticalExtensions else {
      throw IDTokenError(
        .algorithm,
        "The ID token requires extensions (crit) that are not supported here. Ask the org's"
          + " administrator for a token without them.")
    }
    let candidates = keys.keys(for: keyID, algorithm)
    guard !candidates.isEmpty else {
      let key = keyID.map { "the key \($0.quotedBriefly)" } ?? "a key that it does not name"
      throw IDTokenError(
        .unknownKey,
        "The ID token is signed with \(key), which is not one of the issuer's keys."
          + " Try again. If that does not help, check the issuer in the settings.")
    }
    guard candidates.contains(where: { $0.verify(signature, of: signingInput) }) else {
      throw IDTokenError(
        .signature,
        "The signature of the ID token is not the issuer's, or the token was changed on its way."
          + " Do not trust it. Sign in again.")
    }
  }
}

extension JWT: Redacted {
  package var description: String { "signed JWT" }
}
