import Foundation
import IDXBase
import IDXOAuth

// The endpoints that take tokens.
extension OrgCore {
  /// Returns the profile of an access token's user (OpenID Connect Core, section 5.3).
  func userInfo(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    // Both methods are required (section 5.3).
    try request.check(
      method: request.method == "POST" ? "POST" : "GET", accepting: ["application/json"])
    let (access, family) = try authorized(request, at: settings.origin)
    try require(
      access.scopes.contains("openid"),
      else: .challenge(
        "Bearer error=\"insufficient_scope\", error_description=\"The scope openid is needed.\"",
        status: 403))
    return .json(profile(of: family.subject, scopes: access.scopes))
  }

  /// Revokes a token; the response is the same for an unknown token (RFC 7009, section 2.2).
  func revoke(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    issued.revoke(try tokenParameter(of: request, accepting: []))
    return .empty()
  }

  /// Returns whether a token is valid, and its claims (RFC 7662, section 2.2).
  func introspectToken(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let token = try tokenParameter(of: request, accepting: ["application/json"])
    if let (access, family) = issued.access(token, at: now) {
      let claims = activeClaims(family, access.scopes, from: access.issuedAt, to: access.expiresAt)
      return .json(
        claims.adding("token_type", .string(family.tokenType)).adding("jti", .string(access.id))
          .adding("cnf", family.confirmation))
    }
    if let (refresh, family) = issued.refresh(token), refresh.replacedAt == nil, canRefresh(family)
    {
      let end = family.usedAt.addingTimeInterval(tokenRules.refreshTokenLifetime)
      return .json(activeClaims(family, family.scopes, from: family.usedAt, to: end))
    }
    return .json(["active": false])
  }

  /// Redirects back after a logout (OpenID Connect RP-Initiated Logout, section 2).
  func logOut(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try query(
      of: request, known: ["id_token_hint", "post_logout_redirect_uri", "state"])
    try require(
      form["id_token_hint"]?.isEmpty == false,
      else: .oauth("invalid_request", "The id_token_hint is required."))
    guard let address = form["post_logout_redirect_uri"] else { return .empty() }
    try require(
      settings.redirectURIs.contains(address),
      else: .oauth("invalid_request", "The post_logout_redirect_uri is not registered."))
    return .redirect(to: address, with: form["state"].map { [("state", $0)] } ?? [])
  }

  private func profile(of subject: TokenSubject, scopes: [String]) -> JSONValue {
    // The profile includes changes since the sign-in.
    let account = accounts[OrgAccount.Key(subject.login)].flatMap { $0.exists ? $0 : nil }
    let subject = account.map(TokenSubject.init) ?? subject
    let claims: JSONValue = ["sub": .string(subject.id)]
    let (hasProfile, hasEmail) = (scopes.contains("profile"), scopes.contains("email"))
    return claims.adding("name", .string(subject.name), if: hasProfile)
      .adding("given_name", .string(subject.firstName), if: hasProfile)
      .adding("family_name", .string(subject.lastName), if: hasProfile)
      .adding("preferred_username", .string(subject.login), if: hasProfile)
      .adding("email", .string(subject.email), if: hasEmail)
      .adding("email_verified", true, if: hasEmail)
  }

  private func activeClaims(
    _ family: IssuedTokens.Family, _ scopes: [String], from start: Date, to end: Date
  ) -> JSONValue {
    [
      "active": true, "scope": .string(scopes.joined(separator: " ")),
      "username": .string(family.subject.login), "sub": .string(family.subject.login),
      "uid": .string(family.subject.id), "client_id": .string(settings.clientID),
      "iss": .string(settings.issuer), "aud": .string(Self.audience), "iat": .seconds(start),
      "exp": .seconds(end),
    ]
  }

  /// The token in a request.
  private func tokenParameter(
    of request: TransportRequest, accepting types: [String]
  ) throws(Refusal) -> String {
    let form = try parameters(
      of: request, known: ["token", "token_type_hint", "client_id"], accepting: types)
    try checkClient(form)
    guard let token = form["token"], !token.isEmpty else {
      throw .oauth("invalid_request", "The token is required.")
    }
    try require(
      ["access_token", "refresh_token", nil].contains(form["token_type_hint"]),
      else: .oauth("unsupported_token_type", "Tokens of this type are not supported."))
    return token
  }
}
