package import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Whether the tokens of a sign-in are bound to a key, so that nobody who has copied them can use them.
///
/// Source: RFC 9449 (OAuth 2.0 Demonstrating Proof of Possession, DPoP).
public enum DPoPPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// Never: a sign-in to an app that requires it fails.
  case never
  /// If the server refuses to issue tokens without a key; this is the default.
  case whenRequired = "when_required"
  /// Always: tokens that are not bound are refused.
  case always
}

/// The org to sign in to, and the app that signs in.
public struct FlowConfiguration: Sendable, Hashable, Codable {
  /// The authorization server, without a slash at the end: `https://dev-1234.okta.com/oauth2/default`, or
  /// `https://dev-1234.okta.com` for the org authorization server.
  public let issuer: URL
  /// The app's client ID.
  public let clientID: String
  /// The address that a browser returns to; nil if there is none.
  ///
  /// Identity Engine needs it even if no browser is used, and so does the classic API for tokens. It must be
  /// registered for the app.
  public let redirectURI: String?
  /// The address that a browser returns to after a sign-out at the server; nil if there is none.
  ///
  /// It must be registered for the app.
  public private(set) var logoutRedirectURI: String?
  /// The scopes to request.
  public private(set) var scopes: [String]
  /// Whether the tokens are bound to a key; by default if the server requires it.
  public private(set) var dpop: DPoPPolicy

  /// The default scopes: `openid` for an ID token, and `profile` for the person's name.
  public static let defaultScopes = ["openid", "profile"]

  /// Creates a configuration.
  ///
  /// Throws ``FlowError/Code/invalidConfiguration`` if a value is not valid. The issuer must use https, or
  /// http with a loopback address; a slash at its end is removed. The client ID and the scopes have the characters of
  /// RFC 6749 (appendix A.1 and section 3.3), and redirect URIs those of RFC 3986.
  public init(
    issuer: String, clientID: String, redirectURI: String? = nil,
    logoutRedirectURI: String? = nil, scopes: [String] = defaultScopes,
    dpop: DPoPPolicy = .whenRequired
  ) throws {
    let text = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    guard let url = URL(string: text) else { throw Self.invalidIssuer(issuer) }
    try Self.check(url)
    guard !clientID.isEmpty else { throw Self.invalid("The client ID is empty.") }
    guard clientID.isPrintableASCII else {
      throw Self.invalid("The client ID has a character that no client ID can have.")
    }
    for (name, uri) in [("redirect URI", redirectURI), ("logout redirect URI", logoutRedirectURI)] {
      guard let uri else { continue }
      guard uri.isVisibleASCII else {
        throw Self.invalid("The \(name) has a character that must be percent-encoded.")
      }
      guard URL(string: uri)?.scheme == nil else { continue }
      throw Self.invalid("The \(name) “\(uri)” is not a URI such as com.example.app:/callback.")
    }
    guard !scopes.isEmpty else {
      throw Self.invalid("There are no scopes. Add at least “openid”.")
    }
    guard scopes.allSatisfy(Self.isScope) else {
      throw Self.invalid("A scope is empty, or has a character that no scope can have.")
    }
    self.issuer = url
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.logoutRedirectURI = logoutRedirectURI
    self.scopes = scopes
    self.dpop = dpop
  }

  /// The same configuration with the scope `offline_access`, which asks for a refresh token.
  ///
  /// With a refresh token, a ``CredentialSession`` gets new tokens without the person. The app must have the
  /// grant type “Refresh Token”.
  public func requestingRefreshToken() -> FlowConfiguration {
    guard !scopes.contains(Self.offlineAccess) else { return self }
    var configuration = self
    configuration.scopes.append(Self.offlineAccess)
    return configuration
  }

  private static let offlineAccess = "offline_access"

  /// Whether a name or an address of a host can have a byte; escapes such as `%2F` only make it look like another.
  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F: true
    default: false
    }
  }

  private static func isScope(_ text: String) -> Bool {
    !text.isEmpty
      && text.isVisibleASCII && !text.utf8.contains { [0x22, 0x5C].contains($0) }
  }

  /// Throws unless an address is a valid issuer, to which secrets can be sent.
  static func check(_ issuer: URL) throws {
    let host = issuer.host(percentEncoded: true) ?? ""
    guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else {
      throw invalidIssuer(issuer.absoluteString)
    }
    guard issuer.query == nil, issuer.fragment == nil, issuer.user == nil else {
      throw invalid("The issuer must be a plain URL without user, query and fragment.")
    }
    guard issuer.scheme == "https" || Origin(issuer).isLocalHTTP else {
      throw invalid(
        "The issuer \(issuer) must start with https://. Plain http is allowed only for a server on this"
          + " computer, such as http://127.0.0.1:8080.")
    }
  }

  private static func invalidIssuer(_ text: String) -> FlowError {
    invalid(
      "The issuer “\(text)” is not a URL such as https://dev-1234.okta.com/oauth2/default.")
  }

  static func invalid(_ message: String, because cause: (any Error)? = nil) -> FlowError {
    FlowError(.invalidConfiguration, message, underlying: cause)
  }

  /// The endpoints of the issuer.
  package var endpoints: OAuthEndpoints { OAuthEndpoints(issuer: issuer) }

  /// The scheme, the host and the port of the issuer.
  package var origin: String { Origin(issuer).description }

  /// An address at the issuer's origin, for APIs that are not part of the authorization server.
  package func endpoint(_ path: String) throws -> URL {
    guard let url = URL(string: Origin(issuer).description + path) else {
      throw Self.invalid("The issuer \(issuer) has no valid origin.")
    }
    return url
  }

  /// Whether a server's name of itself is the issuer, which has no slash at its end.
  package func isIssuer(_ name: String) -> Bool { OAuthEndpoints.isIssuer(name, issuer) }

  /// The redirect URI of a sign-in that needs one.
  package var requiredRedirectURI: String {
    get throws {
      if let redirectURI { return redirectURI }
      throw Self.invalid(
        "This sign-in needs a redirect URI, even if no browser is used. Register one for the app, such as "
          + "com.example.app:/callback, and add it to the configuration.")
    }
  }

  /// Whether a sign-in with the other configuration is the same: only the sign-out differs.
  package func signsIn(like other: FlowConfiguration) -> Bool {
    var other = other
    other.logoutRedirectURI = logoutRedirectURI
    return self == other
  }

  /// Whether an ID token is requested.
  package var requestsIDToken: Bool { scopes.contains("openid") }

  /// The parameters of an authorization request (RFC 6749, section 4.1.1; RFC 7636, section 4.3).
  package func authorizationParameters(
    state: Secret, nonce: Secret, pkce: PKCE
  ) throws -> [(String, String)] {
    [
      ("client_id", clientID), ("scope", scopes.joined(separator: " ")),
      ("redirect_uri", try requiredRedirectURI), ("state", state.revealed),
      ("nonce", nonce.revealed),
      ("code_challenge", pkce.challenge), ("code_challenge_method", PKCE.method),
    ]
  }
}

extension FlowConfiguration {
  private enum CodingKeys: CodingKey {
    case issuer, clientID, redirectURI, logoutRedirectURI, scopes, dpop
  }

  /// Reads a configuration and checks it.
  ///
  /// Throws a ``FlowError`` if a value is not valid, a `DecodingError` if one is missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      issuer: try container.decode(String.self, forKey: .issuer),
      clientID: try container.decode(String.self, forKey: .clientID),
      redirectURI: try container.decodeIfPresent(String.self, forKey: .redirectURI),
      logoutRedirectURI: try container.decodeIfPresent(String.self, forKey: .logoutRedirectURI),
      scopes: try container.decode([String].self, forKey: .scopes),
      dpop: try container.decodeIfPresent(DPoPPolicy.self, forKey: .dpop) ?? .whenRequired)
  }

  /// Writes a configuration; the default policy is left out, so that older versions write and read the same.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(issuer, forKey: .issuer)
    try container.encode(clientID, forKey: .clientID)
    try container.encodeIfPresent(redirectURI, forKey: .redirectURI)
    try container.encodeIfPresent(logoutRedirectURI, forKey: .logoutRedirectURI)
    try container.encode(scopes, forKey: .scopes)
    if dpop != .whenRequired { try container.encode(dpop, forKey: .dpop) }
  }
}
