import Foundation

/// Why an org cannot restore saved tokens.
package struct SavedTokensError: Error, Hashable, CustomStringConvertible {
  /// What is wrong with the data.
  package enum Reason: Sendable, Hashable {
    /// It was not saved by an org, or it is damaged.
    case unreadable
    /// It has a different version of the format.
    case otherVersion
    /// It was saved by an org with another issuer.
    case otherIssuer
  }

  /// What is wrong with the data.
  package let reason: Reason

  /// What happened and what to do, in one or two sentences.
  package var description: String {
    switch reason {
    case .unreadable: "The saved tokens of the simulated org cannot be read. Delete them."
    case .otherVersion: "The simulated org's tokens were saved by a different version. Delete them."
    case .otherIssuer: "The saved tokens belong to another simulated org."
    }
  }
}

/// The data with which an org accepts tokens that it issued in another process.
private struct SavedTokens: Codable {
  /// The part that every version of the format has.
  struct Version: Decodable { let version: Int }

  let version: Int
  let issuer: String
  let timeAhead: TimeInterval
  let random: OrgRandom
  let keyring: SigningKeys
  let issued: IssuedTokens
  /// Nil in what an earlier version saved.
  var proofs: [String: DPoPCheck]?

  static let version = 2
  /// A thousand years, which only damaged data exceeds.
  static let maximumTimeAhead: TimeInterval = 1000 * 366 * 24 * 3600
}

extension OrgState {
  func savedTokens() throws -> Data {
    let saved = SavedTokens(
      version: SavedTokens.version, issuer: settings.issuer, timeAhead: clock.ahead, random: random,
      keyring: tokens.keys, issued: tokens.issued.trimmed(at: now), proofs: tokens.proofs)
    return try JSONEncoder().encode(saved)
  }

  mutating func restoreTokens(from data: Data) throws(SavedTokensError) {
    let decoder = JSONDecoder()
    guard let version = try? decoder.decode(SavedTokens.Version.self, from: data).version else {
      throw SavedTokensError(reason: .unreadable)
    }
    guard version == SavedTokens.version else { throw SavedTokensError(reason: .otherVersion) }
    guard let saved = try? decoder.decode(SavedTokens.self, from: data),
      saved.timeAhead.magnitude < SavedTokens.maximumTimeAhead
    else { throw SavedTokensError(reason: .unreadable) }
    guard saved.issuer == settings.issuer else { throw SavedTokensError(reason: .otherIssuer) }
    clock.advance(by: saved.timeAhead - clock.ahead)
    tokens.keys = saved.keyring
    tokens.issued = saved.issued
    tokens.proofs = saved.proofs ?? [:]
    // If the seed started again, the org would issue the same tokens again.
    if random.isSeeded, saved.random.isSeeded { random = saved.random }
  }
}
