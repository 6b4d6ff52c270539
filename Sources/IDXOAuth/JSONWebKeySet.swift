#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The public keys that an issuer signs with, as its `jwks_uri` lists them.
///
/// Source: RFC 7517; RFC 7518, section 6.3. Only keys that a signature by RS256 can be checked with
/// are kept: `kty` is `RSA`, `alg` is `RS256` or absent, `use` is `sig` or absent, `key_ops` holds
/// `verify` or is absent, the modulus has 2048 to 8192 bits. All others are passed over.
public struct JSONWebKeySet: Sendable, Hashable {
  /// The most keys that are taken: far more than an issuer has, and few enough to try them all.
  static let limit = 256

  private let entries: [Entry]

  /// Reads a set of keys, of the shape `{"keys": […]}`.
  ///
  /// The set may turn out empty, as keys that are damaged are passed over too. Throws
  /// ``IDTokenError/Code/unreadableKeys``, also for more than 256 keys.
  public init(parsing body: [UInt8]) throws(IDTokenError) {
    guard let list = try? JSONDecoder().decode(List.self, from: Data(body)) else {
      throw IDTokenError(
        .unreadableKeys,
        "The issuer's keys cannot be read: what came is no JSON Web Key Set. Try again, or check"
          + " the issuer in the settings.")
    }
    var entries: [Entry] = []
    for case .some(let entry) in list.keys.map(\.entry) where !entries.contains(entry) {
      guard entries.count < Self.limit else {
        throw IDTokenError(
          .unreadableKeys,
          "The issuer names more than \(Self.limit) keys, which is more than any has. Check the"
            + " issuer in the settings.")
      }
      entries.append(entry)
    }
    self.entries = entries
  }

  /// Whether there is a key for a token with this `kid`.
  ///
  /// For a token without one (nil) there is where the set holds exactly one key.
  public func contains(keyID: String?) -> Bool { !keys(for: keyID).isEmpty }

  /// The keys that a token with this `kid` may be signed with: more than one where they share it.
  func keys(for keyID: String?) -> [RSAPublicKey] {
    guard let keyID else { return entries.count == 1 ? entries.map(\.key) : [] }
    return entries.filter { $0.id?.utf8.elementsEqual(keyID.utf8) == true }.map(\.key)
  }
}

extension JSONWebKeySet {
  private struct Entry: Hashable {
    let id: String?
    let key: RSAPublicKey
  }

  private struct List: Decodable {
    let keys: [Candidate]
  }

  /// An element of the list, whatever it is.
  private struct Candidate: Decodable {
    let entry: Entry?

    init(from decoder: any Decoder) { entry = (try? Member(from: decoder))?.entry }
  }

  private struct Member: Decodable {
    let kty: String
    let n: String
    let e: String
    let alg: String?
    let use: String?
    let keyOperations: [String]?
    let kid: String?

    enum CodingKeys: String, CodingKey {
      case kty, n, e, alg, use, kid
      case keyOperations = "key_ops"
    }

    var entry: Entry? {
      guard kty == "RSA", alg ?? "RS256" == "RS256", use ?? "sig" == "sig",
        keyOperations?.contains("verify") ?? true,
        let modulus = Base64URL.decode(n), let exponent = Base64URL.decode(e),
        let key = RSAPublicKey(modulus: modulus, exponent: exponent)
      else { return nil }
      return Entry(id: kid, key: key)
    }
  }
}
