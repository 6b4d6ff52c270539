import IDXBase
import IDX
import IDXOAuth

/// What a passkey signs beside what it says itself: the challenge, and where it was given.
///
/// Platforms make their own from the challenge; authenticators that are no platform take this one.
/// Source: WebAuthn Level 2, sections 5.8.1 and 5.8.1.1.
public struct PasskeyClientData: Sendable, Hashable {
  /// The bytes of the JSON object, to be sent as they are.
  public let json: [UInt8]

  /// The SHA-256 of ``json``, 32 bytes, which is what is signed.
  public var hash: [UInt8] { HashFunction.sha256.hash(json) }

  enum Kind: String {
    case create = "webauthn.create"
    case get = "webauthn.get"
  }

  init(_ kind: Kind, challenge: [UInt8], origin: String) {
    // The order is the standard's: some servers compare bytes.
    let object: JSONValue = [
      "type": .string(kind.rawValue), "challenge": .string(Base64URL.encode(challenge)),
      "origin": .string(origin), "crossOrigin": false,
    ]
    json = object.bytes
  }
}
