public import IDXBase

/// A request to the token endpoint, the revocation endpoint or another endpoint of OAuth.
///
/// ``IssuerClient`` sends it. Source: RFC 6749, section 4.1.3.
public struct TokenRequest: Sendable, Hashable {
  /// The value of the header field `Content-Type`: `application/x-www-form-urlencoded`.
  package static let contentType = FormURLEncoding.contentType

  private struct Parameter: Sendable, Hashable {
    let name: String
    let value: String
  }

  private var parameters: [Parameter]
  /// More header fields: the `Authorization` of a client that authenticates with it.
  private(set) var headers: [String: String] = [:]

  /// The form-encoded parameters; they contain secrets.
  var body: [UInt8] {
    Array(FormURLEncoding.encode(parameters.map { ($0.name, $0.value) }).utf8)
  }

  /// Creates a request for any grant, with parameters in this order.
  public init(parameters: [(String, String)]) {
    self.parameters = parameters.map(Parameter.init)
  }

  /// Creates a request for tokens at the end of a sign-in, with Okta's grant `interaction_code`.
  ///
  /// The code works once and is valid for about a minute. Parameters that are nil or empty are omitted.
  package init(
    interactionCode: Secret, clientID: String, codeVerifier: Secret, redirectURI: String? = nil,
    scopes: [String] = []
  ) {
    var parameters = [
      ("grant_type", "interaction_code"),
      ("interaction_code", interactionCode.revealed),
      ("client_id", clientID),
      ("code_verifier", codeVerifier.revealed),
    ]
    if let redirectURI { parameters.append(("redirect_uri", redirectURI)) }
    if !scopes.isEmpty { parameters.append(("scope", scopes.joined(separator: " "))) }
    self.init(parameters: parameters)
  }

  /// Creates a request for tokens with an authorization code.
  ///
  /// `redirectURI` is the address that the code was sent to. Source: RFC 6749, section 4.1.3; RFC 7636,
  /// section 4.5.
  public init(
    authorizationCode: Secret, clientID: String, codeVerifier: Secret, redirectURI: String
  ) {
    self.init(parameters: [
      ("grant_type", "authorization_code"),
      ("code", authorizationCode.revealed),
      ("redirect_uri", redirectURI),
      ("client_id", clientID),
      ("code_verifier", codeVerifier.revealed),
    ])
  }

  /// Creates a request for new tokens with a refresh token.
  ///
  /// They have the same scopes. Source: RFC 6749, section 6.
  init(refreshToken: Secret, clientID: String) {
    self.init(parameters: [
      ("grant_type", "refresh_token"),
      ("refresh_token", refreshToken.revealed),
      ("client_id", clientID),
    ])
  }

  /// Creates a request to the revocation endpoint (RFC 7009, section 2.1) or to the introspection endpoint (RFC 7662,
  /// section 2.1).
  init(about token: Secret, kind: TokenKind, clientID: String) {
    self.init(parameters: [
      ("token", token.revealed), ("token_type_hint", kind.rawValue), ("client_id", clientID),
    ])
  }

  func adding(_ more: [(String, String)]) -> TokenRequest {
    var request = self
    request.parameters += more.map(Parameter.init)
    return request
  }

  func removing(_ name: String) -> TokenRequest {
    var request = self
    request.parameters.removeAll { $0.name == name }
    return request
  }

  func adding(headers more: [String: String]) -> TokenRequest {
    var request = self
    request.headers.merge(more) { $1 }
    return request
  }
}

extension TokenRequest: Redacted {
  /// The size of the body.
  public var description: String { "token request, \(body.count) bytes" }
}
