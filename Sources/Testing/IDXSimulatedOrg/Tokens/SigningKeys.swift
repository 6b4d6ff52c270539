import IDXTokenSigning

/// The keys of an org: those that it publishes, and the one that it signs with.
struct SigningKeys: Sendable, Codable {
  /// Positions in ``RSASigningKey/all``, the newest last.
  private var positions = [0]

  var published: [RSASigningKey] {
    positions.filter(RSASigningKey.all.indices.contains).map { RSASigningKey.all[$0] }
  }

  var current: RSASigningKey { published.last ?? RSASigningKey.all[0] }

  /// Signs with the next key; after the last key, with the first one again.
  mutating func rotate(keepingOld: Bool) {
    let next = ((positions.last ?? 0) + 1) % RSASigningKey.all.count
    positions = (keepingOld ? positions.filter { $0 != next } : []) + [next]
  }
}
