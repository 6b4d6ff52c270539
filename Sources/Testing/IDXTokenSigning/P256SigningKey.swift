package import IDXBase
import IDXOAuth

/// A key for ES256: P-256 and SHA-256.
package struct P256SigningKey: SigningKey {
  private let privateKey: [UInt8]
  private let publicKey: P256.PublicKey
  package let algorithm = "ES256"

  /// The key of every simulated org, which anyone can sign with.
  package static let shared = P256SigningKey()

  private init() {
    privateKey = HashFunction.sha256.hash(Array("the simulated org".utf8))
    publicKey = P256.publicKey(of: privateKey)
  }

  package var id: String { Base64URL.encode(HashFunction.sha256.hash(publicKey.x)) }

  package var jwk: JSONValue {
    [
      "kty": "EC", "crv": "P-256", "alg": .string(algorithm), "kid": .string(id), "use": "sig",
      "x": .string(Base64URL.encode(publicKey.x)), "y": .string(Base64URL.encode(publicKey.y)),
    ]
  }

  package func sign(_ message: [UInt8]) -> [UInt8] {
    P256.sign(message, with: privateKey).rawRepresentation
  }
}
