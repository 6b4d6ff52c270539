package import IDXBase
import IDXOAuth

/// A JSON web token before it is signed.
package struct UnsignedToken: Sendable {
  package var header: JSONValue
  package var claims: JSONValue

  /// A token with the ID of a key.
  package init(_ claims: JSONValue, naming key: any SigningKey) {
    header = ["kid": .string(key.id), "alg": .string(key.algorithm)]
    self.claims = claims
  }

  package var signingInput: String {
    Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
  }

  /// The token in its compact form (RFC 7515, section 7.1).
  package func signed(by key: any SigningKey) -> String {
    let input = signingInput
    return input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
  }
}

extension JSONValue {
  /// The `at_hash` of an access token (OpenID Connect Core, section 3.1.3.6).
  package static func tokenHash(_ accessToken: String) -> JSONValue {
    let hash = HashFunction.sha256.hash(Array(accessToken.utf8))
    return .string(Base64URL.encode(Array(hash.prefix(16))))
  }
}
