#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Who was given which tokens, and what they are good for.
struct OrgLedger: Sendable, Codable {
  /// All that came of one sign-in.
  struct Family: Sendable, Codable {
    let id: String
    let person: OrgPerson
    let scopes: [String]
    let nonce: String?
    let signIn: OrgSignIn
    /// The refresh token that counts; nil where none was given.
    var refreshToken: String?
    /// When it was last used, or given.
    var usedAt: Date
    var isRevoked = false
  }

  /// A refresh token, and when another took its place.
  struct Refresh: Sendable, Codable {
    let family: String
    var replacedAt: Date?
  }

  /// An access token.
  struct Access: Sendable, Codable {
    let family: String
    let id: String
    let scopes: [String]
    let issuedAt: Date
    let expiresAt: Date
    var isRevoked = false
  }

  private(set) var families: [String: Family] = [:]
  private var refreshTokens: [String: Refresh] = [:]
  private var accessTokens: [String: Access] = [:]

  mutating func add(_ family: Family) {
    families[family.id] = family
    if let token = family.refreshToken { refreshTokens[token] = Refresh(family: family.id) }
  }

  mutating func add(_ access: Access, as token: String) { accessTokens[token] = access }

  /// An access token that is good now, and whose it is; nil where it is unknown, expired or revoked.
  func access(_ token: String, at now: Date) -> (access: Access, family: Family)? {
    guard let access = accessTokens[token], !access.isRevoked, now < access.expiresAt,
      let family = families[access.family], !family.isRevoked
    else { return nil }
    return (access, family)
  }

  /// The record of a refresh token, whether it is good or not; nil where it was never given.
  func refresh(_ token: String) -> (refresh: Refresh, family: Family)? {
    guard let refresh = refreshTokens[token], let family = families[refresh.family] else {
      return nil
    }
    return (refresh, family)
  }

  /// Puts a new refresh token in the place of a family's, or marks the old one as used.
  mutating func use(_ family: String, replacingBy token: String?, at now: Date) {
    families[family]?.usedAt = now
    guard let token, let old = families[family]?.refreshToken else { return }
    refreshTokens[old]?.replacedAt = now
    refreshTokens[token] = Refresh(family: family)
    families[family]?.refreshToken = token
  }

  mutating func revokeFamily(_ id: String) { families[id]?.isRevoked = true }

  /// Revokes a token: an access token alone, a refresh token with all that came of its sign-in.
  mutating func revoke(_ token: String) {
    accessTokens[token]?.isRevoked = true
    if let refresh = refreshTokens[token] { revokeFamily(refresh.family) }
  }

  /// The ledger without what is refused like a token that was never given.
  func trimmed(at now: Date) -> OrgLedger {
    var ledger = self
    ledger.accessTokens = accessTokens.filter { access($0.key, at: now) != nil }
    let used = Set(ledger.accessTokens.values.map(\.family))
    ledger.families = families.filter { id, family in
      !family.isRevoked && (family.refreshToken != nil || used.contains(id))
    }
    ledger.refreshTokens = refreshTokens.filter { ledger.families[$0.value.family] != nil }
    return ledger
  }
}

/// Whom tokens are about.
struct OrgPerson: Sendable, Codable {
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
}

/// How and when somebody has signed in.
struct OrgSignIn: Sendable, Codable {
  let time: Date
  /// What was proved, by the names of RFC 8176.
  let methods: [String]
  /// Who has vouched: the org itself or another identity provider.
  let identityProvider: String
}
