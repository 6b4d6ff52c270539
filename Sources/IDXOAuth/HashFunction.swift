#if canImport(CryptoKit)
  import CryptoKit
#endif

/// A hash function of FIPS 180-4, and the message authentication code made of it (RFC 2104).
package enum HashFunction: Sendable, Hashable, CaseIterable {
  case sha1
  case sha256
  case sha512

  /// The digest of these bytes: 20, 32 or 64 bytes.
  package func hash(_ bytes: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      switch self {
      case .sha1: Array(CryptoKit.Insecure.SHA1.hash(data: bytes))
      case .sha256: Array(CryptoKit.SHA256.hash(data: bytes))
      case .sha512: Array(CryptoKit.SHA512.hash(data: bytes))
      }
    #else
      switch self {
      case .sha1: SHA1.hash(bytes)
      case .sha256: SHA256.hash(bytes)
      case .sha512: SHA512.hash(bytes)
      }
    #endif
  }

  /// The authentication code of a message under a key of any length.
  package func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var block = key.count > blockSize ? hash(key) : key
    block += [UInt8](repeating: 0, count: blockSize - block.count)
    let inner = hash(block.map { $0 ^ 0x36 } + message)
    return hash(block.map { $0 ^ 0x5c } + inner)
  }

  private var blockSize: Int { self == .sha512 ? 128 : 64 }
}

/// Whether two sequences of bytes are equal, in a time that depends on their lengths alone.
package func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count else { return false }
  return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
}
