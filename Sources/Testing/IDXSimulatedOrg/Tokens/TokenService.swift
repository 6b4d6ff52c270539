import Foundation
import IDXBase
import IDXOAuth
import IDXTokenSigning

/// The authorization server of an org: what clients have asked for, codes, and the tokens that it has issued.
struct TokenService: Sendable {
  /// A code that has not been used: an interaction code, or one of the authorization endpoint.
  struct IssuedCode: Sendable {
    var isFromAuthorization = false
    /// The key of the request in ``requests`` that it answers.
    let requestKey: String
    let expiresAt: Date
    var refusedScopes: Set<String> = []
    let subject: TokenSubject
    let signIn: CompletedSignIn
  }

  let settings: OrgSettings
  let clock: OrgClock
  var rules = OrgTokenRules()
  var keys = SigningKeys()
  /// What clients have asked for, by the interaction handle or the code of the authorization endpoint.
  var requests: [String: AuthorizationRequest] = [:]
  /// The codes that can be exchanged for tokens.
  var codes: [String: IssuedCode] = [:]
  var issued = IssuedTokens()
  /// The checks of proofs, by the origin of the server: the org itself, and APIs.
  var proofs: [String: DPoPCheck] = [:]

  init(settings: OrgSettings, clock: OrgClock) {
    self.settings = settings
    self.clock = clock
  }

  var now: Date { clock.now }

  /// The public keys for the signatures of tokens.
  var publicKeys: JSONValue {
    let more = rules.signsWithES256 ? [P256SigningKey.shared.jwk] : []
    return ["keys": .array(keys.published.map(\.jwk) + more)]
  }

  /// A code and the request that it answers; both are used up, also if the token request fails after that, because it
  /// may come from an attacker.
  ///
  /// For the same reason, a code that was used before ends its tokens (RFC 6749, section
  /// 4.1.2).
  mutating func take(
    _ code: String, isFromAuthorization: Bool
  ) -> (code: IssuedCode, request: AuthorizationRequest)? {
    issued.revoke(code: code)
    guard let issued = codes.removeValue(forKey: code),
      issued.isFromAuthorization == isFromAuthorization, now < issued.expiresAt,
      let request = requests.removeValue(forKey: issued.requestKey)
    else { return nil }
    return (issued, request)
  }

  /// Issues the tokens of a completed sign-in, bound to the key with this thumbprint if there is one.
  mutating func issue(
    scopes: [String], to subject: TokenSubject, for signIn: CompletedSignIn, nonce: String? = nil,
    authenticationContext: String? = nil, boundTo key: String?, redeeming code: String? = nil,
    _ random: inout OrgRandom
  ) -> OrgResponse {
    let family = IssuedTokens.Family(
      id: random.handle("fam_"), subject: subject, scopes: scopes, nonce: nonce,
      authenticationContext: authenticationContext, signIn: signIn, keyThumbprint: key,
      refreshToken: scopes.contains("offline_access") ? random.handle("rt_") : nil, code: code,
      usedAt: now)
    issued.add(family)
    return response(
      for: family, scopes: scopes, nonce: nonce, refreshToken: family.refreshToken, &random)
  }

  /// Issues tokens for a refresh token, which is replaced if the rules say so.
  mutating func refresh(
    _ refresh: IssuedTokens.Refresh, of family: IssuedTokens.Family, scopes asked: [String]?,
    provedBy key: String?, _ random: inout OrgRandom
  ) throws(Refusal) -> OrgResponse {
    // Checked before the token counts as used, because the client with the key must be able to use it.
    try require(
      key != nil || family.keyThumbprint == nil,
      else: .oauth("invalid_dpop_proof", "The DPoP proof JWT header is missing."))
    try require(
      family.keyThumbprint == nil || key == family.keyThumbprint,
      else: .oauth("invalid_grant", "The refresh token is bound to another key."))
    if let replacedAt = refresh.replacedAt {
      guard case .rotating(let grace) = rules.refreshRotation,
        now < replacedAt.addingTimeInterval(grace)
      else {
        // Two clients have the token, and one of them may be an attacker.
        issued.revokeFamily(family.id)
        throw .oauth("invalid_grant", "The refresh token was used before.")
      }
    }
    let scopes = asked ?? family.scopes
    try require(
      Set(scopes).isSubset(of: family.scopes),
      else: .oauth("invalid_scope", "The request has more scopes than were granted."))
    var newest = family.refreshToken
    var replacement: String?
    switch rules.refreshRotation {
    case .rotating(_) where refresh.replacedAt == nil:
      replacement = random.handle("rt_")
      newest = replacement
    case .unmentioned: newest = nil
    case .rotating, .fixed: break
    }
    issued.use(family.id, replacingBy: replacement, at: now)
    return response(
      for: family, scopes: scopes, nonce: rules.repeatsNonce ? family.nonce : nil,
      refreshToken: newest, &random)
  }

  /// When a refresh token of a family expires.
  func refreshExpiry(of family: IssuedTokens.Family) -> Date {
    family.usedAt.addingTimeInterval(rules.refreshTokenLifetime)
  }

  private mutating func response(
    for family: IssuedTokens.Family, scopes: [String], nonce: String?, refreshToken: String?,
    _ random: inout OrgRandom
  ) -> OrgResponse {
    let id = random.handle("AT.")
    let lifetime = rules.accessTokenLifetime
    let claims = accessClaims(id, for: family, scopes: scopes)
    let accessToken = UnsignedToken(claims, naming: keys.current).signed(by: keys.current)
    issued.add(
      IssuedTokens.Access(
        family: family.id, id: id, scopes: scopes, issuedAt: now,
        expiresAt: now.addingTimeInterval(lifetime)), as: accessToken)
    let body: JSONValue = [
      "token_type": .string(family.tokenType), "expires_in": .seconds(lifetime),
      "access_token": .string(accessToken), "scope": .string(scopes.joined(separator: " ")),
    ]
    let idToken =
      scopes.contains("openid")
      ? idToken(for: family, scopes: scopes, nonce: nonce, accessToken: accessToken, &random) : nil
    return .json(
      body.adding("refresh_token", refreshToken.map(JSONValue.string))
        .adding("id_token", idToken.map(JSONValue.string)))
  }
}

/// The parameters of a client's first request.
struct AuthorizationRequest: Sendable {
  let redirectURI: String
  /// Nil if the client has a secret or a key, and sent none.
  let codeChallenge: String?
  let state: String
  let scopes: [String]
  let nonce: String?
  /// The `acr` of the ID token; nil if the client did not ask for one.
  let authenticationContext: String?
  /// The thumbprint of the key that the code is bound to; nil if it needs none (RFC 9449, section 10).
  let keyThumbprint: String?
  /// The handle of the sign-in that answers it.
  var stateHandle = ""
}

/// The parameters of an authorization request that the app has sent before the browser opens it.
struct PushedRequest: Sendable {
  let parameters: [String: String]
  let expiresAt: Date
}
