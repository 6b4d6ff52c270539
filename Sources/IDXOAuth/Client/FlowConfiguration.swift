package import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Which org to sign in to, as which app.
public struct FlowConfiguration: Sendable, Hashable, Codable {
  /// The authorization server, without a slash at its end: `https://dev-1234.okta.com/oauth2/default`,
  /// or `https://dev-1234.okta.com` for the org's own.
  public let issuer: URL
  /// The id of the app.
  public let clientID: String
  /// Where a browser would return to.
  ///
  /// It must be registered for the app, also where none is used.
  public let redirectURI: String
  /// What the tokens are to be good for.
  public let scopes: [String]

  /// The scopes asked for where none are named: an ID token, and the name of the person.
  public static let defaultScopes = ["openid", "profile"]

  /// Checks what was configured: https, or http for a loopback address alone.
  public init(
    issuer: String, clientID: String, redirectURI: String, scopes: [String] = defaultScopes
  ) throws {
    func invalid(_ message: String) -> FlowError { FlowError(.invalidConfiguration, message) }
    let text = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    guard let url = URL(string: text) else { throw Self.noIssuer(issuer) }
    try Self.check(url)
    guard !clientID.isEmpty else { throw invalid("The client id is empty.") }
    guard let redirect = URL(string: redirectURI), redirect.scheme != nil else {
      throw invalid(
        "The redirect URI “\(redirectURI)” is no URI such as com.example.app:/callback.")
    }
    guard !scopes.isEmpty else { throw invalid("There are no scopes; the least is “openid”.") }
    self.issuer = url
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scopes = scopes
  }

  /// Throws where an address is none of an issuer to which secrets may be sent.
  static func check(_ issuer: URL) throws {
    guard let host = issuer.host, !host.isEmpty else { throw noIssuer(issuer.absoluteString) }
    guard issuer.query == nil, issuer.fragment == nil, issuer.user == nil else {
      throw FlowError(
        .invalidConfiguration,
        "The issuer must be a plain URL, without user, query and fragment.")
    }
    guard issuer.scheme == "https" || (issuer.scheme == "http" && Origin.isLoopback(host)) else {
      throw FlowError(
        .invalidConfiguration,
        "The issuer \(issuer) must start with https://; plain http is for loopback addresses alone."
      )
    }
  }

  private static func noIssuer(_ text: String) -> FlowError {
    FlowError(
      .invalidConfiguration,
      "The issuer “\(text)” is no URL such as https://dev-1234.okta.com/oauth2/default.")
  }

  /// Where the issuer's endpoints are.
  package var endpoints: OAuthEndpoints { OAuthEndpoints(issuer: issuer) }

  /// Whether an ID token is asked for.
  var asksForIDToken: Bool { scopes.contains("openid") }

  /// What a request for authorization says about the app and the sign-in (RFC 6749, section 4.1.1;
  /// RFC 7636, section 4.3).
  package func authorizationParameters(
    state: Secret, nonce: Secret, pkce: PKCE
  ) -> [(String, String)] {
    [
      ("client_id", clientID), ("scope", scopes.joined(separator: " ")),
      ("redirect_uri", redirectURI), ("state", state.revealed), ("nonce", nonce.revealed),
      ("code_challenge", pkce.challenge), ("code_challenge_method", PKCE.method),
    ]
  }

  /// An address at the issuer's origin: what is no part of OAuth lives there, whatever the
  /// authorization server.
  package func endpoint(_ path: String) throws -> URL {
    guard let url = URL(string: Origin(issuer).description + path) else {
      throw FlowError(.invalidConfiguration, "The issuer \(issuer) has no usable origin.")
    }
    return url
  }
}

extension FlowConfiguration {
  private enum CodingKeys: CodingKey {
    case issuer, clientID, redirectURI, scopes
  }

  /// Reads a configuration, and checks it like any other: throws a ``FlowError`` where it cannot be
  /// used, a `DecodingError` where it lacks a part.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      issuer: try container.decode(String.self, forKey: .issuer),
      clientID: try container.decode(String.self, forKey: .clientID),
      redirectURI: try container.decode(String.self, forKey: .redirectURI),
      scopes: try container.decode([String].self, forKey: .scopes))
  }
}
