import IDXBase
import IDX
import IDXFlow
import IDXOAuth

// OAuth's side of the org: where a sign-in begins and where it ends (protocol sections 1.1, 1.2, 6.1).
extension OrgCore {
  func discovery(_ request: TransportRequest) -> OrgReply {
    if let refusal = RequestCheck.refusal(of: request, method: "GET") { return refusal }
    let base = settings.oauthBase
    return .oauth([
      "issuer": .string(settings.issuer),
      "authorization_endpoint": .string(base + "/authorize"),
      "token_endpoint": .string(base + "/token"),
      "jwks_uri": .string(keysAddress),
      "userinfo_endpoint": .string(base + "/userinfo"),
      "revocation_endpoint": .string(base + "/revoke"),
      "introspection_endpoint": .string(base + "/introspect"),
      "end_session_endpoint": .string(base + "/logout"),
      "response_types_supported": ["code"],
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": ["RS256"],
      "grant_types_supported": .array(
        [
          "authorization_code", "interaction_code", "urn:openid:params:grant-type:interaction_code",
          "refresh_token",
        ]
          + DirectGrant.allCases.map { .string($0.rawValue) }),
      "code_challenge_methods_supported": [.string(PKCE.method)],
    ])
  }

  var keysAddress: String { settings.oauthBase + "/keys" }

  func keys(_ request: TransportRequest) -> OrgReply {
    RequestCheck.refusal(of: request, method: "GET") ?? .oauth(keyring.json)
  }

  mutating func interact(_ request: TransportRequest) -> OrgReply {
    let form: [String: String]
    switch parameters(of: request, known: Self.interactParameters) {
    case .refusal(let refusal): return refusal
    case .values(let values): form = values
    }
    guard form["client_id"] == settings.clientID else {
      return .unknownClient
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
    guard let scopes = scopes(in: form) else { return .unknownScope }
    if let refusal = refusedTokens(in: form) { return refusal }
    let handle = random.handle("ih_")
    interactions[handle] = Interaction(
      redirectURI: redirectURI, challenge: challenge, state: state, scopes: scopes,
      nonce: form["nonce"], stateHandle: beginTransaction(of: handle))
    if let stateHandle = interactions[handle]?.stateHandle {
      spendToken(in: form, at: stateHandle)
    }
    return .oauth(["interaction_handle": .string(handle)])
  }

  /// The scopes that are asked for; nil where there is none, or one that is not known.
  func scopes(in form: [String: String]) -> [String]? {
    let scopes = form["scope"]?.split(separator: " ").map(String.init) ?? []
    return !scopes.isEmpty && scopes.allSatisfy(Self.scopes.contains) ? scopes : nil
  }

  private static let scopes = ["openid", "profile", "email", "phone", "address", "offline_access"]

  private static let interactParameters: Set<String> = [
    "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
    "response_type", "nonce", "max_age", "acr_values", "login_hint", "recovery_token",
    "activation_token",
  ]

  enum Parameters {
    case values([String: String])
    case refusal(OrgReply)
  }

  /// The parameters of a request; no parameter may stand twice (RFC 6749, section 3.2) or be unknown.
  func parameters(
    of request: TransportRequest, known: Set<String>,
    accepting types: [String] = ["application/json"]
  ) -> Parameters {
    let refusal = RequestCheck.refusal(
      of: request, method: "POST", sending: [FormURLEncoding.contentType], accepting: types)
    if let refusal { return .refusal(refusal) }
    return values(of: String(decoding: request.body, as: UTF8.self), known: known)
  }

  /// The parameters that a text holds, form-encoded.
  func values(of text: String, known: Set<String>) -> Parameters {
    guard let pairs = FormURLEncoding.decode(text) else {
      return .refusal(.oauthError("invalid_request", "The parameters are not form-encoded."))
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
