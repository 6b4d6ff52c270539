import Foundation
import IDXBase
import IDXOAuth

// The OAuth endpoints that start a sign-in, and the checks of all OAuth endpoints.
extension OrgCore {
  func discovery(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    try request.check(method: "GET")
    let base = settings.oauthBase
    let grants =
      [
        "authorization_code", "interaction_code", "urn:openid:params:grant-type:interaction_code",
        "refresh_token", DeviceSignIn.grant,
      ] + DirectGrant.allCases.map(\.rawValue)
    return .json([
      "issuer": .string(settings.issuer), "authorization_endpoint": .string(base + "/authorize"),
      "token_endpoint": .string(base + "/token"), "jwks_uri": .string(settings.keysAddress),
      "userinfo_endpoint": .string(base + "/userinfo"),
      "revocation_endpoint": .string(base + "/revoke"),
      "introspection_endpoint": .string(base + "/introspect"),
      "end_session_endpoint": .string(base + "/logout"),
      "pushed_authorization_request_endpoint": .string(base + "/par"),
      "require_pushed_authorization_requests": .bool(requestRules.requiresPushedRequests),
      "authorization_response_iss_parameter_supported": true,
      "device_authorization_endpoint": .string(base + "/device/authorize"),
      "response_types_supported": ["code"],
      "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
      "grant_types_supported": .array(grants.map(JSONValue.string)),
      "code_challenge_methods_supported": [.string(PKCE.method)],
      "dpop_signing_alg_values_supported": ["ES256"],
      "token_endpoint_auth_methods_supported": settings.clientSecret == nil
        ? ["none"] : ["client_secret_basic", "client_secret_post"],
      "scopes_supported": .array(Self.knownScopes.map(JSONValue.string)),
    ])
  }

  private static let knownScopes = [
    "openid", "profile", "email", "phone", "address", "offline_access",
  ]

  func keys(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    try request.check(method: "GET")
    return .json(keyring.json)
  }

  func interact(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try parameters(
      of: request, known: Self.interactParameters, needsSecret: false)
    try checkClient(form)
    try checkSetup()
    try require(
      !mistakes.contains(.interactionCodeDisabled),
      else: .oauth("unauthorized_client", "The client may not use this grant type."))
    guard let redirectURI = form["redirect_uri"], settings.redirectURIs.contains(redirectURI) else {
      throw .oauth("invalid_request", "The redirect_uri is not registered.")
    }
    let (challenge, state) = try challengeAndState(in: form)
    let scopes = try scopes(in: form)
    for (name, purpose) in LinkToken.parameters {
      if let token = form[name], linkToken(token)?.purpose != purpose {
        throw .oauth("invalid_request", "The \(name) is invalid.")
      }
    }
    let handle = random.handle("ih_")
    interactions[handle] = Interaction(
      redirectURI: redirectURI, challenge: challenge, state: state, scopes: scopes,
      nonce: form["nonce"], authenticationContext: Self.authenticationContext(in: form))
    startSignIn(of: handle)
    for token in LinkToken.parameters.compactMap({ form[$0.name] }) {
      useLinkToken(token)
      _ = advance()
      signIns[signIn.handle] = signIn
    }
    return .json(["interaction_handle": .string(handle)])
  }

  private static let interactParameters: Set<String> = [
    "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
    "response_type", "nonce", "max_age", "acr_values", "login_hint", "recovery_token",
    "activation_token",
  ]

  /// The first of the classes that were asked for: the most wanted one (OpenID Connect Core, section 3.1.2.1).
  static func authenticationContext(in form: [String: String]) -> String? {
    form["acr_values"]?.split(separator: " ").first.map(String.init)
  }

  // MARK: - Checks

  func checkClient(_ form: [String: String]) throws(Refusal) {
    guard form["client_id"] == settings.clientID else { throw .unknownClient }
  }

  /// The code challenge and the state, which are required to start a sign-in.
  func challengeAndState(
    in form: [String: String]
  ) throws(Refusal) -> (challenge: String, state: String) {
    guard form["code_challenge_method"] == PKCE.method, let challenge = form["code_challenge"],
      challenge.utf8.count == 43, Base64URL.decode(challenge) != nil
    else { throw .oauth("invalid_request", "A code_challenge with the method S256 is required.") }
    guard let state = form["state"], !state.isEmpty else {
      throw .oauth("invalid_request", "The state is required.")
    }
    return (challenge, state)
  }

  /// The requested scopes; at least one, and all of them must be known.
  func scopes(in form: [String: String]) throws(Refusal) -> [String] {
    let scopes = form["scope"]?.split(separator: " ").map(String.init) ?? []
    guard !scopes.isEmpty, scopes.allSatisfy(Self.knownScopes.contains) else { throw .unknownScope }
    return scopes
  }

  func parameters(
    of request: TransportRequest, known: Set<String>,
    accepting types: [String] = ["application/json"], needsSecret: Bool = true
  ) throws(Refusal) -> [String: String] {
    try request.check(method: "POST", sending: [FormURLEncoding.contentType], accepting: types)
    let text = String(decoding: request.body, as: UTF8.self)
    return try authenticated(
      try parameters(in: text, known: known.union(["client_secret"])), request,
      needsSecret: needsSecret)
  }

  /// The parameters with the client ID and without the secret, after the client has authenticated (RFC
  /// 6749, section 2.3.1).
  private func authenticated(
    _ form: [String: String], _ request: TransportRequest, needsSecret: Bool
  ) throws(Refusal) -> [String: String] {
    var form = form
    var secret = form.removeValue(forKey: "client_secret").map { Secret($0) }
    let field = request.field("Authorization")
    if let field {
      try require(
        secret == nil && form["client_id"] == nil,
        else: .oauth(
          "invalid_request", "The client authenticates in the header field and in the body.",
          status: 401))
      guard let pair = Self.basicCredentials(field) else { throw .failedAuthentication(field) }
      (form["client_id"], secret) = pair
    }
    // Without a secret, the endpoint checks the client ID.
    if secret == nil, settings.clientSecret == nil || !needsSecret {
      try require(
        field == nil || form["client_id"] == settings.clientID,
        else: .failedAuthentication(field))
      return form
    }
    try require(
      form["client_id"] == settings.clientID && secret == settings.clientSecret,
      else: .failedAuthentication(field))
    return form
  }

  /// The client ID and the secret; some clients without a secret leave out the colon too.
  private static func basicCredentials(_ field: String) -> (id: String, secret: Secret?)? {
    let words = field.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic",
      let pair = Data(base64Encoded: String(words[1]))
    else { return nil }
    let parts = pair.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false
    ).map { FormURLEncoding.percentDecode($0, plusAsSpace: true) }
    guard let id = parts[0] else { return nil }
    guard parts.count > 1 else { return (id, nil) }
    return parts[1].map { (id, Secret($0)) }
  }

  func query(of request: TransportRequest, known: Set<String>) throws(Refusal) -> [String: String] {
    try request.check(method: "GET")
    let parts = request.url.absoluteString.split(separator: "?", maxSplits: 1)
    return try parameters(in: parts.count > 1 ? String(parts[1]) : "", known: known)
  }

  /// Throws if a parameter is repeated (RFC 6749, section 3.2) or unknown.
  private func parameters(in text: String, known: Set<String>) throws(Refusal) -> [String: String] {
    guard let pairs = FormURLEncoding.decode(text) else {
      throw .oauth("invalid_request", "The parameters are not form-encoded.")
    }
    var values: [String: String] = [:]
    for (name, value) in pairs {
      try require(
        known.contains(name) && values.updateValue(value, forKey: name) == nil,
        else: .oauth("invalid_request", "The parameter \(name) is unknown or repeated."))
    }
    return values
  }
}
