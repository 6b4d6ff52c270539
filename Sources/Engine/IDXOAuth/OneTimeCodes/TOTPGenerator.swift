public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Computes the one-time codes of authenticator apps from a shared key and the time.
///
/// Source: RFC 6238 for the time, RFC 4226 for the code.
public struct TOTPGenerator: Sendable, Hashable {
  /// The hash function; the raw value is its name in authenticator apps.
  public enum Algorithm: String, Sendable, Hashable, Codable, CaseIterable {
    /// HMAC-SHA-1; nearly all servers use it.
    case sha1 = "SHA1"
    /// HMAC-SHA-256.
    case sha256 = "SHA256"
    /// HMAC-SHA-512.
    case sha512 = "SHA512"
  }

  /// The allowed numbers of digits; most servers use 6, some 8, and the algorithm gives at most 10.
  static let digitRange = 6...10

  /// The number of digits of a code.
  public let digits: Int
  /// The number of seconds for which a code is valid.
  public let period: Int
  /// The hash function.
  public let algorithm: Algorithm
  private let key: [UInt8]

  /// Creates a generator; the defaults are those of authenticator apps.
  ///
  /// `digits` is limited to 6 to 10, and `period` to one second to one day.
  public init(key: [UInt8], digits: Int = 6, period: Int = 30, algorithm: Algorithm = .sha1) {
    self.key = key
    self.digits = Self.limited(digits: digits)
    self.period = Self.limited(period: period)
    self.algorithm = algorithm
  }

  /// Creates a generator from a key in Base32; nil if the key is empty or not Base32.
  public init?(
    base32 secret: Secret, digits: Int = 6, period: Int = 30, algorithm: Algorithm = .sha1
  ) {
    guard let key = Base32.decode(secret.revealed), !key.isEmpty else { return nil }
    self.init(key: key, digits: digits, period: period, algorithm: algorithm)
  }

  /// The code at a time, with leading zeros.
  public func code(at date: Date) -> String { code(counter: counter(at: date)) }

  /// The code of a counter, with leading zeros (RFC 4226, section 5.3).
  public func code(counter: UInt64) -> String {
    let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
    let digest = hash.hmac(key: key, message)
    let offset = Int(digest[digest.count - 1] & 0x0f)
    let word = digest[offset..<offset + 4].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let modulus = (0..<digits).reduce(1 as UInt64) { power, _ in power * 10 }
    return String((word & 0x7fff_ffff) % modulus).leadingZeros(to: digits)
  }

  /// The number of whole periods since 1970; 0 for an earlier time.
  package func counter(at date: Date) -> UInt64 { UInt64(seconds(at: date)) / UInt64(period) }

  /// A SHA-256 of the key and the settings, in hexadecimal digits, to compare keys that must not be saved.
  package var digest: String {
    let settings = Array("\(algorithm.rawValue) \(digits) \(period) ".utf8)
    return HashFunction.sha256.hash(settings + key).hexadecimal
  }

  /// The number of seconds until the code changes, rounded up: from the period down to 1.
  public func secondsRemaining(at date: Date) -> Int {
    period - Int(seconds(at: date) % Int64(period))
  }

  static func limited(digits: Int) -> Int {
    min(max(digits, digitRange.lowerBound), digitRange.upperBound)
  }

  static func limited(period: Int) -> Int { min(max(period, 1), 86_400) }

  private var hash: HashFunction {
    switch algorithm {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }

  /// Whole seconds since 1970, from 0 to the largest integer, for any date.
  private func seconds(at date: Date) -> Int64 {
    let seconds = date.timeIntervalSince1970
    guard seconds > 0 else { return 0 }
    return Int64(exactly: seconds.rounded(.down)) ?? .max
  }
}

extension TOTPGenerator: Redacted {
  /// The settings.
  public var description: String {
    "TOTP \(algorithm.rawValue), \(digits) digits, \(period) seconds"
  }
}
