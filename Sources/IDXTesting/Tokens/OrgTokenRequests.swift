import IDXBase
import IDX
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Giving tokens, for a sign-in and for a refresh token (protocol section 6.1).
extension OrgCore {
  mutating func token(_ request: TransportRequest) -> OrgReply {
    let form: [String: String]
    let known = Self.codeParameters.union(Self.authorizationParameters)
      .union(Self.refreshParameters).union(DirectGrant.everyParameter)
    switch parameters(of: request, known: known) {
    case .refusal(let refusal): return refusal
    case .values(let values): form = values
    }
    let direct = form["grant_type"].flatMap(DirectGrant.init(rawValue:))
    let own: Set<String>
    switch form["grant_type"] {
    case "authorization_code": own = Self.authorizationParameters
    case "interaction_code": own = Self.codeParameters
    case "refresh_token": own = Self.refreshParameters
    default:
      guard let direct else {
        return .oauthError("unsupported_grant_type", "The grant_type is not supported.")
      }
      own = direct.parameters
    }
    if let foreign = form.keys.filter({ !own.contains($0) }).min() {
      return .oauthError(
        "invalid_request", "The parameter \(foreign) does not belong to this grant.")
    }
    if let direct { return directToken(form, by: direct) }
    return form["grant_type"] == "refresh_token" ? refresh(form) : redeem(form)
  }

  private mutating func redeem(_ form: [String: String]) -> OrgReply {
    // The code is gone whatever follows: who fails with it may be a thief.
    let isAuthorization = form["grant_type"] == "authorization_code"
    guard let code = form[isAuthorization ? "code" : "interaction_code"],
      let grant = grants.removeValue(forKey: code), grant.isFromAuthorization == isAuthorization,
      now < grant.expiresAt, let interaction = interactions.removeValue(forKey: grant.interaction)
    else {
      let name = isAuthorization ? "authorization" : "interaction"
      return .oauthError("invalid_grant", "The \(name) code is unknown, used or expired.")
    }
    transactions[interaction.stateHandle] = nil
    guard form["client_id"] == settings.clientID else {
      return .oauthError("invalid_grant", "The interaction code is another client's.")
    }
    guard PKCE.challenge(for: form["code_verifier"] ?? "") == interaction.challenge else {
      return .oauthError("invalid_grant", "PKCE verification failed.")
    }
    guard form["redirect_uri"].map({ $0 == interaction.redirectURI }) ?? !isAuthorization else {
      return .oauthError("invalid_grant", "The redirect_uri is not the one of the beginning.")
    }
    let asked = form["scope"]?.split(separator: " ").map(String.init) ?? interaction.scopes
    guard Set(asked).isSubset(of: interaction.scopes) else {
      return .oauthError("invalid_scope", "More scopes are asked for than in the beginning.")
    }
    let allowed = asked.filter { !grant.refusedScopes.contains($0) }
    return issue(scopes: allowed, to: grant.person, for: grant.signIn, nonce: interaction.nonce)
  }

  /// Gives the tokens of a sign-in that is done.
  mutating func issue(
    scopes: [String], to person: OrgPerson, for signIn: OrgSignIn, nonce: String?
  ) -> OrgReply {
    let isLasting = scopes.contains("offline_access")
    let family = OrgLedger.Family(
      id: random.handle("fam_"), person: person, scopes: scopes, nonce: nonce, signIn: signIn,
      refreshToken: isLasting ? random.handle("rt_") : nil, usedAt: now)
    ledger.add(family)
    return answer(for: family, scopes: scopes, nonce: nonce, refreshToken: family.refreshToken)
  }

  private mutating func refresh(_ form: [String: String]) -> OrgReply {
    guard form["client_id"] == settings.clientID else {
      return .unknownClient
    }
    guard let token = form["refresh_token"], !token.isEmpty else {
      return .oauthError("invalid_request", "The refresh_token is required.")
    }
    guard let (refresh, family) = ledger.refresh(token), isAlive(family) else {
      return .oauthError("invalid_grant", "The refresh token is invalid or expired.")
    }
    if let replacedAt = refresh.replacedAt {
      guard case .rotating(let grace) = tokenRules.refreshRotation,
        now < replacedAt.addingTimeInterval(grace)
      else {
        // Used twice, it is in two hands: nobody can tell which of them is the client's.
        ledger.revokeFamily(family.id)
        return .oauthError("invalid_grant", "The refresh token was used before.")
      }
    }
    let scopes = form["scope"]?.split(separator: " ").map(String.init) ?? family.scopes
    guard Set(scopes).isSubset(of: family.scopes) else {
      return .oauthError("invalid_scope", "More scopes are asked for than were granted.")
    }
    let isFirstUse = refresh.replacedAt == nil
    var newest = family.refreshToken
    switch tokenRules.refreshRotation {
    case .rotating where isFirstUse:
      newest = random.handle("rt_")
      ledger.use(family.id, replacingBy: newest, at: now)
    case .unmentioned:
      newest = nil
      ledger.use(family.id, replacingBy: nil, at: now)
    case .rotating, .fixed:
      ledger.use(family.id, replacingBy: nil, at: now)
    }
    let nonce = tokenRules.repeatsNonce ? family.nonce : nil
    return answer(for: family, scopes: scopes, nonce: nonce, refreshToken: newest)
  }

  /// Whether refresh tokens of a sign-in are worth anything, those that count.
  func isAlive(_ family: OrgLedger.Family) -> Bool {
    let status = accounts[OrgAccount.Key(family.person.login)]?.user.status
    return !family.isRevoked && status != .suspended && status != .notAssigned
      && now < family.usedAt.addingTimeInterval(tokenRules.refreshTokenLifetime)
  }

  private mutating func answer(
    for family: OrgLedger.Family, scopes: [String], nonce: String?, refreshToken: String?
  ) -> OrgReply {
    let id = random.handle("AT.")
    let lifetime = tokenRules.accessTokenLifetime
    let claims = accessClaims(
      id, for: family, scopes: scopes, at: now.addingTimeInterval(tokenRules.clockSkew))
    let accessToken = OrgToken(claims, naming: keyring.current).signed(by: keyring.current)
    ledger.add(
      OrgLedger.Access(
        family: family.id, id: id, scopes: scopes, issuedAt: now,
        expiresAt: now.addingTimeInterval(lifetime)),
      as: accessToken)
    let answer: JSONValue = [
      "token_type": "Bearer", "expires_in": Self.seconds(lifetime),
      "access_token": .string(accessToken), "scope": .string(scopes.joined(separator: " ")),
    ]
    let idToken =
      scopes.contains("openid")
      ? idToken(for: family, scopes: scopes, nonce: nonce, accessToken: accessToken) : nil
    return .oauth(
      answer.adding("refresh_token", .string(refreshToken ?? ""), if: refreshToken != nil)
        .adding("id_token", .string(idToken ?? ""), if: idToken != nil))
  }

  private static let codeParameters: Set<String> = [
    "grant_type", "interaction_code", "client_id", "code_verifier", "redirect_uri", "scope",
  ]

  private static let authorizationParameters: Set<String> = [
    "grant_type", "code", "client_id", "code_verifier", "redirect_uri",
  ]

  private static let refreshParameters: Set<String> = [
    "grant_type", "refresh_token", "client_id", "redirect_uri", "scope",
  ]
}
