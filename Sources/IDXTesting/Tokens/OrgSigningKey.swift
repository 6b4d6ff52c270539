import IDXBase
import IDX
import IDXOAuth

/// An RSA key of 2048 bits with which a simulated org signs, for tests only.
///
/// It is made of 32 primes of 64 bits (RFC 8017, section 3.2, allows more than two), so that making
/// one and signing with it take no time in a debug build. Whoever knows the public key finds the
/// primes in a moment: nothing that matters may rest on it. To a verifier it is a key like any other.
struct OrgSigningKey: Sendable {
  /// What the key was made from; the same seed makes the same key.
  let seed: UInt64
  /// The name of the key in headers and in the set of keys.
  let id: String
  /// The modulus, 256 bytes, the highest first.
  let modulus: [UInt8]
  private let primes: [Prime]

  private struct Prime: Sendable {
    let value: UInt64
    /// The inverse of the public exponent modulo the prime less one.
    let exponent: UInt64
    /// The inverse of the product of the primes before this one.
    let coefficient: UInt64
  }

  /// The key of every org that was told nothing else.
  static let standard = OrgSigningKey(seed: 1)

  init(seed: UInt64) {
    self.seed = seed
    var random = OrgRandom(seed: seed)
    var values: [UInt64] = []
    while values.count < Self.primeCount {
      // The six highest bits keep the product of all at its full length.
      let candidate = random.next() | 0xFC00_0000_0000_0001
      guard candidate % Self.publicExponent != 1, !values.contains(candidate),
        WordArithmetic.isPrime(candidate)
      else { continue }
      values.append(candidate)
    }
    var product = WideNumber(1)
    var primes: [Prime] = []
    for value in values {
      let before = product.remainder(by: value)
      primes.append(
        Prime(
          value: value, exponent: Self.privateExponent(for: value),
          coefficient: WordArithmetic.inverse(of: before, modulo: value)))
      product.multiply(by: value)
    }
    self.primes = primes
    modulus = product.bytes(Self.byteCount)
    id = Base64URL.encode(HashFunction.sha256.hash(modulus))
  }

  /// The public key (RFC 7517).
  var jwk: JSONValue {
    [
      "kty": "RSA", "alg": "RS256", "kid": .string(id), "use": "sig", "e": "AQAB",
      "n": .string(Base64URL.encode(modulus)),
    ]
  }

  /// The signature RS256 of a message: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section 8.2.1).
  func sign(_ message: [UInt8]) -> [UInt8] {
    let hash = Self.digestPrefix + HashFunction.sha256.hash(message)
    let padding = [UInt8](repeating: 0xFF, count: Self.byteCount - hash.count - 3)
    let encoded = WideNumber(bytes: [0, 1] + padding + [0] + hash)
    return power(encoded).bytes(Self.byteCount)
  }

  /// The private operation, prime by prime, put together in mixed radix (RFC 8017, section 5.1.2).
  private func power(_ number: WideNumber) -> WideNumber {
    var digits: [UInt64] = []
    for prime in primes {
      let value = prime.value
      let wanted = WordArithmetic.power(
        number.remainder(by: value), prime.exponent, modulo: value)
      var reached: UInt64 = 0
      for (digit, radix) in zip(digits, primes).reversed() {
        let scaled = WordArithmetic.product(reached, radix.value, modulo: value)
        reached = Self.sum(scaled, digit % value, modulo: value)
      }
      let missing = Self.sum(wanted, value - reached, modulo: value)
      digits.append(WordArithmetic.product(missing, prime.coefficient, modulo: value))
    }
    var result = WideNumber(0)
    for (digit, radix) in zip(digits, primes).reversed() {
      result.multiply(by: radix.value, adding: digit)
    }
    return result
  }

  private static func sum(_ left: UInt64, _ right: UInt64, modulo modulus: UInt64) -> UInt64 {
    let (sum, overflows) = left.addingReportingOverflow(right)
    return overflows || sum >= modulus ? sum &- modulus : sum
  }

  /// The public exponent's inverse modulo the prime less one: the exponent is prime itself, so that
  /// some multiple of the prime less one, and one more, is divisible by it.
  private static func privateExponent(for prime: UInt64) -> UInt64 {
    let order = prime - 1
    let inverse = WordArithmetic.inverse(of: order % publicExponent, modulo: publicExponent)
    let (high, low) = order.multipliedFullWidth(by: publicExponent - inverse)
    let (sum, overflows) = low.addingReportingOverflow(1)
    return publicExponent.dividingFullWidth((high + (overflows ? 1 : 0), sum)).quotient
  }

  private static let publicExponent: UInt64 = 65537
  private static let primeCount = 32
  private static let byteCount = 256

  /// What stands before a hash of SHA-256 (RFC 8017, section 9.2, note 1).
  private static let digestPrefix: [UInt8] = [
    0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
  ]
}
