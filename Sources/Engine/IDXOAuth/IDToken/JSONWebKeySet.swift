import IDXBase

/// The public keys of an issuer, from its `jwks_uri`.
///
/// Only keys that can verify a signature in RS256 or ES256 are kept: `kty` is `RSA`, and the modulus has 2048 to 8192
/// bits, or `kty` is `EC` and `crv` is `P-256`; `alg` is that algorithm or absent, `use` is `sig` or absent, and `key_ops`
/// contains `verify` or is absent. All others are ignored. Source: RFC 7517; RFC 7518, sections 6.2 and 6.3.
public struct JSONWebKeySet: Sendable, Hashable {
  /// The largest number of keys: far more than an issuer has, and few enough to try them all.
  static let limit = 256

  fileprivate struct Entry: Hashable {
    let id: String?
    let key: VerificationKey
  }

  private let entries: [Entry]

  /// Reads a key set with the shape `{"keys": […]}`.
  ///
  /// The set may be empty, because damaged keys are ignored too. Throws
  /// ``IDTokenError/Code/unreadableKeys``, also if there are more than 256 keys.
  public init(parsing body: [UInt8]) throws(IDTokenError) {
    guard let keys = (try? JSONValue(parsing: body))?["keys"]?.array else {
      throw IDTokenError(
        .unreadableKeys,
        "The issuer's keys cannot be read: the response is not a JSON Web Key Set. Try again, or"
          + " check the issuer in the settings.")
    }
    var entries: [Entry] = []
    for case let entry? in keys.map(Entry.init) where !entries.contains(entry) {
      guard entries.count < Self.limit else {
        throw IDTokenError(
          .unreadableKeys,
          "The issuer has more than \(Self.limit) keys, which is not plausible. Check the issuer in"
            + " the settings.")
      }
      entries.append(entry)
    }
    self.entries = entries
  }

  /// The number of keys that can verify a signature.
  var count: Int { entries.count }

  /// Whether there is a key for a token with this algorithm and `kid`.
  func contains(keyID: String?, _ algorithm: String) -> Bool {
    !keys(for: keyID, algorithm).isEmpty
  }

  /// Whether other keys would not help to check a token: there is one for it, or none can be used for its algorithm.
  func suffice(for token: JWT) -> Bool {
    contains(keyID: token.keyID, token.algorithm)
      || !VerificationKey.algorithms.contains(token.algorithm)
  }

  /// The keys that may have signed a token with this algorithm and `kid`; several keys can share a `kid`.
  ///
  /// For a token without a `kid` (nil), the set must have exactly one key for the algorithm.
  func keys(for keyID: String?, _ algorithm: String) -> [VerificationKey] {
    let possible = entries.filter { $0.key.algorithm.utf8.elementsEqual(algorithm.utf8) }
    guard let keyID else { return possible.count == 1 ? possible.map(\.key) : [] }
    return possible.filter { $0.id?.utf8.elementsEqual(keyID.utf8) == true }.map(\.key)
  }
}

extension JSONWebKeySet.Entry {
  fileprivate init?(_ json: JSONValue) {
    // An optional member may be absent or null, but must not have another type.
    func text(_ name: String) -> String?? {
      switch json[name] {
      case nil, .null?: .some(nil)
      case let value?: value.string.map { .some($0) }
      }
    }
    guard let key = VerificationKey(json),
      let algorithm = text("alg"), algorithm ?? key.algorithm == key.algorithm,
      let use = text("use"), use ?? "sig" == "sig", let id = text("kid"),
      Self.allowsVerifying(json["key_ops"])
    else { return nil }
    self.init(id: id, key: key)
  }

  private static func allowsVerifying(_ operations: JSONValue?) -> Bool {
    guard let operations, operations != .null else { return true }
    let names = operations.array?.compactMap(\.string) ?? []
    return names.count == operations.array?.count && names.contains("verify")
  }
}
