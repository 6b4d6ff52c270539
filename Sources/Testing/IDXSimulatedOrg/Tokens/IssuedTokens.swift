import Foundation
import IDX
import IDXBase

struct IssuedTokens: Sendable, Codable {
  /// All tokens of one sign-in.
  struct Family: Sendable, Codable {
    let id: String
    let subject: TokenSubject
    let scopes: [String]
    let nonce: String?
    /// The `acr` of the ID tokens; nil if the client did not ask for one.
    var authenticationContext: String?
    let signIn: CompletedSignIn
    /// The thumbprint of the key that the tokens are bound to; nil if they need none.
    var keyThumbprint: String?
    /// The newest refresh token.
    var refreshToken: String?
    /// When the refresh token was issued, or last used.
    var usedAt: Date
    var isRevoked = false

    var tokenType: String { keyThumbprint == nil ? "Bearer" : "DPoP" }
    /// The claim `cnf` (RFC 9449, section 6).
    var confirmation: JSONValue? { keyThumbprint.map { ["jkt": .string($0)] } }
  }

  struct Refresh: Sendable, Codable {
    let family: String
    var replacedAt: Date?
  }

  struct Access: Sendable, Codable {
    let family: String
    let id: String
    let scopes: [String]
    let issuedAt: Date
    let expiresAt: Date
    var isRevoked = false
  }

  private var families: [String: Family] = [:]
  private var refreshTokens: [String: Refresh] = [:]
  private var accessTokens: [String: Access] = [:]

  mutating func add(_ family: Family) {
    families[family.id] = family
    if let token = family.refreshToken { refreshTokens[token] = Refresh(family: family.id) }
  }

  mutating func add(_ access: Access, as token: String) { accessTokens[token] = access }

  func access(_ token: String, at now: Date) -> (access: Access, family: Family)? {
    guard let access = accessTokens[token], !access.isRevoked, now < access.expiresAt,
      let family = families[access.family], !family.isRevoked
    else { return nil }
    return (access, family)
  }

  /// A refresh token, valid or not, and its family.
  func refresh(_ token: String) -> (refresh: Refresh, family: Family)? {
    guard let refresh = refreshTokens[token], let family = families[refresh.family] else {
      return nil
    }
    return (refresh, family)
  }

  /// Marks the refresh token of a family as used, and replaces it if there is a new one.
  mutating func use(_ family: String, replacingBy token: String?, at now: Date) {
    families[family]?.usedAt = now
    guard let token, let old = families[family]?.refreshToken else { return }
    refreshTokens[old]?.replacedAt = now
    refreshTokens[token] = Refresh(family: family)
    families[family]?.refreshToken = token
  }

  mutating func revokeFamily(_ id: String) { families[id]?.isRevoked = true }

  mutating func revoke(_ token: String) {
    accessTokens[token]?.isRevoked = true
    if let refresh = refreshTokens[token] { revokeFamily(refresh.family) }
  }

  /// The tokens that can still be valid.
  func trimmed(at now: Date) -> IssuedTokens {
    var trimmed = self
    trimmed.accessTokens = accessTokens.filter { access($0.key, at: now) != nil }
    let used = Set(trimmed.accessTokens.values.map(\.family))
    trimmed.families = families.filter { id, family in
      !family.isRevoked && (family.refreshToken != nil || used.contains(id))
    }
    trimmed.refreshTokens = refreshTokens.filter { trimmed.families[$0.value.family] != nil }
    return trimmed
  }
}

struct TokenSubject: Sendable, Codable {
  let id: String
  let login: String
  let firstName: String
  let lastName: String
  let email: String

  init(_ account: OrgAccount) {
    id = account.id
    login = account.user.login
    firstName = account.user.firstName
    lastName = account.user.lastName
    email = account.user.email
  }

  var name: String { "\(firstName) \(lastName)" }
}

struct CompletedSignIn: Sendable, Codable {
  let time: Date
  /// The methods that were used, with the names of RFC 8176.
  let methods: [String]
  /// The ID of the org itself or of another identity provider.
  let identityProvider: String

  init(_ proved: ProvedAuthenticators, at time: Date) {
    self.time = time
    methods = proved.methods.union(proved.keys.count > 1 ? ["mfa"] : []).sorted()
    identityProvider = OrgSettings.id(proved.isByIdentityProvider ? "0oa" : "00o", "provider")
  }
}

// MARK: - Saving

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
  let keyring: Keyring
  let issued: IssuedTokens
  /// Nil in what an earlier version saved.
  var proofs: [String: ProofCheck]?

  static let version = 2
  /// A thousand years, which only damaged data exceeds.
  static let maximumTimeAhead: TimeInterval = 1000 * 366 * 24 * 3600
}

extension OrgCore {
  func savedTokens() throws -> Data {
    let saved = SavedTokens(
      version: SavedTokens.version, issuer: settings.issuer, timeAhead: clock.ahead, random: random,
      keyring: keyring, issued: issued.trimmed(at: now), proofs: proofs)
    return try JSONEncoder().encode(saved)
  }

  func restoreTokens(from data: Data) throws(SavedTokensError) {
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
    keyring = saved.keyring
    issued = saved.issued
    proofs = saved.proofs ?? [:]
    // If the seed started again, the org would issue the same tokens again.
    if random.isSeeded, saved.random.isSeeded { random = saved.random }
  }
}
