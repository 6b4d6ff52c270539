import Foundation
import IDXBase

@testable import IDXOAuth

/// An issuer that signs tokens quickly, with a key that is not secret.
///
/// Its modulus is the product of 32 primes just below 2^64, so that signing computes with single words
/// until the last sum. A key with two primes would be slow in a debug build. The exponent is 3. The number
/// of primes makes no difference to the verification.
enum TestIssuer {
  static let keyID = "invented"
  static let modulus: [UInt8] = bytes(of: primes.reduce([1]) { product(of: $0, and: $1, plus: 0) })
  static let key =
    #"{"kty":"RSA","alg":"RS256","kid":"invented","e":"Aw","n":"\#(encodedModulus)"}"#
  static let encodedModulus = Base64URL.encode(modulus)

  /// The published keys; only this issuer's key by default.
  static func keys(_ list: String = key) throws -> JSONWebKeySet {
    try JSONWebKeySet(parsing: Array(#"{"keys":[\#(list)]}"#.utf8))
  }

  /// A signed token with these claims and this header, both in JSON.
  static func token(
    _ claims: String, header: String = #"{"alg":"RS256","kid":"invented"}"#
  ) -> String {
    let parts = [header, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    return parts + "." + Base64URL.encode(sign(Array(parts.utf8)))
  }

  /// The RSASSA-PKCS1-v1_5 signature of a message with SHA-256.
  static func sign(_ message: [UInt8]) -> [UInt8] {
    sign(encoded: pad(digestInfo + HashFunction.sha256.hash(message)))
  }

  /// A block of 256 bytes that ends with these bytes, padded as in RFC 8017, section 9.2.
  static func pad(_ content: [UInt8]) -> [UInt8] {
    [0, 1] + [UInt8](repeating: 0xff, count: 253 - content.count) + [0] + content
  }

  static let digestInfo: [UInt8] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
  ]

  /// The cube root of any block: first modulo each prime, then combined with Garner's algorithm.
  static func sign(encoded block: [UInt8]) -> [UInt8] {
    var digits: [UInt64] = []
    for (index, prime) in primes.enumerated() {
      let remainder = block.reduce(0 as UInt64) {
        prime.dividingFullWidth(($0 >> 56, $0 << 8 | UInt64($1))).remainder
      }
      // 3 · (p - (p + 1) / 3) is 1 more than a multiple of p - 1, because p modulo 3 is 2.
      var value = power(remainder, prime - (prime + 1) / 3, modulo: prime)
      for (digit, inverse) in zip(digits, inverses[index]) {
        let digit = digit % prime
        let difference = value >= digit ? value - digit : value &- digit &+ prime
        value = multiply(difference, inverse, modulo: prime)
      }
      digits.append(value)
    }
    var words: [UInt64] = []
    for (digit, prime) in zip(digits, primes).reversed() {
      words = product(of: words, and: prime, plus: digit)
    }
    return bytes(of: words)
  }

  private static let primes: [UInt64] = [
    59, 83, 95, 179, 257, 323, 353, 425, 503, 743, 845, 899, 935, 1025, 1079, 1235, 1379, 1469,
    1475, 1487, 1505, 1517, 1583, 1607, 1799, 1805, 1859, 1883, 1949, 2003, 2033, 2045,
  ].map { 0 &- $0 }

  /// For each prime, the inverses of the primes before it.
  private static let inverses: [[UInt64]] = primes.enumerated().map { index, prime in
    primes.prefix(index).map { power($0 % prime, prime - 2, modulo: prime) }
  }

  private static func power(_ base: UInt64, _ exponent: UInt64, modulo prime: UInt64) -> UInt64 {
    var result: UInt64 = 1
    for bit in (0..<(64 - exponent.leadingZeroBitCount)).reversed() {
      result = multiply(result, result, modulo: prime)
      if exponent >> UInt64(bit) & 1 == 1 { result = multiply(result, base, modulo: prime) }
    }
    return result
  }

  private static func multiply(_ left: UInt64, _ right: UInt64, modulo prime: UInt64) -> UInt64 {
    prime.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
  }

  private static func product(
    of words: [UInt64], and factor: UInt64, plus addend: UInt64
  ) -> [UInt64] {
    var carry = addend
    var result: [UInt64] = []
    for word in words {
      let (high, low) = word.multipliedFullWidth(by: factor)
      let (sum, overflow) = low.addingReportingOverflow(carry)
      result.append(sum)
      carry = high + (overflow ? 1 : 0)
    }
    return result + [carry]
  }

  /// The lowest 256 bytes of words in little-endian order, highest byte first.
  private static func bytes(of words: [UInt64]) -> [UInt8] {
    words.prefix(32).reversed().flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }
}

/// A valid token, for tests that change one claim.
struct SampleToken {
  static let now = Date(timeIntervalSince1970: 4_102_444_800)
  static let accessToken: Secret = "at-invented"
  static let deviceSecret: Secret = "ds-invented"

  /// An expectation with every check, which the token meets.
  static let expectation: IDTokenExpectation = {
    let issuer = URL(string: "https://ocarina.example/oauth2/default")
    var expectation = IDTokenExpectation(
      issuer: issuer ?? URL(fileURLWithPath: "/"), clientID: "0oaInvented")
    expectation.nonce = "n-0S6-invented"
    expectation.subject = "00uAmal"
    expectation.authenticatedAt = Date(timeIntervalSince1970: 4_102_444_700)
    expectation.maximumAge = 600
    expectation.accessToken = accessToken
    expectation.deviceSecret = deviceSecret
    return expectation
  }()

  /// The values of the claims in JSON, by name.
  var claims = [
    "iss": #""https://ocarina.example/oauth2/default""#, "aud": #""0oaInvented""#,
    "sub": #""00uAmal""#, "iat": "4102444800", "exp": "4102448400", "auth_time": "4102444700",
    "nonce": #""n-0S6-invented""#, "at_hash": #""\#(half(accessToken))""#,
    "ds_hash": #""\#(half(deviceSecret))""#, "preferred_username": #""amal@ocarina.example""#,
    "name": #""Amal Øst""#, "email": #""amal@ocarina.example""#,
  ]

  /// The signed token.
  var text: String {
    let members = claims.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
    return TestIssuer.token("{\(members.joined(separator: ","))}")
  }

  /// Checks the token.
  func validated(
    by expectation: IDTokenExpectation = expectation, at now: Date = now
  ) throws -> IDToken {
    try IDToken(
      validating: Secret(text), by: expectation, keys: TestIssuer.keys(), at: now)
  }

  /// The error with which the token is refused; nil if it is accepted.
  func refusal(
    by expectation: IDTokenExpectation = expectation, at now: Date = now
  ) throws -> IDTokenError? {
    try tokenError { _ = try validated(by: expectation, at: now) }
  }

  /// The error with which another text is refused in place of the token; nil if it is accepted.
  static func refusal(
    of text: String, by expectation: IDTokenExpectation = expectation
  ) throws -> IDTokenError? {
    try tokenError {
      _ = try IDToken(
        validating: Secret(text), by: expectation, keys: TestIssuer.keys(), at: now)
    }
  }

  private static func half(_ secret: Secret) -> String {
    Base64URL.encode(Array(HashFunction.sha256.hash(Array(secret.revealed.utf8)).prefix(16)))
  }
}

/// The error with which a body refuses a token or keys; nil if it throws nothing.
func tokenError(_ body: () throws -> Void) throws -> IDTokenError? {
  do {
    try body()
    return nil
  } catch let error as IDTokenError {
    return error
  }
}
