import IDX
import IDXFlow
import OAuth

// OAuth's side of the org: where a sign-in begins and where it ends (protocol sections 1.1, 1.2, 6.1).
extension OrgCore {
  func discovery(_ request: HTTPRequest) -> OrgReply {
    if let refusal = RequestCheck.refusal(of: request, method: "GET") { return refusal }
    let base = settings.oauthBase
    return .oauth([
      "issuer": .string(settings.issuer),
      "authorization_endpoint": .string(base + "/authorize"),
      "token_endpoint": .string(base + "/token"),
      "jwks_uri": .string(base + "/keys"),
      "response_types_supported": ["code"],
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": ["RS256"],
      "grant_types_supported": [
        "interaction_code", "urn:openid:params:grant-type:interaction_code",
      ],
      "code_challenge_methods_supported": [.string(PKCE.method)],
    ])
  }

  func keys(_ request: HTTPRequest) -> OrgReply {
    RequestCheck.refusal(of: request, method: "GET") ?? .oauth(["keys": []])
  }

  mutating func interact(_ request: HTTPRequest) -> OrgReply {
    let form: [String: String]
    switch parameters(of: request, known: Self.interactParameters) {
    case .refusal(let refusal): return refusal
    case .values(let values): form = values
    }
    guard form["client_id"] == settings.clientID else {
      return .oauthError("invalid_client", "There is no such client.", status: 401)
    }
    guard let redirectURI = form["redirect_uri"], settings.redirectURIs.contains(redirectURI) else {
      return .oauthError("invalid_request", "The redirect_uri is not registered.")
    }
    guard form["code_challenge_method"] == PKCE.method, let challenge = form["code_challenge"],
      challenge.utf8.count == 43, Base64URL.decode(challenge) != nil
    else {
      return .oauthError("invalid_request", "A code_challenge by the method S256 is required.")
    }
    guard let state = form["state"], !state.isEmpty else {
      return .oauthError("invalid_request", "The state is required.")
    }
    let scopes = form["scope"]?.split(separator: " ").map(String.init) ?? []
    guard !scopes.isEmpty, scopes.allSatisfy(Self.scopes.contains) else {
      return .oauthError("invalid_scope", "A scope is missing or not known.")
    }
    if let refusal = refusedTokens(in: form) { return refusal }
    let handle = random.handle("ih_")
    interactions[handle] = Interaction(
      redirectURI: redirectURI, challenge: challenge, state: state, scopes: scopes,
      stateHandle: beginTransaction(of: handle))
    if let stateHandle = interactions[handle]?.stateHandle {
      spendToken(in: form, at: stateHandle)
    }
    return .oauth(["interaction_handle": .string(handle)])
  }

  mutating func token(_ request: HTTPRequest) -> OrgReply {
    let form: [String: String]
    switch parameters(of: request, known: Self.tokenParameters) {
    case .refusal(let refusal): return refusal
    case .values(let values): form = values
    }
    guard form["grant_type"] == "interaction_code" else {
      return .oauthError("unsupported_grant_type", "The grant_type is not supported.")
    }
    // The code is gone whatever follows: who fails with it may be a thief.
    guard let code = form["interaction_code"], let grant = grants.removeValue(forKey: code),
      now < grant.expiresAt, let interaction = interactions.removeValue(forKey: grant.interaction)
    else {
      return .oauthError("invalid_grant", "The interaction code is unknown, used or expired.")
    }
    transactions[interaction.stateHandle] = nil
    guard form["client_id"] == settings.clientID else {
      return .oauthError("invalid_grant", "The interaction code is another client's.")
    }
    guard PKCE.challenge(for: form["code_verifier"] ?? "") == interaction.challenge else {
      return .oauthError("invalid_grant", "PKCE verification failed.")
    }
    guard form["redirect_uri"].map({ $0 == interaction.redirectURI }) ?? true else {
      return .oauthError("invalid_grant", "The redirect_uri is not the one of the beginning.")
    }
    let asked = form["scope"]?.split(separator: " ").map(String.init) ?? interaction.scopes
    guard Set(asked).isSubset(of: interaction.scopes) else {
      return .oauthError("invalid_scope", "More scopes are asked for than in the beginning.")
    }
    let allowed = asked.filter { !grant.refusedScopes.contains($0) }
    let answer: JSON = [
      "token_type": "Bearer", "expires_in": 3600, "access_token": .string(random.handle("at_")),
      "scope": .string(allowed.joined(separator: " ")),
    ]
    let isLasting = allowed.contains("offline_access")
    return .oauth(
      answer.adding("refresh_token", .string(random.handle("rt_")), if: isLasting))
  }

  private static let scopes = ["openid", "profile", "email", "phone", "address", "offline_access"]

  private static let interactParameters: Set<String> = [
    "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
    "response_type", "nonce", "max_age", "acr_values", "login_hint", "recovery_token",
    "activation_token",
  ]

  private static let tokenParameters: Set<String> = [
    "grant_type", "interaction_code", "client_id", "code_verifier", "redirect_uri", "scope",
  ]

  private enum Parameters {
    case values([String: String])
    case refusal(OrgReply)
  }

  /// The parameters of a request; no parameter may stand twice (RFC 6749, section 3.2) or be unknown.
  private func parameters(of request: HTTPRequest, known: Set<String>) -> Parameters {
    let refusal = RequestCheck.refusal(
      of: request, method: "POST", sending: [FormURLEncoding.contentType],
      accepting: ["application/json"])
    if let refusal { return .refusal(refusal) }
    guard let pairs = FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)) else {
      return .refusal(.oauthError("invalid_request", "The body is not form-encoded."))
    }
    var values: [String: String] = [:]
    for (name, value) in pairs {
      guard known.contains(name), values.updateValue(value, forKey: name) == nil else {
        return .refusal(
          .oauthError("invalid_request", "The parameter \(name) is unknown or stands twice."))
      }
    }
    return .values(values)
  }
}
