import IDXBase

/// A public key with which a signature is checked.
enum VerificationKey: Sendable, Hashable {
  case rsa(RSAPublicKey)
  case p256(P256.PublicKey)

  /// The algorithms of ``algorithm``.
  static let algorithms = ["RS256", "ES256"]

  /// Reads a key (RFC 7518, sections 6.2.1 and 6.3.1); nil if it is no key of these kinds.
  init?(_ json: JSONValue) {
    func bytes(_ name: String) -> [UInt8]? { json[name]?.string.flatMap(Base64URL.decode) }
    switch json["kty"]?.string {
    case "RSA":
      guard let modulus = bytes("n"), let exponent = bytes("e"),
        let key = RSAPublicKey(modulus: modulus, exponent: exponent)
      else { return nil }
      self = .rsa(key)
    case "EC":
      guard json["crv"]?.string == "P-256", let x = bytes("x"), let y = bytes("y"),
        let key = P256.PublicKey(checkingX: x, y: y)
      else { return nil }
      self = .p256(key)
    default: return nil
    }
  }

  /// The algorithm of its signatures (RFC 7518, section 3.1).
  var algorithm: String {
    switch self {
    case .rsa: "RS256"
    case .p256: "ES256"
    }
  }

  func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch self {
    case .rsa(let key): key.verify(signature, of: message)
    case .p256(let key):
      P256.Signature(rawRepresentation: signature).map { P256.verify($0, of: message, by: key) }
        ?? false
    }
  }
}
