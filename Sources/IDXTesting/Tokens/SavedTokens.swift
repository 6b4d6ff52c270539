#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why an org cannot go on with tokens that were saved.
public struct SavedTokensError: Error, Hashable, CustomStringConvertible {
  /// What is wrong with the data.
  public enum Reason: Sendable, Hashable {
    /// It is not what an org has saved, or it is damaged.
    case unreadable
    /// It was saved in another version of the format.
    case otherVersion
    /// It was saved by an org with another issuer.
    case otherIssuer
  }

  /// What is wrong with the data.
  public let reason: Reason

  /// What happened and what to do, as a sentence or two.
  public var description: String {
    switch reason {
    case .unreadable: "The saved tokens of the simulated org cannot be read. Delete them."
    case .otherVersion: "The simulated org's tokens were saved by another version. Delete them."
    case .otherIssuer: "The saved tokens are those of another simulated org."
    }
  }
}

/// What an org needs to know tokens again that it issued in another process.
struct SavedTokens: Sendable, Codable {
  let version: Int
  let issuer: String
  let timeAhead: TimeInterval
  let random: OrgRandom
  let keyring: Keyring
  let ledger: OrgLedger

  static let version = 2
  /// A thousand years: no test advances time so far, but damaged data may.
  static let mostTimeAhead: TimeInterval = 1000 * 366 * 24 * 3600
}

/// What stands in the data of every version.
private struct SavedVersion: Decodable {
  let version: Int
}

extension OrgCore {
  func savedTokens() throws -> Data {
    let saved = SavedTokens(
      version: SavedTokens.version, issuer: settings.issuer, timeAhead: clock.ahead, random: random,
      keyring: keyring, ledger: ledger.trimmed(at: now))
    return try JSONEncoder().encode(saved)
  }

  mutating func restoreTokens(from data: Data) throws(SavedTokensError) {
    let decoder = JSONDecoder()
    guard let version = try? decoder.decode(SavedVersion.self, from: data).version else {
      throw SavedTokensError(reason: .unreadable)
    }
    guard version == SavedTokens.version else { throw SavedTokensError(reason: .otherVersion) }
    guard let saved = try? decoder.decode(SavedTokens.self, from: data),
      saved.timeAhead.magnitude < SavedTokens.mostTimeAhead
    else {
      throw SavedTokensError(reason: .unreadable)
    }
    guard saved.issuer == settings.issuer else { throw SavedTokensError(reason: .otherIssuer) }
    clock.advance(by: saved.timeAhead - clock.ahead)
    keyring = saved.keyring
    ledger = saved.ledger
    // A seed that began again would draw the tokens again that were given before.
    if random.isSeeded, saved.random.isSeeded { random = saved.random }
  }
}
