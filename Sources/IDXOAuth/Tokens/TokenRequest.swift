public import IDXBase

/// The body of a request to the token endpoint or the revocation endpoint.
///
/// Send it with `POST`, ``contentType`` and `Accept: application/json`. Source: RFC 6749, section 4.1.3.
public struct TokenRequest: Sendable, Hashable {
  /// The value of the header field `Content-Type`.
  public static let contentType = FormURLEncoding.contentType

  /// The form-encoded parameters; they contain secrets.
  public let body: [UInt8]

  /// Creates a request for any grant, with parameters in this order.
  public init(parameters: [(String, String)]) {
    body = Array(FormURLEncoding.encode(parameters).utf8)
  }

  /// Creates a request for tokens at the end of a sign-in, with Okta's grant `interaction_code`.
  ///
  /// The code works once and is valid for about a minute. Parameters that are nil or empty are omitted.
  public init(
    interactionCode: Secret, clientID: String, codeVerifier: Secret, clientSecret: Secret? = nil,
    redirectURI: String? = nil, scopes: [String] = []
  ) {
    var parameters = [
      ("grant_type", "interaction_code"),
      ("interaction_code", interactionCode.revealed),
      ("client_id", clientID),
      ("code_verifier", codeVerifier.revealed),
    ]
    if let clientSecret { parameters.append(("client_secret", clientSecret.revealed)) }
    if let redirectURI { parameters.append(("redirect_uri", redirectURI)) }
    if !scopes.isEmpty { parameters.append(("scope", scopes.joined(separator: " "))) }
    self.init(parameters: parameters)
  }

  /// Creates a request for tokens with an authorization code.
  ///
  /// `redirectURI` is the address that the code was sent to. Source: RFC 6749, section 4.1.3; RFC 7636,
  /// section 4.5.
  public init(
    authorizationCode: Secret, clientID: String, codeVerifier: Secret, redirectURI: String,
    clientSecret: Secret? = nil
  ) {
    var parameters = [
      ("grant_type", "authorization_code"),
      ("code", authorizationCode.revealed),
      ("redirect_uri", redirectURI),
      ("client_id", clientID),
      ("code_verifier", codeVerifier.revealed),
    ]
    if let clientSecret { parameters.append(("client_secret", clientSecret.revealed)) }
    self.init(parameters: parameters)
  }

  /// Creates a request for new tokens with a refresh token.
  ///
  /// `scopes` can be fewer than granted; empty requests the same ones. Source: RFC 6749, section 6.
  public init(
    refreshToken: Secret, clientID: String, clientSecret: Secret? = nil, scopes: [String] = []
  ) {
    var parameters = [
      ("grant_type", "refresh_token"),
      ("refresh_token", refreshToken.revealed),
      ("client_id", clientID),
    ]
    if let clientSecret { parameters.append(("client_secret", clientSecret.revealed)) }
    if !scopes.isEmpty { parameters.append(("scope", scopes.joined(separator: " "))) }
    self.init(parameters: parameters)
  }

  /// Creates a request to the revocation endpoint (RFC 7009, section 2.1).
  public init(revoking token: Secret, kind: TokenKind, clientID: String) {
    self.init(parameters: [
      ("token", token.revealed), ("token_type_hint", kind.rawValue), ("client_id", clientID),
    ])
  }
}

extension TokenRequest: Redacted {
  /// The size of the body.
  public var description: String { "token request, \(body.count) bytes" }
}
