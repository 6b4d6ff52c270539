#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The claims of an ID token, as far as they are read here, unchecked.
///
/// Source: OpenID Connect Core, section 2.
struct IDTokenClaims: Sendable, Decodable {
  /// A claim that may be absent, or of a kind that it must not be.
  enum Claim<Value: Sendable>: Sendable {
    case absent
    case unreadable
    case value(Value)

    /// The value; nil where there is none that can be read.
    var value: Value? { if case .value(let value) = self { value } else { nil } }
  }

  let issuer: Claim<String>
  let subject: Claim<String>
  /// One client or several.
  let audience: Claim<[String]>
  let authorizedParty: Claim<String>
  let expiresAt: Claim<Date>
  let issuedAt: Claim<Date>
  let notBefore: Claim<Date>
  let authenticatedAt: Claim<Date>
  let nonce: Claim<String>
  let accessTokenHash: Claim<String>
  let deviceSecretHash: Claim<String>
  let preferredUsername: Claim<String>
  let name: Claim<String>
  let email: Claim<String>

  /// Reads what was signed; throws ``IDTokenError/Code/malformed``.
  init(parsing payload: [UInt8]) throws(IDTokenError) {
    guard let claims = JSONMembers(payload)?.decode(Self.self) else {
      throw IDTokenError(
        .malformed, "The ID token's claims cannot be read, or one of them stands twice.")
    }
    self = claims
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func claim<Value: Decodable & Sendable>(_ type: Value.Type, _ key: CodingKeys) -> Claim<Value> {
      do {
        let value = try container.decodeIfPresent(type, forKey: key)
        return value.map { .value($0) } ?? .absent
      } catch {
        return .unreadable
      }
    }
    func date(_ key: CodingKeys) -> Claim<Date> {
      switch claim(Double.self, key) {
      case .absent: .absent
      // Up to the end of the year 9999: what is beyond is no time that a server can mean.
      case .value(let seconds) where (0..<253_402_300_800).contains(seconds):
        .value(Date(timeIntervalSince1970: seconds))
      case .value, .unreadable: .unreadable
      }
    }
    issuer = claim(String.self, .issuer)
    subject = claim(String.self, .subject)
    audience =
      if let one = claim(String.self, .audience).value { .value([one]) } else {
        claim([String].self, .audience)
      }
    authorizedParty = claim(String.self, .authorizedParty)
    expiresAt = date(.expiresAt)
    issuedAt = date(.issuedAt)
    notBefore = date(.notBefore)
    authenticatedAt = date(.authenticatedAt)
    nonce = claim(String.self, .nonce)
    accessTokenHash = claim(String.self, .accessTokenHash)
    deviceSecretHash = claim(String.self, .deviceSecretHash)
    preferredUsername = claim(String.self, .preferredUsername)
    name = claim(String.self, .name)
    email = claim(String.self, .email)
  }

  private enum CodingKeys: String, CodingKey {
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case authorizedParty = "azp"
    case expiresAt = "exp"
    case issuedAt = "iat"
    case notBefore = "nbf"
    case authenticatedAt = "auth_time"
    case nonce
    case accessTokenHash = "at_hash"
    case deviceSecretHash = "ds_hash"
    case preferredUsername = "preferred_username"
    case name
    case email
  }
}
