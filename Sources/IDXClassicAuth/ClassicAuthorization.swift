import IDXBase
import IDX
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Trades a session token for tokens, as a browser with a session would get them.
///
/// Source: protocol section 8; RFC 6749, section 4.1; RFC 7636; OpenID Connect Core, section 3.1.2.
struct ClassicAuthorization: Sendable {
  let exchange: Exchange

  /// Asks for a code, reads the redirect that brings it, and trades it.
  func trade(_ sessionToken: Secret, of state: FlowState) async throws -> Tokens {
    let configuration = state.configuration
    let answer = try await exchange.get(try address(for: sessionToken, of: state))
    guard (300..<400).contains(answer.response.status),
      let location = answer.response.header("Location"), let url = URL(string: location)
    else { throw exchange.failure(of: answer, step: Remediation.Name.issue.rawValue) }
    guard case .authorizationCode(let code) = try RedirectReturn(url, of: state) else {
      throw FlowError(
        .unexpectedResponse, "The server answered with something else than a code.",
        remediation: .issue, status: answer.response.status, requestID: answer.requestID)
    }
    let request = TokenRequest(
      authorizationCode: code, clientID: configuration.clientID,
      codeVerifier: state.pkce.verifier, redirectURI: configuration.redirectURI)
    return try exchange.tokens(
      from: try await exchange.post(
        request.body, to: configuration.endpoints["token"], step: Remediation.Name.issue.rawValue))
  }

  private func address(for sessionToken: Secret, of state: FlowState) throws -> URL {
    let configuration = state.configuration
    var parameters =
      configuration.authorizationParameters(
        state: state.redirectState, nonce: state.nonce, pkce: state.pkce)
      + [
        ("response_type", "code"), ("response_mode", "query"), ("prompt", "none"),
        ("sessionToken", sessionToken.revealed),
      ]
    if let age = state.maximumAge { parameters.append(("max_age", String(age))) }
    let query = FormURLEncoding.encode(parameters)
    let text = configuration.endpoints["authorize"].absoluteString + "?" + query
    guard let url = URL(string: text) else {
      throw FlowError(.invalidConfiguration, "The authorization endpoint has no usable address.")
    }
    return url
  }
}
