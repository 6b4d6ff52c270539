import Foundation
import IDXBase
import IDXOAuth

// The token endpoint, and the endpoints that take tokens.
extension OrgEndpoint {
  static let tokens: [OrgEndpoint] = [
    OrgEndpoint("POST", at: .oauth, "/token", .form(everyParameter), as: json, respond: token),
    // Both methods are required (OpenID Connect Core, section 5.3).
    OrgEndpoint("GET", "POST", at: .oauth, "/userinfo", as: json, respond: userInfo),
    OrgEndpoint("POST", at: .oauth, "/revoke", .form(tokenParameters), respond: revoke),
    OrgEndpoint(
      "POST", at: .oauth, "/introspect", .form(tokenParameters), as: json, respond: introspectToken),
  ]

  private static let tokenParameters: Set = ["token", "token_type_hint", "client_id"]
  private static let everyParameter = parametersByGrantType.values.reduce(
    DirectGrant.everyParameter
  ) {
    $0.union($1)
  }
  private static let parametersByGrantType: [String: Set<String>] = [
    "interaction_code": [
      "grant_type", "interaction_code", "client_id", "code_verifier", "redirect_uri", "scope",
    ],
    "authorization_code": ["grant_type", "code", "client_id", "code_verifier", "redirect_uri"],
    "refresh_token": ["grant_type", "refresh_token", "client_id", "redirect_uri", "scope"],
    DeviceSignIn.grantType: ["grant_type", "device_code", "client_id"],
  ]

  private static let token: Responder = { (request, org) throws(Refusal) in
    let grant = request.parameters["grant_type"] ?? ""
    let direct = DirectGrant(rawValue: grant)
    guard let own = direct?.parameters ?? parametersByGrantType[grant] else {
      throw .oauth("unsupported_grant_type", "The grant_type is not supported.")
    }
    let others = request.parameters.keys.filter { !own.contains($0) }
    if org.requestRules.isStrict, let other = others.min() {
      throw .oauth("invalid_request", "The parameter \(other) does not belong to this grant.")
    }
    // Checked before anything is used up, so that the client can send the same request with another proof.
    let key = try org.tokens.provedKey(of: request.http, &org.random)
    if grant == "refresh_token" { return try org.refresh(request, provedBy: key) }
    try org.checkSetup()
    try require(
      !org.mistakes.contains(.noMatchingPolicy),
      else: .oauth("access_denied", "Policy evaluation failed: no rule allows this request."))
    if grant == DeviceSignIn.grantType { return try org.deviceToken(request, provedBy: key) }
    return if let direct {
      try org.directToken(request, by: direct, provedBy: key)
    } else {
      try org.redeem(request, isAuthorization: grant == "authorization_code", provedBy: key)
    }
  }

  /// The profile of an access token's user (OpenID Connect Core, section 5.3).
  private static let userInfo: Responder = { (request, org) throws(Refusal) in
    let (access, family) = try org.tokens.authorized(
      request.http, at: org.settings.origin, &org.random)
    try require(
      access.scopes.contains("openid"),
      else: .challenge(
        "Bearer error=\"insufficient_scope\", error_description=\"The scope openid is needed.\"",
        status: 403))
    // The profile includes changes since the sign-in.
    let subject = org.known(OrgAccount.Key(family.subject.login))?.subject ?? family.subject
    return .json(subject.profile(scopes: access.scopes))
  }

  /// Revokes a token; the response is the same for an unknown token (RFC 7009, section 2.2).
  private static let revoke: Responder = { (request, org) throws(Refusal) in
    org.tokens.issued.revoke(try request.token(org.settings))
    return .empty()
  }

  /// Whether a token is valid, and its claims (RFC 7662, section 2.2).
  private static let introspectToken: Responder = { (request, org) throws(Refusal) in
    let token = try request.token(org.settings)
    if let (access, family) = org.tokens.issued.access(token, at: org.now) {
      let claims = org.activeClaims(
        family, access.scopes, from: access.issuedAt, to: access.expiresAt)
      return .json(
        claims.adding("token_type", .string(family.tokenType)).adding("jti", .string(access.id))
          .adding("cnf", family.confirmation))
    }
    if let (refresh, family) = org.tokens.issued.refresh(token), refresh.replacedAt == nil,
      org.canRefresh(family)
    {
      return .json(
        org.activeClaims(
          family, family.scopes, from: family.usedAt, to: org.tokens.refreshExpiry(of: family)))
    }
    return .json(["active": false])
  }
}

extension OrgRequest {
  /// The token in a request of a known client.
  fileprivate func token(_ settings: OrgSettings) throws(Refusal) -> String {
    try checkClient(settings)
    let token = try required("token")
    try require(
      ["access_token", "refresh_token", nil].contains(parameters["token_type_hint"]),
      else: .oauth("unsupported_token_type", "Tokens of this type are not supported."))
    return token
  }
}

extension OrgState {
  fileprivate mutating func redeem(
    _ request: OrgRequest, isAuthorization: Bool, provedBy key: String?
  ) throws(Refusal) -> OrgResponse {
    try request.checkClient(settings)
    let form = request.parameters
    let text = form[isAuthorization ? "code" : "interaction_code"] ?? ""
    guard let (code, first) = tokens.take(text, isFromAuthorization: isAuthorization) else {
      let name = isAuthorization ? "authorization" : "interaction"
      throw .oauth("invalid_grant", "The \(name) code is unknown, used or expired.")
    }
    signIns[first.stateHandle] = nil
    try require(
      form["code_verifier"].map { PKCE.challenge(for: $0) } == first.codeChallenge,
      else: .oauth("invalid_grant", "PKCE verification failed."))
    try require(
      form["redirect_uri"].map({ $0 == first.redirectURI }) ?? !isAuthorization,
      else: .oauth("invalid_grant", "The redirect_uri differs from the first request."))
    try require(
      first.keyThumbprint == nil || first.keyThumbprint == key,
      else: .oauth("invalid_grant", "The code is bound to another key."))
    let asked = request.askedScopes ?? first.scopes
    try require(
      Set(asked).isSubset(of: first.scopes),
      else: .oauth("invalid_scope", "The request has more scopes than the first request."))
    return tokens.issue(
      scopes: asked.filter { !code.refusedScopes.contains($0) }, to: code.subject,
      for: code.signIn, nonce: first.nonce, authenticationContext: first.authenticationContext,
      boundTo: key, redeeming: text, &random)
  }

  fileprivate mutating func refresh(
    _ request: OrgRequest, provedBy key: String?
  ) throws(Refusal) -> OrgResponse {
    try request.checkClient(settings)
    let token = try request.required("refresh_token")
    guard let (refresh, family) = tokens.issued.refresh(token), canRefresh(family) else {
      throw .oauth("invalid_grant", "The refresh token is invalid or expired.")
    }
    return try tokens.refresh(
      refresh, of: family, scopes: request.askedScopes, provedBy: key, &random)
  }

  /// Whether the refresh tokens of a family can be used.
  fileprivate func canRefresh(_ family: IssuedTokens.Family) -> Bool {
    let status = accounts[OrgAccount.Key(family.subject.login)]?.user.status
    return !family.isRevoked && status != .suspended && status != .notAssigned
      && now < tokens.refreshExpiry(of: family)
  }

  fileprivate func activeClaims(
    _ family: IssuedTokens.Family, _ scopes: [String], from start: Date, to end: Date
  ) -> JSONValue {
    [
      "active": true, "scope": .string(scopes.joined(separator: " ")),
      "username": .string(family.subject.login), "sub": .string(family.subject.login),
      "uid": .string(family.subject.id), "client_id": .string(settings.clientID),
      "iss": .string(settings.issuer), "aud": .string(TokenService.audience),
      "iat": .seconds(start), "exp": .seconds(end),
    ]
  }
}

extension TokenSubject {
  fileprivate func profile(scopes: [String]) -> JSONValue {
    let claims: JSONValue = ["sub": .string(id)]
    let (hasProfile, hasEmail) = (scopes.contains("profile"), scopes.contains("email"))
    return claims.adding("name", .string(name), if: hasProfile)
      .adding("given_name", .string(firstName), if: hasProfile)
      .adding("family_name", .string(lastName), if: hasProfile)
      .adding("preferred_username", .string(login), if: hasProfile)
      .adding("email", .string(email), if: hasEmail)
      .adding("email_verified", true, if: hasEmail)
  }
}
