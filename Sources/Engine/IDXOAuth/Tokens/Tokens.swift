public import IDXBase

/// The tokens that a token endpoint issues.
///
/// The encoded form is that of the endpoint, with the key as `dpop_key`, and is not encrypted. Source: RFC 6749, section 5.1; OpenID
/// Connect Core, section 3.1.3.3.
public struct Tokens: Sendable, Hashable, Codable {
  /// `access_token`: authorizes requests to an API.
  public let accessToken: Secret
  /// `token_type`: how requests carry the access token; `Bearer` if the server does not say.
  public let tokenType: String
  /// `expires_in`: the lifetime of the access token in seconds, counted from the response; nil if the
  /// server does not say, or says more than 100 years.
  public let expiresIn: Int?
  /// `scope`: the granted scopes, in the server's order; empty if the server does not say.
  public let scopes: [String]
  /// `refresh_token`: gets new tokens; nil unless `offline_access` was granted.
  public let refreshToken: Secret?
  /// `id_token`: says who signed in, as a signed JWT that is not checked here; nil unless `openid` was
  /// granted.
  public let idToken: Secret?
  /// `device_secret`: signs in other apps on the device; nil unless `device_sso` was granted.
  public let deviceSecret: Secret?
  /// The key that the tokens are bound to; nil for tokens that work without one (`Bearer`).
  public internal(set) var key: DPoPKey?

  /// Creates tokens.
  public init(
    accessToken: Secret, tokenType: String = "Bearer", expiresIn: Int? = nil,
    scopes: [String] = [], refreshToken: Secret? = nil, idToken: Secret? = nil,
    deviceSecret: Secret? = nil, key: DPoPKey? = nil
  ) {
    self.accessToken = accessToken
    // Servers write it as they like (RFC 6749, section 5.1), and some APIs compare every letter.
    self.tokenType =
      ["Bearer", "DPoP"].first { $0.lowercased() == tokenType.lowercased() } ?? tokenType
    self.expiresIn = expiresIn
    self.scopes = scopes
    self.refreshToken = refreshToken
    self.idToken = idToken
    self.deviceSecret = deviceSecret
    self.key = key
  }

  /// Reads the body of a successful response.
  ///
  /// The access token is required. Other members that are damaged or have the wrong type count as missing, and so does a
  /// lifetime of more than 100 years; a number may be written as a string. If any token contains characters other than
  /// visible ASCII and spaces (RFC 6749, appendix A), all are refused, because it could end a header field and begin
  /// another. Throws ``OAuthError/Code/unreadableResponse``, which quotes nothing of the body.
  package init(parsing body: [UInt8]) throws(OAuthError) {
    let response = try? JSONValue(parsing: body)
    func text(_ name: String) -> String? {
      response?[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let accessToken = text("access_token") else {
      throw OAuthError(
        .unreadableResponse, description: "The response has no access token that can be read.")
    }
    let number = response?["expires_in"]
    self.init(
      accessToken: Secret(accessToken), tokenType: text("token_type") ?? "Bearer",
      expiresIn: (number?.integer ?? number?.double.flatMap(Int.init(exactly:))
        ?? text("expires_in").flatMap(Int.init))
        .flatMap { (0...Self.longestLifetime).contains($0) ? $0 : nil },
      scopes: text("scope")?.split(separator: " ").map(String.init) ?? [],
      refreshToken: text("refresh_token").map { Secret($0) },
      idToken: text("id_token").map { Secret($0) },
      deviceSecret: text("device_secret").map { Secret($0) })
    guard Self.isTokenType(tokenType) else {
      throw OAuthError(
        .unreadableResponse, description: "The type of the tokens cannot be read.")
    }
    let all = [self.accessToken, refreshToken, idToken, deviceSecret].compactMap(\.self)
    guard all.allSatisfy(\.revealed.isPrintableASCII) else {
      throw OAuthError(
        .unreadableResponse, description: "A token contains characters that are not allowed.")
    }
  }

  /// The tokens of a response that cannot be used as a whole, which can still be revoked.
  static func revocable(in body: [UInt8]) -> [(kind: TokenKind, token: Secret)] {
    let response = try? JSONValue(parsing: body)
    return [TokenKind.refresh, .access].compactMap { kind in
      guard let token = response?[kind.rawValue]?.string, !token.isEmpty, token.isPrintableASCII
      else {
        return nil
      }
      return (kind, Secret(token))
    }
  }

  /// 100 years, in seconds: dates as texts (RFC 3339) end with the year 9999.
  private static let longestLifetime = 100 * 365 * 86_400

  /// Whether a text can be the type in a header field: it could end the field and begin another.
  private static func isTokenType(_ text: String) -> Bool {
    (1...100).contains(text.utf8.count) && text.isVisibleASCII
  }

  /// Whether requests with the access token need a proof of a key (RFC 9449, section 7.1).
  package var needsProof: Bool { tokenType == "DPoP" }

  /// Throws a ``FlowError`` unless a request can carry the access token: alone (RFC 6749, section 7.1), or with a
  /// proof of the key that is here.
  func checkSendable() throws {
    if needsProof { return try checkKey() }
    guard tokenType == "Bearer" else {
      throw FlowError(
        .notSendable,
        "The access token has the type \(tokenType.printable). Only tokens of the types Bearer and DPoP can be "
          + "sent.")
    }
  }

  /// Keeps the key that a request for these tokens has proved; returns why they cannot be used, and nil if they can.
  ///
  /// A server that does not know DPoP ignores the proof, and the tokens work without the key (RFC 9449, section 5): they
  /// are refused if the key `isRequired`.
  mutating func bind(to key: DPoPKey?, isRequired: Bool) -> String? {
    guard needsProof else {
      return isRequired
        ? "The tokens are not bound to the key of the request (token_type \(tokenType.printable)), although that is "
          + "required here. The server may not support DPoP." : nil
    }
    guard let key else { return "The tokens are bound to a key that was not asked for." }
    guard boundThumbprint ?? key.thumbprint == key.thumbprint else {
      return "The tokens are bound to another key than the one of the request."
    }
    self.key = key
    return nil
  }

  /// Throws a ``FlowError`` if the tokens are bound to a key that is missing, or is another one (RFC 9449, section 6).
  func checkKey() throws {
    guard needsProof || key != nil else { return }
    guard let key else {
      throw FlowError(
        .wrongKey, "The tokens are bound to a key, which is not stored with them. Sign in again.")
    }
    guard let thumbprint = boundThumbprint, thumbprint != key.thumbprint else { return }
    throw FlowError(
      .wrongKey, "The tokens are bound to another key than the one that is stored. Sign in again.")
  }

  /// `cnf.jkt` of the access token; nil if it is not a JWT, or names no key.
  private var boundThumbprint: String? {
    let parts = accessToken.revealed.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return nil }
    return (try? JSONValue(parsing: payload))?["cnf"]?["jkt"]?.string
  }

  /// The token of a kind; nil if the server issued none.
  public subscript(kind: TokenKind) -> Secret? {
    switch kind {
    case .access: accessToken
    case .refresh: refreshToken
    case .id: idToken
    }
  }

  /// These tokens with the scopes that were asked for, if the server has named none: then it has granted all of them
  /// (RFC 6749, section 5.1).
  func withScopes(askedFor asked: [String]) -> Tokens {
    guard scopes.isEmpty else { return self }
    return Tokens(
      accessToken: accessToken, tokenType: tokenType, expiresIn: expiresIn, scopes: asked,
      refreshToken: refreshToken, idToken: idToken, deviceSecret: deviceSecret, key: key)
  }

  /// These tokens after a refresh: values that the response omits stay the same (RFC 6749, section 6;
  /// OpenID Connect Core, section 12.2).
  func renewed(by response: Tokens) -> Tokens {
    Tokens(
      accessToken: response.accessToken, tokenType: response.tokenType,
      expiresIn: response.expiresIn, scopes: response.scopes.isEmpty ? scopes : response.scopes,
      refreshToken: response.refreshToken ?? refreshToken, idToken: response.idToken ?? idToken,
      deviceSecret: response.deviceSecret ?? deviceSecret, key: response.key ?? key)
  }
}

extension Tokens {
  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case scope
    case refreshToken = "refresh_token"
    case idToken = "id_token"
    case deviceSecret = "device_secret"
    case key = "dpop_key"
  }

  /// Reads what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let scopes = try container.decodeIfPresent(String.self, forKey: .scope)
    self.init(
      accessToken: try container.decode(Secret.self, forKey: .accessToken),
      tokenType: try container.decode(String.self, forKey: .tokenType),
      expiresIn: try container.decodeIfPresent(Int.self, forKey: .expiresIn),
      scopes: scopes?.split(separator: " ").map(String.init) ?? [],
      refreshToken: try container.decodeIfPresent(Secret.self, forKey: .refreshToken),
      idToken: try container.decodeIfPresent(Secret.self, forKey: .idToken),
      deviceSecret: try container.decodeIfPresent(Secret.self, forKey: .deviceSecret),
      key: try container.decodeIfPresent(DPoPKey.self, forKey: .key))
    guard Self.isTokenType(tokenType) else {
      throw DecodingError.dataCorruptedError(
        forKey: .tokenType, in: container, debugDescription: "The type cannot be used.")
    }
  }

  /// Writes the endpoint's format without empty values.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(accessToken, forKey: .accessToken)
    try container.encode(tokenType, forKey: .tokenType)
    try container.encodeIfPresent(expiresIn, forKey: .expiresIn)
    if !scopes.isEmpty { try container.encode(scopes.joined(separator: " "), forKey: .scope) }
    try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
    try container.encodeIfPresent(idToken, forKey: .idToken)
    try container.encodeIfPresent(deviceSecret, forKey: .deviceSecret)
    try container.encodeIfPresent(key, forKey: .key)
  }
}

/// A kind of token; the raw value is its `token_type_hint` (RFC 7009, section 2.1).
public enum TokenKind: String, Sendable, Hashable, CaseIterable {
  /// Authorizes requests to an API.
  case access = "access_token"
  /// Gets new tokens.
  case refresh = "refresh_token"
  /// Says who signed in.
  case id = "id_token"
}
