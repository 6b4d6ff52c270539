import Foundation
import IDXBase
import IDXOAuth

// What a browser opens for an app (RFC 6749, section 4.1; OpenID Connect Core, section 3.1.2).
extension OrgEndpoint {
  static let authorize: [OrgEndpoint] = [
    authorizationEndpoint,
    OrgEndpoint("POST", at: .oauth, "/par", .form(authorizeParameters), as: json, respond: push),
    OrgEndpoint(
      "GET", at: .oauth, "/logout",
      .query(["id_token_hint", "post_logout_redirect_uri", "state"]), respond: logOut),
  ]

  fileprivate static let authorizationEndpoint = OrgEndpoint(
    "GET", at: .oauth, "/authorize",
    .query(authorizeParameters.union(["sessionToken", "request_uri"]))
  ) { (request, org) throws(Refusal) in try org.authorize(request, by: nil) }

  private static let authorizeParameters: Set = [
    "client_id", "response_type", "response_mode", "scope", "redirect_uri", "state", "nonce",
    "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint", "acr_values",
    "dpop_jkt",
  ]

  /// Keeps the parameters of an authorization request for a minute (RFC 9126, section 2).
  private static let push: Responder = { (request, org) throws(Refusal) in
    _ = try request.redirectURI(org.settings)
    var parameters = request.parameters
    // RFC 9449, section 10.1.
    if let key = try org.tokens.provedKey(of: request.http, &org.random) {
      try require(
        [key, nil].contains(parameters.updateValue(key, forKey: "dpop_jkt")),
        else: .oauth("invalid_dpop_proof", "The dpop_jkt is that of another key."))
    }
    let lifetime: TimeInterval = 60
    let uri = org.random.handle("urn:ietf:params:oauth:request_uri:")
    org.pushedRequests[uri] = PushedRequest(
      parameters: parameters, expiresAt: org.now.addingTimeInterval(lifetime))
    return .json(["request_uri": .string(uri), "expires_in": .seconds(lifetime)], status: 201)
  }

  /// Redirects back after a logout (OpenID Connect RP-Initiated Logout, section 2), which ends the session too.
  private static let logOut: Responder = { (request, org) throws(Refusal) in
    _ = try request.required("id_token_hint")
    let cookies = org.endSession(of: request.http)
    guard let address = request.parameters["post_logout_redirect_uri"] else {
      return OrgResponse(status: 200, cookies: cookies)
    }
    try require(
      org.settings.redirectURIs.contains(address),
      else: .oauth("invalid_request", "The post_logout_redirect_uri is not registered."))
    var response = OrgResponse.redirect(
      to: address, with: request.parameters["state"].map { [("state", $0)] } ?? [])
    response.cookies = cookies
    return response
  }
}

/// What a user does in the browser that opens the authorization endpoint.
struct BrowserVisit {
  /// The user; the `login_hint` or the first user if it is nil.
  let login: String?
  let isRefusing: Bool
}

extension OrgState {
  /// Redirects with a code for a session or a session token, or for the user of a browser, or shows the page of the org;
  /// the app's first request with a session token makes it invalid.
  fileprivate mutating func authorize(
    _ request: OrgRequest, by visit: BrowserVisit?
  ) throws(Refusal) -> OrgResponse {
    var request = request
    request.parameters = try pushedParameters(of: request.parameters)
    let address = try request.redirectURI(settings)
    var parameters: [(String, String)]
    do throws(Refusal) {
      let token = request.parameters["sessionToken"]
      // A token that was used has given the browser a session.
      let isUsed = token.map { sessions[$0] == nil && session(of: request.http) != nil }
      let usesPage = requestRules.signInPage != nil && isUsed ?? true
      if usesPage, visit == nil { return try signInOnPage(for: request, at: address) }
      parameters = [("code", try code(for: request, at: address, by: visit))]
    } catch {
      parameters = ["error", "error_description"].map {
        ($0, error.response.body[$0]?.string ?? "")
      }
    }
    return redirect(to: address, with: parameters, state: request.parameters["state"])
  }

  func redirect(
    to address: String, with parameters: [(String, String)], state: String?
  ) -> OrgResponse {
    .redirect(
      to: address,
      with: parameters + (state.map { [("state", $0)] } ?? []) + [("iss", settings.issuer)])
  }

  /// Redirects with a code if the session of the browser is enough; otherwise shows the page.
  private mutating func signInOnPage(
    for request: OrgRequest, at address: String
  ) throws(Refusal) -> OrgResponse {
    let first = try request.codeRequest(redirectURI: address, of: self)
    let maximumAge = try request.maximumAge()
    let prompt = request.parameters["prompt"]
    let session = session(of: request.http).flatMap { session in
      let isRecent = maximumAge.map { now <= session.signIn.time.addingTimeInterval($0) } ?? true
      return isRecent && prompt != "login" ? session : nil
    }
    if let session {
      return redirect(
        to: .app(first), of: try allowedAccount(session.account), session.signIn)
    }
    try require(
      prompt != "none", else: .oauth("login_required", "The user must sign in on the page."))
    return page(for: .app(first), by: request)
  }

  /// Where an authorization request redirects the browser of a user; nil if nowhere.
  mutating func authorize(_ url: URL, by visit: BrowserVisit) -> URL? {
    var request = OrgRequest(TransportRequest(url: url))
    let endpoint = OrgEndpoint.authorizationEndpoint
    guard request.address == settings.oauthBase + endpoint.path, !request.query.isEmpty,
      (try? request.read(endpoint.input, by: ["GET"], as: [], settings, requestRules, at: now))
        != nil,
      let response = try? authorize(request, by: visit)
    else { return nil }
    return response.headers["Location"].flatMap(URL.init(string:))
  }

  /// The pushed parameters that a `request_uri` stands for, once; other parameters stay as they are.
  private mutating func pushedParameters(
    of form: [String: String]
  ) throws(Refusal) -> [String: String] {
    guard let uri = form["request_uri"] else {
      try require(
        !requestRules.requiresPushedRequests,
        else: .oauth("invalid_request", "The parameters must be pushed first."))
      return form
    }
    guard let pushed = pushedRequests.removeValue(forKey: uri), now < pushed.expiresAt,
      form["client_id"] == pushed.parameters["client_id"],
      form.count == 2 || !requestRules.isStrict
    else { throw .oauth("invalid_request", "The request_uri is unknown, used or expired.") }
    return pushed.parameters
  }

  private mutating func code(
    for request: OrgRequest, at address: String, by visit: BrowserVisit?
  ) throws(Refusal) -> String {
    let form = request.parameters
    let mayAsk = visit != nil && form["prompt"] != "none"
    let login = mayAsk ? visit?.login ?? form["login_hint"] ?? firstUser?.text : nil
    let token = login.flatMap { newSessionToken(for: $0) }?.revealed ?? form["sessionToken"]
    let session = token.flatMap { sessions.removeValue(forKey: $0) }
    let first = try request.codeRequest(redirectURI: address, of: self)
    try require(
      visit?.isRefusing != true,
      else: .oauth("access_denied", "The user has refused the sign-in on the page."))
    guard mayAsk || form["prompt"] ?? "none" == "none", let session, now < session.expiresAt else {
      throw .oauth("login_required", "The user is not signed in, and there is no sign-in page.")
    }
    if let maximumAge = try request.maximumAge() {
      // On a page, the user has just signed in, even if nothing may be older than 0 seconds.
      try require(
        mayAsk || now <= session.signIn.time.addingTimeInterval(maximumAge),
        else: .oauth("login_required", "The sign-in was too long ago."))
    }
    return issueCode(
      for: first, to: try allowedAccount(session.account).subject, session.signIn)
  }

  mutating func issueCode(
    for first: AuthorizationRequest, to subject: TokenSubject, _ signIn: CompletedSignIn,
    without refusedScopes: Set<String> = []
  ) -> String {
    let code = random.handle("ac_")
    tokens.requests[code] = first
    tokens.codes[code] = TokenService.IssuedCode(
      isFromAuthorization: true, requestKey: code,
      expiresAt: now.addingTimeInterval(SignIn.Step.succeeded(code: code).lifetime),
      refusedScopes: refusedScopes, subject: subject, signIn: signIn)
    return code
  }

  /// The account of a user who may use the app on a page of the org.
  func allowedAccount(_ key: OrgAccount.Key) throws(Refusal) -> OrgAccount {
    guard let account = known(key), [.active, .passwordExpired].contains(account.user.status)
    else { throw .oauth("access_denied", "The user is not allowed to use this app.") }
    if let refusal = settings.policy.accounts.refusalWithoutSteps {
      throw .oauth(refusal.code, refusal.description)
    }
    return account
  }
}

extension OrgRequest {
  /// The parameters of a request for a code.
  fileprivate func codeRequest(
    redirectURI: String, of org: OrgState
  ) throws(Refusal) -> AuthorizationRequest {
    try require(
      parameters["response_type"] == "code",
      else: .oauth("unsupported_response_type", "The response_type must be code."))
    try require(
      parameters["response_mode"] ?? "query" == "query",
      else: .oauth("invalid_request", "The response_mode must be query."))
    let isPublic = org.settings.clientSecret == nil && org.requestRules.clientKeys == nil
    return try authorization(
      redirectURI: redirectURI, needsChallenge: isPublic, keyThumbprint: parameters["dpop_jkt"])
  }

  /// The number of seconds after which the user must sign in again (`max_age`); nil if there is no limit.
  fileprivate func maximumAge() throws(Refusal) -> TimeInterval? {
    guard let text = parameters["max_age"] else { return nil }
    guard let seconds = Int(text), seconds >= 0 else {
      throw .oauth("invalid_request", "The max_age must be a number of seconds.")
    }
    return TimeInterval(seconds)
  }
}
