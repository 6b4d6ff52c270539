import IDXFlow
import IDXOAuth

/// The data that a passkey signs besides the client data (WebAuthn Level 2, section 6.1).
struct AuthenticatorData: Hashable {
  struct Flags: OptionSet, Hashable {
    let rawValue: UInt8
    static let userPresent = Flags(rawValue: 0x01)
    static let userVerified = Flags(rawValue: 0x04)
    static let attested = Flags(rawValue: 0x40)
  }

  struct Attested: Hashable {
    let credentialID: [UInt8]
    let publicKey: P256.PublicKey
  }

  let siteHash: [UInt8]
  var flags: Flags
  let counter: UInt32
  let attested: Attested?

  init(site: String, flags: Flags, counter: UInt32, attested: Attested? = nil) {
    siteHash = HashFunction.sha256.hash(Array(site.utf8))
    self.flags = attested == nil ? flags : flags.union(.attested)
    self.counter = counter
    self.attested = attested
  }

  /// Reads data in the format of ``bytes``; nil for others, such as extensions and other key types.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 37 else { return nil }
    siteHash = Array(bytes[..<32])
    flags = Flags(rawValue: bytes[32])
    counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    guard flags.contains(.attested) else {
      guard bytes.count == 37 else { return nil }
      attested = nil
      return
    }
    guard bytes.count >= 55 else { return nil }
    let length = Int(bytes[53]) << 8 | Int(bytes[54])
    let rest = bytes[55...]
    guard rest.count > length, let key = CBOR(Array(rest.dropFirst(length))),
      let publicKey = P256.PublicKey(cose: key)
    else { return nil }
    attested = Attested(credentialID: Array(rest.prefix(length)), publicKey: publicKey)
  }

  var bytes: [UInt8] {
    let count = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32(24 - 8 * $0)) }
    let head = siteHash + [flags.rawValue] + count
    guard let attested else { return head }
    let length = attested.credentialID.count
    let model = [UInt8](repeating: 0, count: 16)
    return head + model + [UInt8(length >> 8), UInt8(length & 255)] + attested.credentialID
      + attested.publicKey.cose.encoded
  }
}

/// An attestation object (WebAuthn Level 2, section 6.5.4).
struct AttestationObject {
  let authenticatorData: [UInt8]
  private let format: CBOR
  private let statement: CBOR

  init?(_ bytes: [UInt8]) {
    guard let object = CBOR(bytes), let data = object["authData"]?.bytes,
      let format = object["fmt"], let statement = object["attStmt"]
    else { return nil }
    authenticatorData = data
    self.format = format
    self.statement = statement
  }

  /// Whether the org accepts the attestation: none, or a valid self attestation.
  func isVerified(by key: P256.PublicKey, clientDataHash: [UInt8]) -> Bool {
    switch format {
    case "none": return statement == .map([:])
    case "packed":
      guard statement["alg"] == -7, statement["x5c"] == nil,
        let signature = statement["sig"]?.bytes.flatMap(P256.Signature.init(der:))
      else { return false }
      return P256.verify(signature, of: authenticatorData + clientDataHash, by: key)
    default: return false
    }
  }
}

extension P256.PublicKey {
  /// The key in COSE: an elliptic curve key for ES256 (RFC 9053, section 7.1.1).
  fileprivate var cose: CBOR { .map([1: 2, 3: -7, -1: 1, -2: .bytes(x), -3: .bytes(y)]) }

  fileprivate init?(cose: CBOR) {
    guard cose[1] == 2, cose[3] == -7, cose[-1] == 1, let x = cose[-2]?.bytes,
      let y = cose[-3]?.bytes, x.count == 32, y.count == 32
    else { return nil }
    self.init(x: x, y: y)
  }
}
