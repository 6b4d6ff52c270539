import IDXBase
import IDX

/// The keys of an org: those that it publishes, and the one that it signs with.
struct OrgKeyring: Sendable {
  /// Those that are published, the newest last.
  private(set) var published: [OrgSigningKey] = [.standard]
  /// How many keys there have been.
  private var count: UInt64 = 1

  init() {}

  /// The key that signs.
  var current: OrgSigningKey { published.last ?? .standard }

  /// A key that nobody has published.
  var foreign: OrgSigningKey { OrgSigningKey(seed: Self.foreignSeed) }

  var json: JSONValue { ["keys": .array(published.map(\.jwk))] }

  mutating func rotate(keepingOld: Bool) {
    count &+= 1
    let key = OrgSigningKey(seed: count)
    published = keepingOld ? published + [key] : [key]
  }

  /// A signed token in its compact form (RFC 7515, section 7.1).
  func token(_ claims: JSONValue) -> String {
    let key = current
    return OrgToken(header: OrgToken.header(key), claims: claims).signed(by: key)
  }

  private static let foreignSeed: UInt64 = 0x666F_7265_6967_6E21
}

extension OrgKeyring: Codable {
  private enum CodingKeys: CodingKey { case seeds, count }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    published = try container.decode([UInt64].self, forKey: .seeds).map {
      $0 == OrgSigningKey.standard.seed ? .standard : OrgSigningKey(seed: $0)
    }
    count = try container.decode(UInt64.self, forKey: .count)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(published.map(\.seed), forKey: .seeds)
    try container.encode(count, forKey: .count)
  }
}

/// A JSON web token before it is signed.
struct OrgToken: Sendable {
  var header: JSONValue
  var claims: JSONValue

  static func header(_ key: OrgSigningKey) -> JSONValue {
    ["kid": .string(key.id), "alg": "RS256"]
  }

  /// What is signed.
  var signingInput: String {
    Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
  }

  func signed(by key: OrgSigningKey) -> String {
    let input = signingInput
    return input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
  }
}
