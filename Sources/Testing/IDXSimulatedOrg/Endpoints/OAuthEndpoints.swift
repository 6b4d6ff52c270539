import Foundation
import IDXBase
import IDXOAuth

// OAuth: discovery, and the endpoints that start a sign-in in the client.
extension OrgEndpoint {
  static let oauth: [OrgEndpoint] = [
    OrgEndpoint("GET", at: .issuer, "/.well-known/openid-configuration", respond: discovery),
    // RFC 8414; the second address is that of its section 3.1.
    OrgEndpoint("GET", at: .issuer, "/.well-known/oauth-authorization-server", respond: discovery),
    OrgEndpoint("GET", at: .origin, "/.well-known/oauth-authorization-server/oauth2/*") {
      (request, org) throws(Refusal) in
      let path = request.address.components(separatedBy: "/.well-known/oauth-authorization-server")
      try require(org.settings.origin + (path.last ?? "") == org.settings.issuer, else: .notFound)
      return try discovery(request, &org)
    },
    OrgEndpoint(
      "GET", at: .origin, "/.well-known/webfinger", .query(["resource", "rel"]), respond: finger),
    OrgEndpoint("GET", at: .oauth, "/keys") { .json($1.tokens.publicKeys) },
    OrgEndpoint(
      "POST", at: .oauth, "/interact", .form(interactParameters, needsSecret: false), as: json,
      respond: interact),
    OrgEndpoint(
      "POST", at: .oauth, "/device/authorize", .form(["client_id", "scope"]), as: json,
      respond: authorizeDevice),
  ]

  private static let discovery: Responder = { _, org in
    let base = org.settings.oauthBase
    let embedded = ["interaction_code", "urn:openid:params:grant-type:interaction_code"]
    let grants =
      ["authorization_code", "refresh_token", DeviceSignIn.grantType]
      + (org.mistakes.contains(.interactionCodeDisabled) ? [] : embedded)
      + DirectGrant.allCases.map(\.rawValue)
    let methods =
      (org.settings.clientSecret == nil
        ? [] : ["client_secret_basic", "client_secret_post", "client_secret_jwt"])
      + (org.requestRules.clientKeys == nil ? [] : ["private_key_jwt"])
    return .json([
      "issuer": .string(org.settings.issuer),
      "authorization_endpoint": .string(base + "/authorize"),
      "token_endpoint": .string(base + "/token"), "jwks_uri": .string(org.settings.keysAddress),
      "userinfo_endpoint": .string(base + "/userinfo"),
      "revocation_endpoint": .string(base + "/revoke"),
      "introspection_endpoint": .string(base + "/introspect"),
      "end_session_endpoint": .string(base + "/logout"),
      "pushed_authorization_request_endpoint": .string(base + "/par"),
      "require_pushed_authorization_requests": .bool(org.requestRules.requiresPushedRequests),
      "authorization_response_iss_parameter_supported": true,
      "device_authorization_endpoint": .string(base + "/device/authorize"),
      "response_types_supported": ["code"],
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": [
        org.tokens.rules.signsWithES256 ? "ES256" : "RS256"
      ],
      "grant_types_supported": .array(grants.map(JSONValue.string)),
      "code_challenge_methods_supported": [.string(PKCE.method)],
      "dpop_signing_alg_values_supported": ["ES256"],
      "token_endpoint_auth_methods_supported": .array(
        (methods.isEmpty ? ["none"] : methods).map(JSONValue.string)),
      "scopes_supported": .array(OrgRequest.knownScopes.map(JSONValue.string)),
    ])
  }

  /// Which server signs a person in (RFC 7033; OpenID Connect Discovery, section 2).
  private static let finger: Responder = { (request, org) throws(Refusal) in
    let resource = try request.required("resource")
    let isOfOkta = resource.hasPrefix("okta:")
    let link: JSONValue = [
      "rel": "http://openid.net/specs/connect/1.0/issuer",
      "href": .string(isOfOkta ? org.settings.origin : org.settings.issuer),
    ]
    return .json([
      "subject": .string(resource),
      "links": [link.adding("properties", ["okta:idp:type": "OKTA"], if: isOfOkta)],
    ])
  }

  private static let interactParameters: Set = [
    "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
    "response_type", "nonce", "max_age", "acr_values", "login_hint", "recovery_token",
    "activation_token",
  ]

  /// The first request of Identity Engine.
  private static let interact: Responder = { (request, org) throws(Refusal) in
    try request.checkClient(org.settings)
    try org.checkSetup()
    try require(
      !org.mistakes.contains(.interactionCodeDisabled),
      else: .oauth("unauthorized_client", "The client may not use this grant type."))
    let first = try request.authorization(redirectURI: try request.redirectURI(org.settings))
    let tokens: [(name: String, purpose: AccountOperation.Kind)] = [
      ("recovery_token", .recovery), ("activation_token", .registration),
    ]
    for (name, purpose) in tokens {
      if let token = request.parameters[name], org.linkToken(token)?.purpose != purpose {
        throw .oauth("invalid_request", "The \(name) is invalid.")
      }
    }
    let handle = org.random.handle("ih_")
    org.tokens.requests[handle] = first
    var signIn = org.startSignIn(of: handle, by: request.sender)
    for token in tokens.compactMap({ request.parameters[$0.name] }) {
      signIn.use(linkToken: token, in: &org)
      _ = signIn.advance(in: &org)
      org.save(signIn)
    }
    return .json(["interaction_handle": .string(handle)])
  }

  /// The first request of a sign-in with a browser on another device (RFC 8628, section 3.1).
  private static let authorizeDevice: Responder = { (request, org) throws(Refusal) in
    try request.checkClient(org.settings)
    try org.checkSetup()
    let scopes = try request.scopes()
    let code = org.random.handle("dc_")
    let signIn = DeviceSignIn(
      userCode: DeviceSignIn.newUserCode(&org.random), scopes: scopes,
      expiresAt: org.now.addingTimeInterval(DeviceSignIn.lifetime),
      interval: org.tokens.rules.devicePollInterval)
    org.deviceSignIns[code] = signIn
    let page = org.settings.origin + "/activate"
    return .json([
      "device_code": .string(code), "user_code": .string(signIn.userCode),
      "verification_uri": .string(page),
      "verification_uri_complete": .string("\(page)?user_code=\(signIn.userCode)"),
      "expires_in": .seconds(DeviceSignIn.lifetime), "interval": .seconds(signIn.interval),
    ])
  }
}

extension OrgState {
  /// Responds to a poll with a device code (RFC 8628, section 3.5).
  mutating func deviceToken(
    _ request: OrgRequest, provedBy key: String?
  ) throws(Refusal) -> OrgResponse {
    try request.checkClient(settings)
    guard let code = request.parameters["device_code"], let signIn = deviceSignIns[code] else {
      throw .oauth("invalid_grant", "The device code is unknown or used.")
    }
    let now = now
    guard now < signIn.expiresAt else {
      throw .oauth("expired_token", "The device code has expired.")
    }
    deviceSignIns[code]?.lastPoll = now
    if let last = signIn.lastPoll, now < last.addingTimeInterval(signIn.interval) {
      deviceSignIns[code]?.interval += 5
      throw .oauth("slow_down", "The client polls too often.")
    }
    switch signIn.answer {
    case nil: throw .oauth("authorization_pending", "The user has not entered the code yet.")
    case .refused?:
      deviceSignIns[code] = nil
      throw .oauth("access_denied", "The user has refused the sign-in.")
    case .signedIn(let user, let completed)?:
      deviceSignIns[code] = nil
      let subject = try allowedAccount(user).subject
      return tokens.issue(
        scopes: signIn.scopes, to: subject, for: completed, boundTo: key, &random)
    }
  }
}
