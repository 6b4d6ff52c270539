public import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A private key that tokens are bound to: who has a token, but not its key, cannot use the token.
///
/// It is made for one sign-in, is kept with its tokens in a ``CredentialStore``, and signs the proofs of DPoP with
/// ES256. On Apple platforms, ``make(random:)`` makes it in the Secure Enclave if the device has one, or else in the
/// Keychain, from which it cannot be exported; elsewhere it is as well protected as the tokens. Source: RFC 9449;
/// RFC 7518, section 3.4.
public struct DPoPKey: Sendable, Hashable {
  /// Where the private key is.
  enum Place: Sendable, Hashable {
    /// Here: the number, as 32 bytes in Base64url.
    case software(Secret)
    /// In the Secure Enclave, which alone can read this text: the encrypted key in Base64url.
    case secureEnclave(Secret)
    /// In the Keychain, under this tag.
    case keychain(String)
  }

  let place: Place
  let publicKey: P256.PublicKey

  /// Creates a key that is only as well protected as the tokens, on any platform.
  public static func software(random: RandomBytes = .system) -> DPoPKey {
    DPoPKey(privateKey: P256.privateKey(random))
  }

  /// Creates a key with the best protection of the platform.
  ///
  /// Throws a ``FlowError`` if the Secure Enclave or the Keychain makes none.
  public static func make(random: RandomBytes = .system) throws -> DPoPKey {
    #if canImport(Security)
      try protected()
    #else
      software(random: random)
    #endif
  }

  init(place: Place, publicKey: P256.PublicKey) {
    self.place = place
    self.publicKey = publicKey
  }

  package init(privateKey: [UInt8]) {
    self.init(
      place: .software(Secret(Base64URL.encode(privateKey))),
      publicKey: P256.publicKey(of: privateKey))
  }

  /// The hash of the public key, which a bound token names (`cnf.jkt`): SHA-256 in Base64url (RFC 7638).
  public var thumbprint: String {
    Base64URL.encode(HashFunction.sha256.hash(Array(publicKeyJSON.text.utf8)))
  }

  /// The public key (RFC 7518, section 6.2.1), with the members that a thumbprint has, in its order.
  package var publicKeyJSON: JSONValue {
    [
      "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(publicKey.x)),
      "y": .string(Base64URL.encode(publicKey.y)),
    ]
  }

  /// The signature ES256 of a message: two numbers of 32 bytes (RFC 7518, section 3.4).
  ///
  /// Throws a ``FlowError`` with the code ``FlowError/Code/wrongKey`` if the key cannot be used on this device.
  package func signature(of message: [UInt8]) throws -> [UInt8] {
    switch place {
    case .software(let key):
      guard let key = Base64URL.decode(key.revealed) else { throw Self.unusable }
      return P256.sign(message, with: key).rawRepresentation
    case .secureEnclave, .keychain:
      #if canImport(Security)
        return try signProtected(message)
      #else
        throw Self.unusable
      #endif
    }
  }

  /// Removes the key from the Keychain, if it is there; ``CredentialSession/signOut()`` does it.
  ///
  /// A key in another place is part of the credential, and goes with it.
  public func remove() {
    #if canImport(Security)
      removeProtected()
    #endif
  }

  static let unusable = FlowError(
    .wrongKey,
    "The key that the tokens are bound to cannot be used on this device. Sign in again.")
}

extension DPoPKey: Redacted {
  /// Where the private key is, and its thumbprint.
  public var description: String {
    let words =
      switch place {
      case .software: "in software"
      case .secureEnclave: "in the Secure Enclave"
      case .keychain: "in the Keychain"
      }
    return "DPoP key \(words), thumbprint \(thumbprint)"
  }
}

extension DPoPKey {
  /// What ``encode(to:)`` writes.
  package var json: JSONValue? {
    (try? JSONEncoder().encode(self)).flatMap { try? JSONValue(parsing: $0) }
  }

  /// Reads what ``json`` wrote; nil if it is not a key.
  package init?(json: JSONValue?) {
    guard let json, let key = try? JSONDecoder().decode(DPoPKey.self, from: Data(json.bytes))
    else { return nil }
    self = key
  }
}

extension DPoPKey: Codable {
  private enum CodingKeys: String, CodingKey {
    case type = "kty"
    case curve = "crv"
    case x, y
    case privateKey = "d"
    case secureEnclave = "secure_enclave"
    case keychain
  }

  /// Reads what ``encode(to:)`` wrote; throws a `DecodingError` if it is not a key.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func coordinate(_ key: CodingKeys) throws -> [UInt8] {
      guard let bytes = Base64URL.decode(try container.decode(String.self, forKey: key)),
        bytes.count == 32
      else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "This is not a coordinate.")
      }
      return bytes
    }
    let publicKey = P256.PublicKey(x: try coordinate(.x), y: try coordinate(.y))
    if let key = try container.decodeIfPresent(Secret.self, forKey: .privateKey) {
      guard let bytes = Base64URL.decode(key.revealed), P256.isPrivateKey(bytes),
        P256.publicKey(of: bytes) == publicKey
      else {
        throw DecodingError.dataCorruptedError(
          forKey: .privateKey, in: container, debugDescription: "This is not a private key.")
      }
      self.init(place: .software(key), publicKey: publicKey)
    } else if let key = try container.decodeIfPresent(Secret.self, forKey: .secureEnclave) {
      self.init(place: .secureEnclave(key), publicKey: publicKey)
    } else {
      let tag = try container.decode(String.self, forKey: .keychain)
      self.init(place: .keychain(tag), publicKey: publicKey)
    }
  }

  /// Writes a key in the form of RFC 7517, with the private key in the clear unless the device keeps it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("EC", forKey: .type)
    try container.encode("P-256", forKey: .curve)
    try container.encode(Base64URL.encode(publicKey.x), forKey: .x)
    try container.encode(Base64URL.encode(publicKey.y), forKey: .y)
    switch place {
    case .software(let key): try container.encode(key, forKey: .privateKey)
    case .secureEnclave(let key): try container.encode(key, forKey: .secureEnclave)
    case .keychain(let tag): try container.encode(tag, forKey: .keychain)
    }
  }
}
