#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a token endpoint hands out.
///
/// Source: RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3.
///
/// It is encoded and decoded in the endpoint's own shape, the tokens in the clear: protect what you
/// encode.
public struct Tokens: Sendable, Hashable, Codable {
  /// `access_token`: what calls to an API carry.
  public let accessToken: Secret
  /// `token_type`: how they carry it.
  ///
  /// `Bearer`, also where the server leaves it out.
  public let tokenType: String
  /// `expires_in`: for how many seconds from the response on the access token stands; nil where the
  /// server does not say.
  public let expiresIn: Int?
  /// `scope`: what was granted, in the server's order; empty where the server does not say.
  public let scopes: [String]
  /// `refresh_token`: what buys new tokens; nil unless `offline_access` was granted.
  public let refreshToken: Secret?
  /// `id_token`: who signed in, as a signed JWT that is not checked here; nil unless `openid` was
  /// granted.
  public let idToken: Secret?
  /// `device_secret`: what signs other apps of the device in; nil unless `device_sso` was granted.
  public let deviceSecret: Secret?

  /// Tokens of these parts.
  public init(
    accessToken: Secret, tokenType: String = "Bearer", expiresIn: Int? = nil,
    scopes: [String] = [], refreshToken: Secret? = nil, idToken: Secret? = nil,
    deviceSecret: Secret? = nil
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresIn = expiresIn
    self.scopes = scopes
    self.refreshToken = refreshToken
    self.idToken = idToken
    self.deviceSecret = deviceSecret
  }

  /// Reads the body of a successful response.
  ///
  /// The access token is required. Anything else that is damaged or of a wrong kind counts as
  /// absent; a number may stand in a string. A token that holds anything but visible ASCII and
  /// spaces (RFC 6749, appendix A) is refused with all the others, because it could end a header
  /// field and begin another. Throws ``OAuthError/Code/unreadableResponse``, which tells nothing of
  /// the body.
  public init(parsing body: [UInt8]) throws(OAuthError) {
    guard let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(body)) else {
      throw OAuthError(
        .unreadableResponse, description: "The response holds no access token that can be read.")
    }
    let texts = [tokens.accessToken, tokens.refreshToken, tokens.idToken, tokens.deviceSecret]
      .compactMap { $0?.revealed.utf8 }
    guard texts.allSatisfy({ $0.allSatisfy { (0x20...0x7e).contains($0) } }) else {
      throw OAuthError(
        .unreadableResponse, description: "A token holds characters that no token may hold.")
    }
    self = tokens
  }

  /// The token of a kind; nil where there is none.
  public subscript(kind: TokenKind) -> Secret? {
    switch kind {
    case .access: accessToken
    case .refresh: refreshToken
    case .id: idToken
    }
  }

  /// These tokens after a refresh: what the response leaves out stays as it was (RFC 6749,
  /// section 6; OpenID Connect Core, section 12.2).
  public func renewed(by response: Tokens) -> Tokens {
    Tokens(
      accessToken: response.accessToken, tokenType: response.tokenType,
      expiresIn: response.expiresIn, scopes: response.scopes.isEmpty ? scopes : response.scopes,
      refreshToken: response.refreshToken ?? refreshToken, idToken: response.idToken ?? idToken,
      deviceSecret: response.deviceSecret ?? deviceSecret)
  }

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case scope
    case refreshToken = "refresh_token"
    case idToken = "id_token"
    case deviceSecret = "device_secret"
  }
}

extension Tokens {
  /// Reads the endpoint's shape, with the tolerance of ``init(parsing:)``; throws a `DecodingError`
  /// where there is no access token.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) -> String? {
      let text = try? container.decodeIfPresent(String.self, forKey: key)
      return text.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let accessToken = text(.accessToken) else {
      throw DecodingError.dataCorruptedError(
        forKey: .accessToken, in: container, debugDescription: "There is no access token.")
    }
    let seconds =
      (try? container.decodeIfPresent(Int.self, forKey: .expiresIn))
      ?? text(.expiresIn).flatMap(Int.init)
    self.init(
      accessToken: Secret(accessToken), tokenType: text(.tokenType) ?? "Bearer",
      expiresIn: seconds.flatMap { $0 < 0 ? nil : $0 },
      scopes: text(.scope)?.split(separator: " ").map(String.init) ?? [],
      refreshToken: text(.refreshToken).map { Secret($0) },
      idToken: text(.idToken).map { Secret($0) },
      deviceSecret: text(.deviceSecret).map { Secret($0) })
  }

  /// Writes the endpoint's shape, leaving out what is nil or empty.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(accessToken, forKey: .accessToken)
    try container.encode(tokenType, forKey: .tokenType)
    try container.encodeIfPresent(expiresIn, forKey: .expiresIn)
    if !scopes.isEmpty { try container.encode(scopes.joined(separator: " "), forKey: .scope) }
    try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
    try container.encodeIfPresent(idToken, forKey: .idToken)
    try container.encodeIfPresent(deviceSecret, forKey: .deviceSecret)
  }
}
