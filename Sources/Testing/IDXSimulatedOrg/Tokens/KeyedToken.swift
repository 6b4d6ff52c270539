import IDXBase
import IDXOAuth

/// A JWT that contains the public key of its signature: a proof of DPoP, or the answer of a device.
struct KeyedToken {
  let isSignatureValid: Bool
  let thumbprint: String
  private let claims: JSONValue

  /// Reads a token; nil unless it is a JWT of this type, with the public key alone, for ES256.
  init?(_ text: String, type: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let decoded = parts.compactMap { Base64URL.decode($0) }
    guard parts.count == 3, decoded.count == 3,
      let signature = P256.Signature(rawRepresentation: decoded[2]),
      let header = try? JSONValue(parsing: decoded[0]),
      let claims = try? JSONValue(parsing: decoded[1]), claims.object != nil,
      header["typ"]?.string == type, header["alg"]?.string == "ES256",
      let jwk = header["jwk"], jwk["d"] == nil, jwk["kty"]?.string == "EC",
      jwk["crv"]?.string == "P-256",
      let x = jwk["x"]?.string, let y = jwk["y"]?.string,
      let xBytes = Base64URL.decode(x), let yBytes = Base64URL.decode(y)
    else { return nil }
    self.claims = claims
    isSignatureValid = P256.verify(
      signature, of: Array("\(parts[0]).\(parts[1])".utf8), by: P256.PublicKey(x: xBytes, y: yBytes)
    )
    let members: JSONValue = ["crv": "P-256", "kty": "EC", "x": .string(x), "y": .string(y)]
    thumbprint = Base64URL.encode(HashFunction.sha256.hash(members.bytes))
  }

  subscript(claim: String) -> JSONValue? { claims[claim] }
}
