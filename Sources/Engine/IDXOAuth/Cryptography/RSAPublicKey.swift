#if canImport(Security)
  import Foundation
  import Security
#endif

/// A public key that verifies RS256 signatures: RSASSA-PKCS1-v1_5 with SHA-256.
///
/// Source: RFC 8017, section 8.2.2.
package struct RSAPublicKey: Sendable, Hashable {
  /// The modulus, highest byte first, without leading zeros.
  let modulus: [UInt8]
  let exponent: UInt32
  /// The modulus prepared for multiplications, which takes longer than one check.
  private let numbers: MontgomeryModulus

  /// Creates a key from two numbers, highest byte first; leading zeros are ignored.
  ///
  /// Nil unless the modulus is odd and has 2048 to 8192 bits, and the exponent is odd, at least 3 and
  /// below 2^32. Larger numbers would make a check slower and not safer.
  package init?(modulus: [UInt8], exponent: [UInt8]) {
    let modulus = Array(modulus.drop { $0 == 0 })
    let exponent = exponent.drop { $0 == 0 }
    guard let first = modulus.first, let last = modulus.last, last & 1 == 1,
      (2048...8192).contains(modulus.count * 8 - first.leadingZeroBitCount), exponent.count <= 4
    else { return nil }
    self.modulus = modulus
    self.exponent = exponent.reduce(0) { $0 << 8 | UInt32($1) }
    guard self.exponent >= 3, self.exponent & 1 == 1, let numbers = MontgomeryModulus(modulus)
    else { return nil }
    self.numbers = numbers
  }

  /// Whether the owner of this key signed the message.
  ///
  /// The signature must be exactly as long as the modulus.
  package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    #if canImport(Security)
      verifyWithSecurity(signature, of: message)
    #else
      verifyInSwift(signature, of: message)
    #endif
  }

  /// Builds the only valid padded message and compares all its bytes, so nothing has to be parsed.
  package func verifyInSwift(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == modulus.count, let signed = numbers.power(signature, exponent)
    else { return false }
    return signed == Self.encoding(of: message, count: modulus.count)
  }

  /// What the owner of a key signs for a message, as many bytes as the modulus has: EMSA-PKCS1-v1_5
  /// with SHA-256 (RFC 8017, section 9.2).
  package static func encoding(of message: [UInt8], count: Int) -> [UInt8] {
    let digest = digestPrefix + HashFunction.sha256.hash(message)
    let padding = [UInt8](repeating: 0xff, count: count - digest.count - 3)
    return [0x00, 0x01] + padding + [0x00] + digest
  }

  /// The key as a DER `RSAPublicKey` (RFC 8017, appendix A.1.1).
  var encoded: [UInt8] {
    let exponent = (0..<4).reversed().map {
      UInt8(truncatingIfNeeded: self.exponent >> UInt32($0 * 8))
    }
    let numbers = Self.integer(modulus) + Self.integer(Array(exponent.drop { $0 == 0 }))
    return [0x30] + Self.length(numbers.count) + numbers
  }

  /// The DER of a positive number without leading zeros.
  private static func integer(_ bytes: [UInt8]) -> [UInt8] {
    // If the first bit were set, the number would be negative.
    let content = (bytes.first ?? 0) & 0x80 == 0 ? bytes : [0] + bytes
    return [0x02] + length(content.count) + content
  }

  /// The DER of a length below 2^16.
  private static func length(_ count: Int) -> [UInt8] {
    let low = UInt8(truncatingIfNeeded: count)
    if count < 0x80 { return [low] }
    if count < 0x100 { return [0x81, low] }
    return [0x82, UInt8(truncatingIfNeeded: count >> 8), low]
  }

  /// The DER of a `DigestInfo` for SHA-256 up to the digest (RFC 8017, section 9.2, note 1).
  private static let digestPrefix: [UInt8] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
  ]
}

#if canImport(Security)
  extension RSAPublicKey {
    private func verifyWithSecurity(_ signature: [UInt8], of message: [UInt8]) -> Bool {
      // Check the bounds here, so that all platforms refuse the same signatures.
      guard signature.count == modulus.count, signature.lexicographicallyPrecedes(modulus) else {
        return false
      }
      let attributes: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
      ]
      guard
        let key = SecKeyCreateWithData(
          Data(encoded) as CFData, attributes as CFDictionary, nil)
      else { return false }
      return SecKeyVerifySignature(
        key, .rsaSignatureMessagePKCS1v15SHA256, Data(message) as CFData,
        Data(signature) as CFData, nil)
    }
  }
#endif
