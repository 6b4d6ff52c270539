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
    /// The code that was exchanged for the tokens; nil if they came without one.
    var code: String?
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

  /// Revokes the tokens that a code was exchanged for.
  mutating func revoke(code: String) {
    for (id, family) in families where family.code == code { revokeFamily(id) }
  }

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

  var name: String { "\(firstName) \(lastName)" }
}

struct CompletedSignIn: Sendable, Codable {
  let time: Date
  /// The methods that were used, with the names of RFC 8176.
  let methods: [String]
  /// The ID of the org itself or of another identity provider.
  let identityProvider: String
}
