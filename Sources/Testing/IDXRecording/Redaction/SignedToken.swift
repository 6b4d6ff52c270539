import IDXBase
import IDXOAuth

/// A text that is a signed token (RFC 7519, section 3): two objects of JSON and a signature.
struct SignedToken {
  let header: JSONValue
  let claims: JSONValue
  /// In Base64url, not checked.
  let signature: String

  /// Reads a token; nil if the text is none.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3,
      let header = Base64URL.decode(parts[0]).flatMap({ try? JSONValue(parsing: $0) }),
      let claims = Base64URL.decode(parts[1]).flatMap({ try? JSONValue(parsing: $0) }),
      header.object != nil, claims.object != nil
    else { return nil }
    (self.header, self.claims, signature) = (header, claims, parts[2])
  }
}
