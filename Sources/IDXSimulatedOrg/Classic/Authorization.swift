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

  /// Redirects with a code for a session token; the app's first request with a token makes it invalid.
  func authorize(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try query(
      of: request,
      known: [
        "client_id", "response_type", "response_mode", "scope", "redirect_uri", "state", "nonce",
        "code_challenge", "code_challenge_method", "prompt", "sessionToken", "max_age",
        "login_hint", "acr_values", "dpop_jkt",
      ])
    // There is no redirect to an address that does not belong to the app.
    try require(
      form["client_id"] == settings.clientID,
      else: .oauth("invalid_client", "There is no such client."))
    guard let address = form["redirect_uri"], settings.redirectURIs.contains(address) else {
      throw .oauth("invalid_request", "The redirect_uri is not registered.")
    }
    var parameters: [(String, String)]
    do throws(Refusal) {
      parameters = [("code", try code(for: form, at: address))]
    } catch {
      parameters = ["error", "error_description"].map {
        ($0, error.response.body[$0]?.string ?? "")
      }
    }
    if let state = form["state"] { parameters.append(("state", state)) }
    return .redirect(to: address, with: parameters)
  }

  private func code(
    for form: [String: String], at address: String
  ) throws(Refusal) -> String {
    let session = form["sessionToken"].flatMap { sessions.removeValue(forKey: $0) }
    try require(
      form["response_type"] == "code",
      else: .oauth("unsupported_response_type", "The response_type must be code."))
    try require(
      form["response_mode"] ?? "query" == "query",
      else: .oauth("invalid_request", "The response_mode must be query."))
    let (challenge, state) = try challengeAndState(in: form)
    let scopes = try scopes(in: form)
    guard form["prompt"] ?? "none" == "none", let session, now < session.expiresAt else {
      throw .oauth("login_required", "The user is not signed in, and there is no sign-in page.")
    }
    if let maxAge = form["max_age"] {
      guard let seconds = Int(maxAge), seconds >= 0 else {
        throw .oauth("invalid_request", "The max_age must be a number of seconds.")
      }
      try require(
        now <= session.signIn.time.addingTimeInterval(TimeInterval(seconds)),
        else: .oauth("login_required", "The sign-in was too long ago."))
    }
    guard let account = accounts[session.account], account.exists,
      [.active, .passwordExpired].contains(account.user.status)
    else { throw .oauth("access_denied", "The user is not allowed to use this app.") }
    if let refusal = settings.policy.accounts.refusalWithoutSteps {
      throw .oauth(refusal.code, refusal.description)
    }
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
}
