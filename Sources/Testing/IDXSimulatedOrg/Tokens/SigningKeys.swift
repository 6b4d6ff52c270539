import IDXTokenSigning

/// The keys of an org: those that it publishes, and the one that it signs with.
struct SigningKeys: Sendable, Codable {
  /// Positions in ``SigningKey/all``, the newest last.
  private var positions = [0]

  var published: [SigningKey] {
    positions.filter(SigningKey.all.indices.contains).map { SigningKey.all[$0] }
  }

  var current: SigningKey { published.last ?? SigningKey.all[0] }

  /// Signs with the next key; after the last key, with the first one again.
  mutating func rotate(keepingOld: Bool) {
    let next = ((positions.last ?? 0) + 1) % SigningKey.all.count
    positions = (keepingOld ? positions.filter { $0 != next } : []) + [next]
  }
}
