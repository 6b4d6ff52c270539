import IDXFlow
import IDXOAuth

/// The data that a passkey signs besides the client data (WebAuthn Level 2, section 6.1).
struct AuthenticatorData: Hashable {
  struct Flags: OptionSet, Hashable {
    let rawValue: UInt8
    static let userPresent = Flags(rawValue: 0x01)
    static let userVerified = Flags(rawValue: 0x04)
    static let attested = Flags(rawValue: 0x40)
    static let extended = Flags(rawValue: 0x80)
  }

  struct Attested: Hashable {
    /// The model of the authenticator, 16 bytes; zeros if it does not say.
    var aaguid = [UInt8](repeating: 0, count: 16)
    let credentialID: [UInt8]
    let publicKey: P256.PublicKey
  }

  let siteHash: [UInt8]
  var flags: Flags
  let counter: UInt32
  let attested: Attested?
  /// The results of extensions, a map; nil if there are none.
  let extensions: CBOR?

  init(
    site: String, flags: Flags, counter: UInt32, attested: Attested? = nil, extensions: CBOR? = nil
  ) {
    siteHash = HashFunction.sha256.hash(Array(site.utf8))
    self.flags =
      flags.union(attested == nil ? [] : .attested).union(extensions == nil ? [] : .extended)
    self.counter = counter
    self.attested = attested
    self.extensions = extensions
  }

  /// Reads data in the format of ``bytes``; nil for others, such as other key types.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 37 else { return nil }
    siteHash = Array(bytes[..<32])
    flags = Flags(rawValue: bytes[32])
    counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var rest = bytes[37...]
    attested = flags.contains(.attested) ? Attested(from: &rest) : nil
    guard flags.contains(.attested) == (attested != nil) else { return nil }
    extensions = flags.contains(.extended) ? CBOR(rest) : nil
    if case .map? = extensions { return }
    guard !flags.contains(.extended), rest.isEmpty else { return nil }
  }

  var bytes: [UInt8] {
    let count = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32(24 - 8 * $0)) }
    let head = siteHash + [flags.rawValue] + count
    return head + (attested?.bytes ?? []) + (extensions?.encoded ?? [])
  }
}

extension AuthenticatorData.Attested {
  /// Removes the bytes of a key; nil if they are not in the format of ``bytes``.
  fileprivate init?(from rest: inout ArraySlice<UInt8>) {
    let head = Array(rest.prefix(18))
    guard head.count == 18 else { return nil }
    let length = Int(head[16]) << 8 | Int(head[17])
    let id = rest.dropFirst(18).prefix(length)
    guard id.count == length, let key = CBOR.prefix(of: rest.dropFirst(18 + length)),
      let publicKey = P256.PublicKey(cose: key.value)
    else { return nil }
    self.init(aaguid: Array(head.prefix(16)), credentialID: Array(id), publicKey: publicKey)
    rest = rest.dropFirst(18 + length + key.length)
  }

  fileprivate var bytes: [UInt8] {
    let length = credentialID.count
    return aaguid + [UInt8(length >> 8), UInt8(length & 255)] + credentialID
      + publicKey.cose.encoded
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
