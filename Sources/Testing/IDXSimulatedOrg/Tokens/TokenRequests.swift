import Foundation
import IDXBase
import IDXOAuth
import IDXTokenSigning

// The token endpoint: tokens for a sign-in or for a refresh token.
extension OrgCore {
  private static let parameters: [String: Set<String>] = [
    "interaction_code": [
      "grant_type", "interaction_code", "client_id", "code_verifier", "redirect_uri", "scope",
    ],
    "authorization_code": ["grant_type", "code", "client_id", "code_verifier", "redirect_uri"],
    "refresh_token": ["grant_type", "refresh_token", "client_id", "redirect_uri", "scope"],
    DeviceSignIn.grant: ["grant_type", "device_code", "client_id"],
  ]

  private static let everyParameter = parameters.values.reduce(DirectGrant.everyParameter) {
    $0.union($1)
  }

  func token(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try parameters(of: request, known: Self.everyParameter)
    let grant = form["grant_type"] ?? ""
    let direct = DirectGrant(rawValue: grant)
    guard let own = direct?.parameters ?? Self.parameters[grant] else {
      throw .oauth("unsupported_grant_type", "The grant_type is not supported.")
    }
    if let other = form.keys.filter({ !own.contains($0) }).min() {
      throw .oauth("invalid_request", "The parameter \(other) does not belong to this grant.")
    }
    // Before anything is used up, so that the client can send the same request with another proof.
    let key = try provedKey(of: request)
    if grant == "refresh_token" { return try refresh(form, provedBy: key) }
    try checkSetup()
    try require(
      !mistakes.contains(.noMatchingPolicy),
      else: .oauth("access_denied", "Policy evaluation failed: no rule allows this request."))
    if grant == DeviceSignIn.grant { return try deviceToken(form, provedBy: key) }
    return if let direct {
      try directToken(form, by: direct, provedBy: key)
    } else {
      try redeem(form, provedBy: key)
    }
  }

  private func redeem(
    _ form: [String: String], provedBy key: String?
  ) throws(Refusal) -> OrgResponse {
    // The first request makes the code invalid, because a failed request may come from an attacker.
    let isAuthorization = form["grant_type"] == "authorization_code"
    guard let code = form[isAuthorization ? "code" : "interaction_code"],
      let grant = grants.removeValue(forKey: code), grant.isFromAuthorization == isAuthorization,
      now < grant.expiresAt, let interaction = interactions.removeValue(forKey: grant.interaction)
    else {
      let name = isAuthorization ? "authorization" : "interaction"
      throw .oauth("invalid_grant", "The \(name) code is unknown, used or expired.")
    }
    signIns[interaction.stateHandle] = nil
    try require(
      form["client_id"] == settings.clientID,
      else: .oauth("invalid_grant", "The code belongs to another client."))
    try require(
      PKCE.challenge(for: form["code_verifier"] ?? "") == interaction.challenge,
      else: .oauth("invalid_grant", "PKCE verification failed."))
    try require(
      form["redirect_uri"].map({ $0 == interaction.redirectURI }) ?? !isAuthorization,
      else: .oauth("invalid_grant", "The redirect_uri differs from the first request."))
    try require(
      interaction.keyThumbprint == nil || interaction.keyThumbprint == key,
      else: .oauth("invalid_grant", "The code is bound to another key."))
    let asked = form["scope"]?.split(separator: " ").map(String.init) ?? interaction.scopes
    try require(
      Set(asked).isSubset(of: interaction.scopes),
      else: .oauth("invalid_scope", "The request has more scopes than the first request."))
    let allowed = asked.filter { !grant.refusedScopes.contains($0) }
    return issue(
      scopes: allowed, to: grant.subject, for: grant.signIn, nonce: interaction.nonce,
      authenticationContext: interaction.authenticationContext, boundTo: key)
  }

  /// Issues the tokens of a completed sign-in, bound to the key with this thumbprint if there is one.
  func issue(
    scopes: [String], to subject: TokenSubject, for signIn: CompletedSignIn, nonce: String?,
    authenticationContext: String? = nil, boundTo key: String?
  ) -> OrgResponse {
    let family = IssuedTokens.Family(
      id: random.handle("fam_"), subject: subject, scopes: scopes, nonce: nonce,
      authenticationContext: authenticationContext, signIn: signIn, keyThumbprint: key,
      refreshToken: scopes.contains("offline_access") ? random.handle("rt_") : nil, usedAt: now)
    issued.add(family)
    return tokenResponse(
      for: family, scopes: scopes, nonce: nonce, refreshToken: family.refreshToken)
  }

  private func refresh(
    _ form: [String: String], provedBy key: String?
  ) throws(Refusal) -> OrgResponse {
    try checkClient(form)
    guard let token = form["refresh_token"], !token.isEmpty else {
      throw .oauth("invalid_request", "The refresh_token is required.")
    }
    guard let (refresh, family) = issued.refresh(token), canRefresh(family) else {
      throw .oauth("invalid_grant", "The refresh token is invalid or expired.")
    }
    // Before the token counts as used, because the client with the key must be able to use it.
    try require(
      key != nil || family.keyThumbprint == nil,
      else: .oauth("invalid_dpop_proof", "The DPoP proof JWT header is missing."))
    try require(
      family.keyThumbprint == nil || key == family.keyThumbprint,
      else: .oauth("invalid_grant", "The refresh token is bound to another key."))
    if let replacedAt = refresh.replacedAt {
      guard case .rotating(let grace) = tokenRules.refreshRotation,
        now < replacedAt.addingTimeInterval(grace)
      else {
        // Two clients have the token, and one of them may be an attacker.
        issued.revokeFamily(family.id)
        throw .oauth("invalid_grant", "The refresh token was used before.")
      }
    }
    let scopes = form["scope"]?.split(separator: " ").map(String.init) ?? family.scopes
    try require(
      Set(scopes).isSubset(of: family.scopes),
      else: .oauth("invalid_scope", "The request has more scopes than were granted."))
    var newest = family.refreshToken
    var replacement: String?
    switch tokenRules.refreshRotation {
    case .rotating(_) where refresh.replacedAt == nil:
      replacement = random.handle("rt_")
      newest = replacement
    case .unmentioned: newest = nil
    case .rotating, .fixed: break
    }
    issued.use(family.id, replacingBy: replacement, at: now)
    return tokenResponse(
      for: family, scopes: scopes, nonce: tokenRules.repeatsNonce ? family.nonce : nil,
      refreshToken: newest)
  }

  /// Whether the refresh tokens of a family can be used.
  func canRefresh(_ family: IssuedTokens.Family) -> Bool {
    let status = accounts[OrgAccount.Key(family.subject.login)]?.user.status
    return !family.isRevoked && status != .suspended && status != .notAssigned
      && now < family.usedAt.addingTimeInterval(tokenRules.refreshTokenLifetime)
  }

  private func tokenResponse(
    for family: IssuedTokens.Family, scopes: [String], nonce: String?, refreshToken: String?
  ) -> OrgResponse {
    let id = random.handle("AT.")
    let lifetime = tokenRules.accessTokenLifetime
    let claims = accessClaims(id, for: family, scopes: scopes)
    let accessToken = UnsignedToken(claims, naming: keyring.current).signed(by: keyring.current)
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
      ? idToken(for: family, scopes: scopes, nonce: nonce, accessToken: accessToken) : nil
    return .json(
      body.adding("refresh_token", refreshToken.map(JSONValue.string))
        .adding("id_token", idToken.map(JSONValue.string)))
  }
}
