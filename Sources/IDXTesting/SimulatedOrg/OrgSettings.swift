import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an org is told once: its addresses, its app and its policy.
struct OrgSettings: Sendable {
  let issuer: String
  let clientID: String
  let redirectURIs: [String]
  let policy: SignInPolicy
  let shape: ResponseShape

  /// Scheme, host and port, where `/idp/idx` lives whatever the issuer's path.
  var origin: String {
    let parts = issuer.split(separator: "/", omittingEmptySubsequences: false)
    return parts.prefix(3).joined(separator: "/")
  }

  /// The host as the QR codes and the mails name it.
  var host: String { String(origin.drop { $0 != "/" }.dropFirst(2)) }

  /// What OAuth's endpoints start with: an org's own server has no path in its issuer.
  var oauthBase: String { issuer.contains("/oauth2/") ? issuer + "/v1" : issuer + "/oauth2/v1" }

  func endpoint(_ path: String) -> String { origin + "/idp/idx" + path }

  /// How long a step stands: two hours for someone unknown, five minutes once a user is named, one
  /// minute for an interaction code.
  func lifetime(of step: OrgTransaction.Step) -> TimeInterval {
    switch step {
    case .identify, .account(.identify), .account(.selectUnlock), .account(.profile): 2 * 60 * 60
    case .succeeded: 60
    default: 5 * 60
    }
  }

  /// An id in Okta's form, 20 characters, the same for the same parts: ids outlive no run but may
  /// be compared within one, and an unknown user's must look like anyone's.
  static func id(_ prefix: String, _ parts: String...) -> String {
    let hash = HashFunction.sha256.hash(Array(([prefix] + parts).joined(separator: "|").utf8))
    let letters = Base64URL.encode(hash).filter { $0 != "-" && $0 != "_" }
    return String((prefix + letters + "0000000000000000").prefix(20))
  }
}

/// The org's randomness: the system's, or what a seed determines.
struct OrgRandom: RandomNumberGenerator, Sendable, Codable {
  private var state: UInt64?

  init(seed: UInt64?) { state = seed }

  /// Whether a seed determines what is drawn.
  var isSeeded: Bool { state != nil }

  mutating func next() -> UInt64 {
    guard let seed = state else {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    // SplitMix64: any seed will do, and repeating a run is all that is asked of it.
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

  /// An opaque handle that starts so.
  mutating func handle(_ prefix: String, bytes count: Int = 30) -> String {
    prefix + Base64URL.encode(bytes(count))
  }

  /// A code of six digits.
  mutating func code() -> String {
    let digits = String(Int.random(in: 0..<1_000_000, using: &self))
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// 16 characters of Base32, as Google Authenticator takes them.
  mutating func sharedSecret() -> Secret { Secret(Base32.encode(bytes(10))) }
}
