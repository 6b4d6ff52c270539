import IDX
import IDXBase
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What each authorization request of a sign-in contains besides its secrets, saved in `FlowState.clientState`.
struct AuthorizationRequest: Sendable, Hashable {
  struct Parameter: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// The authorization endpoint.
  let endpoint: String
  /// Where the parameters are sent first; nil if they are in the address.
  let pushEndpoint: String?
  /// The name that the server gives itself; nil in a sign-in that an older version saved.
  let issuer: String?
  /// Whether the address at which the browser returns must name the issuer.
  let returnsIssuer: Bool
  /// The parameters that the app has chosen, such as `login_hint`.
  let parameters: [Parameter]
  /// The key whose proof the pushed parameters had, to which the code is bound (RFC 9449, section 10.1); nil if the server
  /// has not asked for one.
  private(set) var key: DPoPKey?

  init(
    _ metadata: ServerMetadata, _ options: StartOptions, _ prompt: BrowserClient.Prompt?
  ) throws {
    guard let endpoint = metadata.authorizationEndpoint else {
      throw FlowError(
        .notOffered, "The server has no authorization endpoint, which a sign-in in a browser needs."
      )
    }
    self.endpoint = endpoint
    pushEndpoint = metadata.requiredPushEndpoint
    issuer = metadata.issuer
    returnsIssuer = metadata.returnsIssuer
    let chosen = options.parameters + (prompt.map { [("prompt", $0.rawValue)] } ?? [])
    parameters = chosen.map(Parameter.init)
  }

  /// Reads what ``json`` wrote.
  init?(_ json: JSONValue?) {
    guard let json, let endpoint = json["authorization_endpoint"]?.string else { return nil }
    self.endpoint = endpoint
    pushEndpoint = json["push_endpoint"]?.string
    issuer = json[FlowState.issuerName]?.string
    returnsIssuer = json[FlowState.returnsIssuer]?.bool == true
    parameters = (json["parameters"]?.object?.members ?? []).compactMap { member in
      member.value.string.map { Parameter(name: member.name, value: $0) }
    }
    key = DPoPKey(json: json["dpop_key"])
  }

  var json: JSONValue {
    let members = parameters.map { JSONValue.Object.Member($0.name, .string($0.value)) }
    let json: JSONValue = [
      "authorization_endpoint": .string(endpoint), FlowState.returnsIssuer: .bool(returnsIssuer),
      "parameters": .object(JSONValue.Object(members)),
    ]
    return json.adding("push_endpoint", pushEndpoint.map(JSONValue.string))
      .adding(FlowState.issuerName, issuer.map(JSONValue.string))
      .adding("dpop_key", key?.json)
  }
}

// MARK: - The page

extension AuthorizationRequest {
  /// The address of the page, with the secrets of a sign-in; the parameters are pushed first if the server requires that.
  mutating func page(for state: FlowState, over http: IssuerClient) async throws -> URL {
    let configuration = state.configuration
    let endpoint = try http.address(
      endpoint, for: Remediation.Name.signInPage.rawValue, within: configuration
    ).absoluteString
    var parameters =
      try configuration.authorizationParameters(
        state: state.redirectState, nonce: state.nonce, pkce: state.pkce)
      + [("response_type", "code")] + self.parameters.map { ($0.name, $0.value) }
    if let pushEndpoint {
      parameters = try await push(parameters, to: pushEndpoint, of: configuration, over: http)
    }
    let mark = endpoint.contains("?") ? "&" : "?"
    guard let url = URL(string: endpoint + mark + FormURLEncoding.encode(parameters)) else {
      throw FlowError(
        .unexpectedResponse, "The address of the authorization endpoint cannot be used.")
    }
    return url
  }

  /// Sends the parameters to the server; returns those that stand for them in the address (RFC 9126, section 2).
  private mutating func push(
    _ parameters: [(String, String)], to endpoint: String, of configuration: FlowConfiguration,
    over http: IssuerClient
  ) async throws -> [(String, String)] {
    let url = try http.address(
      endpoint, for: "pushed_authorization_request", within: configuration)
    let response = try await http.postForTokens(
      TokenRequest(parameters: parameters), of: configuration, to: url)
    guard response.status < 300,
      let uri = (try? JSONValue(parsing: response.body))?["request_uri"]?.string, !uri.isEmpty
    else {
      response.key?.remove()
      let isWordless = response.body.isEmpty && http.refusal(in: response) == nil
      guard isWordless, [400, 401, 403].contains(response.status) else {
        throw http.failure(of: response)
      }
      throw FlowError(
        .refused,
        "The server refuses the sign-in of this app and gives no reason. Check the client ID, the redirect URI and the "
          + "scopes.", status: response.status, requestID: response.requestID)
    }
    key = response.key
    return [("client_id", configuration.clientID), ("request_uri", uri)]
  }
}

// MARK: - The code

extension CookieClient {
  /// Exchanges the code of an authorization request for tokens and checks them.
  func redeem(
    _ code: Secret, of state: FlowState, key: DPoPKey? = nil, username: String?,
    with tokens: TokenClient
  ) async throws -> Credential {
    let configuration = state.configuration
    try await tokens.awaitKeys(for: configuration)
    let request = TokenRequest(
      authorizationCode: code, clientID: configuration.clientID,
      codeVerifier: state.pkce.verifier, redirectURI: try configuration.requiredRedirectURI)
    let issued = try await sending(cookiesOf: state).http.redeemCode(
      request, of: configuration, key: key, stepName: Remediation.Name.issue.rawValue)
    return try await tokens.credential(
      for: issued, of: configuration, nonce: state.nonce, maximumAge: state.maximumAge,
      username: username)
  }
}

// The username is private.
extension AuthorizationRequest: Redacted {
  var description: String { "authorization request" }
}
