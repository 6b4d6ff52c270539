import Foundation
import IDXBase
import IDXOAuth

// The authorization endpoint and the session of the browser, for users who are already signed in (RFC 6749,
// section 4.1; OpenID Connect Core, section 3.1.2).
extension OrgCore {
  /// Reads or ends the session of the browser; the org starts none.
  func browserSession(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    try request.check(methods: ["GET", "DELETE"])
    throw .notFound
  }

  /// What a user does in the browser that opens the endpoint.
  struct BrowserVisit {
    /// The user; the `login_hint` or the first user if it is nil.
    let login: String?
    let isRefusing: Bool
  }

  private static let authorizeParameters: Set<String> = [
    "client_id", "response_type", "response_mode", "scope", "redirect_uri", "state", "nonce",
    "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint", "acr_values",
    "dpop_jkt",
  ]

  /// Redirects with a code for a session token, or for the user of a browser; the app's first request with a token
  /// makes it invalid.
  func authorize(
    _ request: TransportRequest, by visit: BrowserVisit? = nil
  ) throws(Refusal) -> OrgResponse {
    let form = try unpushed(
      query(of: request, known: Self.authorizeParameters.union(["sessionToken", "request_uri"])))
    let address = try redirectURI(in: form)
    var parameters: [(String, String)]
    do throws(Refusal) {
      parameters = [("code", try code(for: form, at: address, by: visit))]
    } catch {
      parameters = ["error", "error_description"].map {
        ($0, error.response.body[$0]?.string ?? "")
      }
    }
    if let state = form["state"] { parameters.append(("state", state)) }
    parameters.append(("iss", settings.issuer))
    return .redirect(to: address, with: parameters)
  }

  /// Keeps the parameters of an authorization request for a minute (RFC 9126, section 2).
  func pushAuthorization(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try parameters(of: request, known: Self.authorizeParameters)
    _ = try redirectURI(in: form)
    let lifetime: TimeInterval = 60
    let uri = random.handle("urn:ietf:params:oauth:request_uri:")
    pushedRequests[uri] = PushedRequest(
      parameters: form, expiresAt: now.addingTimeInterval(lifetime))
    return .json(["request_uri": .string(uri), "expires_in": .seconds(lifetime)], status: 201)
  }

  /// The pushed parameters that a `request_uri` stands for, once; other parameters stay as they are.
  private func unpushed(_ form: [String: String]) throws(Refusal) -> [String: String] {
    guard let uri = form["request_uri"] else {
      try require(
        !requestRules.requiresPushedRequests,
        else: .oauth("invalid_request", "The parameters must be pushed first."))
      return form
    }
    guard let pushed = pushedRequests.removeValue(forKey: uri), now < pushed.expiresAt,
      form == ["client_id": pushed.parameters["client_id"] ?? "", "request_uri": uri]
    else { throw .oauth("invalid_request", "The request_uri is unknown, used or expired.") }
    return pushed.parameters
  }

  /// The redirect URI of a request, which is registered for the app: there is no redirect to another address.
  private func redirectURI(in form: [String: String]) throws(Refusal) -> String {
    try require(
      form["client_id"] == settings.clientID,
      else: .oauth("invalid_client", "There is no such client."))
    guard let address = form["redirect_uri"], settings.redirectURIs.contains(address) else {
      throw .oauth("invalid_request", "The redirect_uri is not registered.")
    }
    return address
  }

  private func code(
    for form: [String: String], at address: String, by visit: BrowserVisit?
  ) throws(Refusal) -> String {
    let mayAsk = visit != nil && form["prompt"] != "none"
    let login = mayAsk ? visit?.login ?? form["login_hint"] ?? firstUser?.text : nil
    let token = login.flatMap(newSessionToken)?.revealed ?? form["sessionToken"]
    let session = token.flatMap { sessions.removeValue(forKey: $0) }
    try require(
      form["response_type"] == "code",
      else: .oauth("unsupported_response_type", "The response_type must be code."))
    try require(
      form["response_mode"] ?? "query" == "query",
      else: .oauth("invalid_request", "The response_mode must be query."))
    let (challenge, state) = try challengeAndState(in: form)
    let scopes = try scopes(in: form)
    try require(
      visit?.isRefusing != true,
      else: .oauth("access_denied", "The user has refused the sign-in on the page."))
    guard mayAsk || form["prompt"] ?? "none" == "none", let session, now < session.expiresAt else {
      throw .oauth("login_required", "The user is not signed in, and there is no sign-in page.")
    }
    if let maxAge = form["max_age"] {
      guard let seconds = Int(maxAge), seconds >= 0 else {
        throw .oauth("invalid_request", "The max_age must be a number of seconds.")
      }
      // On a page, the user has just signed in, even if nothing may be older than 0 seconds.
      try require(
        mayAsk || now <= session.signIn.time.addingTimeInterval(TimeInterval(seconds)),
        else: .oauth("login_required", "The sign-in was too long ago."))
    }
    let account = try allowedAccount(session.account)
    let code = random.handle("ac_")
    interactions[code] = Interaction(
      redirectURI: address, challenge: challenge, state: state, scopes: scopes,
      nonce: form["nonce"], authenticationContext: Self.authenticationContext(in: form),
      keyThumbprint: form["dpop_jkt"])
    grants[code] = Grant(
      isFromAuthorization: true, interaction: code,
      expiresAt: now.addingTimeInterval(settings.lifetime(of: .succeeded(code: code))),
      refusedScopes: [], subject: TokenSubject(account), signIn: session.signIn)
    return code
  }

  /// The account of a user who may use the app on a page of the org.
  func allowedAccount(_ key: OrgAccount.Key) throws(Refusal) -> OrgAccount {
    guard let account = accounts[key], account.exists,
      [.active, .passwordExpired].contains(account.user.status)
    else { throw .oauth("access_denied", "The user is not allowed to use this app.") }
    if let refusal = settings.policy.accounts.refusalWithoutSteps {
      throw .oauth(refusal.code, refusal.description)
    }
    return account
  }
}

/// The parameters of an authorization request that the app has sent before the browser opens it.
struct PushedRequest: Sendable {
  let parameters: [String: String]
  let expiresAt: Date
}
