import IDXBase
import IDX
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The authorization endpoint, for those who are signed in already (protocol section 8; RFC 6749,
// section 4.1; OpenID Connect Core, section 3.1.2).
extension OrgCore {
  /// Why a client is sent back without a code.
  private struct Denial: Error {
    let code: String
    let description: String

    init(_ code: String, _ description: String) {
      self.code = code
      self.description = description
    }
  }

  /// Sends back a code for a session token, which is spent by the first request of the app that
  /// holds it, right or wrong.
  mutating func authorize(_ request: TransportRequest) -> OrgReply {
    if let refusal = RequestCheck.refusal(of: request, method: "GET") { return refusal }
    let query = request.url.absoluteString.split(separator: "?", maxSplits: 1).dropFirst().first
    let form: [String: String]
    switch values(of: String(query ?? ""), known: Self.authorizeParameters) {
    case .refusal(let refusal): return refusal
    case .values(let values): form = values
    }
    // Nobody is sent to an address that is not the app's.
    guard form["client_id"] == settings.clientID else {
      return .oauthError("invalid_client", "There is no such client.")
    }
    guard let address = form["redirect_uri"], settings.redirectURIs.contains(address) else {
      return .oauthError("invalid_request", "The redirect_uri is not registered.")
    }
    var answer: [(String, String)]
    do {
      answer = [("code", try code(for: form, at: address))]
    } catch {
      answer = [("error", error.code), ("error_description", error.description)]
    }
    if let state = form["state"] { answer.append(("state", state)) }
    let mark = address.contains("?") ? "&" : "?"
    return .empty(
      status: 302,
      headers: [
        "Location": address + mark + FormURLEncoding.encode(answer), "Cache-Control": "no-store",
      ])
  }

  private mutating func code(
    for form: [String: String], at address: String
  ) throws(Denial) -> String {
    let session = form["sessionToken"].flatMap { sessions.removeValue(forKey: $0) }
    guard form["response_type"] == "code" else {
      throw Denial("unsupported_response_type", "The response_type is code.")
    }
    guard form["response_mode"] ?? "query" == "query" else {
      throw Denial("invalid_request", "The response_mode is query.")
    }
    guard form["code_challenge_method"] == PKCE.method, let challenge = form["code_challenge"],
      challenge.utf8.count == 43, Base64URL.decode(challenge) != nil
    else {
      throw Denial("invalid_request", "A code_challenge by the method S256 is required.")
    }
    guard let state = form["state"], !state.isEmpty else {
      throw Denial("invalid_request", "The state is required.")
    }
    guard let scopes = scopes(in: form) else {
      throw Denial("invalid_scope", "A scope is missing or not known.")
    }
    guard form["prompt"] ?? "none" == "none", let session, now < session.expiresAt else {
      throw Denial("login_required", "Nobody is signed in, and there is no page to sign in on.")
    }
    if let maxAge = form["max_age"] {
      guard let seconds = Int(maxAge), seconds >= 0 else {
        throw Denial("invalid_request", "The max_age is a number of seconds.")
      }
      guard now <= session.signIn.time.addingTimeInterval(TimeInterval(seconds)) else {
        throw Denial("login_required", "The sign-in was too long ago.")
      }
    }
    guard let account = accounts[session.account], account.exists,
      [.active, .passwordExpired].contains(account.user.status)
    else { throw Denial("access_denied", "The user may not use this app.") }
    if let refusal = settings.policy.accounts.refusalWithoutPage {
      throw Denial(refusal.code, refusal.description)
    }
    let code = random.handle("ac_")
    interactions[code] = Interaction(
      redirectURI: address, challenge: challenge, state: state, scopes: scopes,
      nonce: form["nonce"], stateHandle: "")
    let lifetime = settings.lifetime(of: .succeeded(code: code))
    grants[code] = Grant(
      isFromAuthorization: true, interaction: code, expiresAt: now.addingTimeInterval(lifetime),
      refusedScopes: [], person: OrgPerson(account), signIn: session.signIn)
    return code
  }

  private static let authorizeParameters: Set<String> = [
    "client_id", "response_type", "response_mode", "scope", "redirect_uri", "state", "nonce",
    "code_challenge", "code_challenge_method", "prompt", "sessionToken", "max_age", "login_hint",
    "acr_values",
  ]
}
