import IDX
import IDXBase
import IDXOAuth
import Testing

/// Checks RS256 signatures independently of the library, by long multiplication and division.
struct SignatureVerifier {
  private let modulus: [UInt32]

  /// A verifier for a public key of a key set; nil for any other key.
  init?(_ jwk: JSONValue) {
    guard jwk["kty"] == "RSA", jwk["alg"] == "RS256", jwk["use"] == "sig", jwk["e"] == "AQAB",
      let bytes = jwk["n"]?.string.flatMap(Base64URL.decode), bytes.count == 256
    else { return nil }
    modulus = Self.limbs(bytes)
  }

  func accepts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == 256 else { return false }
    let base = Self.limbs(signature)
    guard Self.isLess(base, modulus) else { return false }
    var power = base
    for _ in 0..<16 { power = product(power, power) }
    power = product(power, base)
    let algorithm: [UInt8] = [48, 49, 48, 13, 6, 9, 96, 134, 72, 1, 101, 3, 4, 2, 1, 5, 0, 4, 32]
    let tail = [0] + algorithm + HashFunction.sha256.hash(message)
    let expected = [0, 1] + [UInt8](repeating: 255, count: 254 - tail.count) + tail
    return power == Self.limbs(expected)
  }

  /// 64 limbs, least significant first.
  private static func limbs(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 252, through: 0, by: -4).map { start in
      bytes[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  private static func isLess(_ left: [UInt32], _ right: [UInt32]) -> Bool {
    for index in left.indices.reversed() where left[index] != right[index] {
      return left[index] < right[index]
    }
    return false
  }

  private func product(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
    right.reversed().reduce([UInt32](repeating: 0, count: 64)) { step($0, left, $1) }
  }

  /// `(result * 2^32 + factor * limb) mod modulus`.
  private func step(_ result: [UInt32], _ factor: [UInt32], _ limb: UInt32) -> [UInt32] {
    var value = [UInt32](repeating: 0, count: 66)
    var carry: UInt64 = 0
    for index in 0..<65 {
      let shifted = index > 0 ? UInt64(result[index - 1]) : 0
      let scaled = index < 64 ? UInt64(factor[index]) * UInt64(limb) : 0
      let sum = scaled + shifted + carry
      value[index] = UInt32(truncatingIfNeeded: sum)
      carry = sum >> 32
    }
    value[65] = UInt32(truncatingIfNeeded: carry)
    while value[64] != 0 || value[65] != 0 || !Self.isLess(Array(value[..<64]), modulus) {
      // The highest limbs give an estimate of the quotient that is never too high.
      let top = UInt64(value[64]) << 32 | UInt64(value[63])
      let guess = value[65] > 0 ? UInt64(UInt32.max) : top / (UInt64(modulus[63]) + 1)
      subtract(min(max(guess, 1), UInt64(UInt32.max)), from: &value)
    }
    return Array(value[..<64])
  }

  private func subtract(_ times: UInt64, from value: inout [UInt32]) {
    var borrow: UInt64 = 0
    for index in value.indices {
      let taken = (index < 64 ? UInt64(modulus[index]) * times : 0) + borrow
      let low = UInt32(truncatingIfNeeded: taken)
      borrow = taken >> 32 + (value[index] < low ? 1 : 0)
      value[index] = value[index] &- low
    }
  }
}
