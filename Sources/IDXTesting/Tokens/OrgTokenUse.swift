import IDXBase
import IDX
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What tokens are good for once they are there (protocol section 6.1).
extension OrgCore {
  /// Tells who an access token is about (OpenID Connect Core, section 5.3).
  func userInfo(_ request: TransportRequest) -> OrgReply {
    let refusal = RequestCheck.refusal(
      of: request, method: "GET", accepting: ["application/json"])
    if let refusal { return refusal }
    let words = RequestCheck.header("Authorization", of: request)?.split(separator: " ") ?? []
    guard words.count == 2, words[0].lowercased() == "bearer" else {
      return .challenge(status: 401, "Bearer realm=\"\(settings.issuer)\"")
    }
    guard let (access, family) = ledger.access(String(words[1]), at: now) else {
      return .challenge(
        status: 401, error: "invalid_token", "The token is unknown, expired or revoked.")
    }
    guard access.scopes.contains("openid") else {
      return .challenge(
        status: 403, error: "insufficient_scope", "The scope openid is needed.")
    }
    return .oauth(profile(of: family.person, scopes: access.scopes))
  }

  /// Revokes a token, and says the same where there is none (RFC 7009, section 2.2).
  mutating func revoke(_ request: TransportRequest) -> OrgReply {
    switch tokenQuestion(request, accepting: []) {
    case .refusal(let refusal): return refusal
    case .values(let form):
      ledger.revoke(form["token"] ?? "")
      return .empty(status: 200)
    }
  }

  /// Tells what a token is good for (RFC 7662, section 2.2).
  func introspectToken(_ request: TransportRequest) -> OrgReply {
    switch tokenQuestion(request, accepting: ["application/json"]) {
    case .refusal(let refusal): return refusal
    case .values(let form):
      let token = form["token"] ?? ""
      if let (access, family) = ledger.access(token, at: now) {
        let claims = activeClaims(
          family, access.scopes, from: access.issuedAt, to: access.expiresAt)
        return .oauth(
          claims.adding("token_type", "Bearer", if: true)
            .adding("jti", .string(access.id), if: true))
      }
      if let (refresh, family) = ledger.refresh(token), refresh.replacedAt == nil, isAlive(family) {
        let end = family.usedAt.addingTimeInterval(tokenRules.refreshTokenLifetime)
        return .oauth(activeClaims(family, family.scopes, from: family.usedAt, to: end))
      }
      return .oauth(["active": false])
    }
  }

  /// Ends the session in the browser and leads back (OpenID Connect RP-Initiated Logout, section 2).
  func logOut(_ request: TransportRequest) -> OrgReply {
    if let refusal = RequestCheck.refusal(of: request, method: "GET") { return refusal }
    let query = request.url.absoluteString.split(separator: "?", maxSplits: 1).dropFirst().first
    let form: [String: String]
    switch values(of: String(query ?? ""), known: Self.logoutParameters) {
    case .refusal(let refusal): return refusal
    case .values(let values): form = values
    }
    guard form["id_token_hint"]?.isEmpty == false else {
      return .oauthError("invalid_request", "The id_token_hint is required.")
    }
    guard let address = form["post_logout_redirect_uri"] else { return .empty(status: 200) }
    guard settings.redirectURIs.contains(address) else {
      return .oauthError("invalid_request", "The post_logout_redirect_uri is not registered.")
    }
    let state = form["state"].map { FormURLEncoding.encode([("state", $0)]) }
    let mark = address.contains("?") ? "&" : "?"
    return .empty(status: 302, headers: ["Location": address + (state.map { mark + $0 } ?? "")])
  }

  private func profile(of person: OrgPerson, scopes: [String]) -> JSONValue {
    // What has changed since the sign-in is told as it is now.
    let account = accounts[OrgAccount.Key(person.login)].flatMap { $0.exists ? $0 : nil }
    let person = account.map(OrgPerson.init) ?? person
    var claims: JSONValue = ["sub": .string(person.id)]
    if scopes.contains("profile") {
      claims = claims.adding("name", .string(person.name), if: true)
        .adding("given_name", .string(person.firstName), if: true)
        .adding("family_name", .string(person.lastName), if: true)
        .adding("preferred_username", .string(person.login), if: true)
    }
    return claims.adding("email", .string(person.email), if: scopes.contains("email"))
      .adding("email_verified", true, if: scopes.contains("email"))
  }

  private func activeClaims(
    _ family: OrgLedger.Family, _ scopes: [String], from start: Date, to end: Date
  ) -> JSONValue {
    [
      "active": true, "scope": .string(scopes.joined(separator: " ")),
      "username": .string(family.person.login), "sub": .string(family.person.login),
      "uid": .string(family.person.id), "client_id": .string(settings.clientID),
      "iss": .string(settings.issuer), "aud": .string(Self.audience), "iat": Self.seconds(start),
      "exp": Self.seconds(end),
    ]
  }

  /// What asks about one token: its parameters, checked.
  private func tokenQuestion(_ request: TransportRequest, accepting types: [String]) -> Parameters {
    let form: [String: String]
    switch parameters(of: request, known: Self.questionParameters, accepting: types) {
    case .refusal(let refusal): return .refusal(refusal)
    case .values(let values): form = values
    }
    guard form["client_id"] == settings.clientID else {
      return .refusal(.unknownClient)
    }
    guard form["token"]?.isEmpty == false else {
      return .refusal(.oauthError("invalid_request", "The token is required."))
    }
    guard form["token_type_hint"].map(Self.tokenTypes.contains) ?? true else {
      return .refusal(
        .oauthError("unsupported_token_type", "Tokens of this type are not known here."))
    }
    return .values(form)
  }

  private static let tokenTypes = ["access_token", "refresh_token"]
  private static let questionParameters: Set<String> = ["token", "token_type_hint", "client_id"]
  private static let logoutParameters: Set<String> = [
    "id_token_hint", "post_logout_redirect_uri", "state",
  ]
}

extension OrgReply {
  /// An answer without a body.
  static func empty(status: Int, headers: [String: String] = [:]) -> OrgReply {
    OrgReply(status: status, body: .null, mediaType: nil, headers: headers)
  }

  /// What an address says that wants another token, or one at all (RFC 6750, section 3).
  static func challenge(status: Int, _ text: String) -> OrgReply {
    empty(status: status, headers: ["WWW-Authenticate": text])
  }

  static func challenge(status: Int, error: String, _ description: String) -> OrgReply {
    challenge(
      status: status, "Bearer error=\"\(error)\", error_description=\"\(description)\"")
  }
}
