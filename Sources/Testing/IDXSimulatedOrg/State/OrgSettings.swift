import Foundation
import IDXBase
import IDXOAuth

/// The addresses, the app and the policy of an org.
struct OrgSettings: Sendable {
  let issuer: String
  let clientID: String
  /// The app's secret; nil for an app without one.
  let clientSecret: Secret?
  let redirectURIs: [String]
  let policy: SignInPolicy
  let shape: ResponseShape

  var origin: String {
    let parts = issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count > 2 ? "\(parts[0])/\(parts[1])/\(parts[2])" : issuer
  }

  /// The host, as shown in QR codes and emails.
  var host: String { String(origin.drop { $0 != "/" }.dropFirst(2)) }
  /// The host without a port: the site of passkeys.
  var site: String { String(host.prefix { $0 != ":" }) }

  /// The base of OAuth's endpoints; the issuer of the org's own authorization server has no path.
  var oauthBase: String { issuer.contains("/oauth2/") ? issuer + "/v1" : issuer + "/oauth2/v1" }
  var keysAddress: String { oauthBase + "/keys" }

  func idx(_ path: String) -> String { origin + "/idp/idx" + path }
  func classic(_ path: String) -> String { origin + "/api/v1/authn" + path }
  /// The base of the QR codes that the classic API shows.
  var classicImages: String { origin + "/api/v1/factors/qr/" }

  /// An id in Okta's form, 20 characters.
  ///
  /// The same parts give the same id, so unknown users have ids too.
  static func id(_ prefix: String, _ parts: String...) -> String {
    let hash = HashFunction.sha256.hash(Array(([prefix] + parts).joined(separator: "|").utf8))
    let letters = Base64URL.encode(hash).filter { $0 != "-" && $0 != "_" }
    return String((prefix + letters + "0000000000000000").prefix(20))
  }
}

/// The time in an org: the time of a clock plus the time that was added.
///
/// It is shared, so that a client can use the same time without asking the org.
struct OrgClock: Sendable {
  private let clock: @Sendable () -> Date
  private let added = Locked<TimeInterval>(0)

  init(_ clock: @escaping @Sendable () -> Date) { self.clock = clock }

  var now: Date { clock().addingTimeInterval(ahead) }

  var ahead: TimeInterval { added.withLock { $0 } }

  func advance(by seconds: TimeInterval) { added.withLock { $0 += seconds } }
}

/// The random numbers of an org: from the system, or from a seed.
struct OrgRandom: RandomNumberGenerator, Sendable, Codable {
  private var state: UInt64?

  init(seed: UInt64?) { state = seed }

  var isSeeded: Bool { state != nil }

  mutating func next() -> UInt64 {
    guard let seed = state else {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    // SplitMix64, which works with any seed. The numbers need to be repeatable, not secure.
    let counter = seed &+ 0x9E37_79B9_7F4A_7C15
    state = counter
    var mixed = counter
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// An opaque handle with this prefix.
  mutating func handle(_ prefix: String, bytes count: Int = 30) -> String {
    prefix + Base64URL.encode(bytes(count))
  }

  mutating func code() -> String {
    String(Int.random(in: 0..<1_000_000, using: &self)).leadingZeros(to: 6)
  }

  /// 10 letters and digits.
  mutating func codeWithLetters() -> String {
    // A digit and a letter at least, so that it is neither a number nor a word.
    "7k" + handle("", bytes: 12).filter { $0.isLetter || $0.isNumber }.prefix(8)
  }

  /// 16 characters of Base32, as in Google Authenticator.
  mutating func sharedSecret() -> Secret { Secret(Base32.encode(bytes(10))) }
}
