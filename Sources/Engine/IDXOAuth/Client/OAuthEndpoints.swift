import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The endpoints of an authorization server where Okta has them.
///
/// They follow from the issuer, so that no discovery request is needed. A custom authorization server
/// has `/oauth2/` in its path; the org authorization server has its endpoints under `/oauth2/v1`. Those of another server
/// are learned (``IssuerClient/atEndpoint(_:of:_:)``).
package struct OAuthEndpoints {
  private let issuer: URL

  init(issuer: URL) { self.issuer = issuer }

  /// Takes the issuer of a credential, which may come from anywhere.
  ///
  /// Throws a ``FlowError`` unless it is a valid issuer, so that no token is sent elsewhere.
  init(checking issuer: URL) throws {
    try FlowConfiguration.check(issuer)
    self.init(issuer: issuer)
  }

  /// The endpoint with a name, such as `token`.
  package subscript(name: String) -> URL {
    let isCustom = issuer.path.containsBytes(of: "/oauth2/")
    return (isCustom ? issuer : issuer.appending(path: "oauth2")).appending(path: "v1/" + name)
  }

  /// Whether a server that names its issuer so is the issuer; the name can have a slash at its end.
  package static func isIssuer(_ name: String, _ issuer: URL) -> Bool {
    (name.hasSuffix("/") ? String(name.dropLast()) : name) == issuer.absoluteString
  }
}

/// An endpoint that a server can have elsewhere than Okta.
package enum OAuthEndpoint: String, Sendable, CaseIterable {
  case token, keys, revoke, introspect, userinfo

  /// The member of the server's metadata (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2).
  var member: String {
    switch self {
    case .token: "token_endpoint"
    case .keys: "jwks_uri"
    case .revoke: "revocation_endpoint"
    case .introspect: "introspection_endpoint"
    case .userinfo: "userinfo_endpoint"
    }
  }
}

/// The endpoints that servers say they have, by the issuer; copies share them.
struct LearnedEndpoints: Sendable {
  private struct Server {
    var endpoints: [OAuthEndpoint: URL] = [:]
    /// When it was last asked because there was nothing at an endpoint.
    var askedAt: Date?
  }

  private let servers = Locked<[URL: Server]>([:])

  /// How long a server is not asked again: an endpoint that is polled must not double its requests.
  private static let pause: TimeInterval = 60

  subscript(issuer: URL) -> [OAuthEndpoint: URL] {
    get { servers.withLock { $0[issuer]?.endpoints ?? [:] } }
    nonmutating set { change(issuer) { $0.endpoints = newValue } }
  }

  /// Whether a server may be asked where its endpoints are; it counts as asked then.
  func mayAsk(_ issuer: URL, at now: Date) -> Bool {
    change(issuer) { server in
      let isRecent = server.askedAt.map { (0..<Self.pause).contains(now.timeIntervalSince($0)) }
      if isRecent != true { server.askedAt = now }
      return isRecent != true
    }
  }

  private func change<Result>(_ issuer: URL, _ body: (inout Server) -> Result) -> Result {
    servers.withLock { servers in
      // Callers choose the issuers, so they must not accumulate.
      if servers.count >= 100, servers[issuer] == nil { servers = [:] }
      return body(&servers[issuer, default: Server()])
    }
  }
}

extension IssuerClient {
  /// The errors of a server that has read a request (RFC 6749, section 5.2; RFC 6750, section 3.1; RFC 9449, section 5); other
  /// programs have an `error` too.
  private static let answers: Set<OAuthError.Code> = [
    .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType,
    .invalidScope, .invalidToken, .insufficientScope, .invalidDPoPProof, .useDPoPNonce,
  ]

  /// Sends a request to an endpoint: where the server has said that it is, or else where Okta has it.
  ///
  /// A server that has none there (404 or 405, without an OAuth error) has not read the request. It is asked where its
  /// endpoints are, and the request is sent there, if that is another address at the issuer's origin.
  package func atEndpoint(
    _ endpoint: OAuthEndpoint, of issuer: URL, _ send: (URL) async throws -> Response
  ) async throws -> Response {
    let usual = try OAuthEndpoints(checking: issuer)
    let url = learned[issuer][endpoint] ?? usual[endpoint.rawValue]
    try checkExistence(of: endpoint, at: issuer, usual)
    let response = try await send(url)
    guard response.status == 404 || response.status == 405, !response.followsAnother,
      !(refusal(in: response).map { Self.answers.contains($0.code) } ?? false),
      learned.mayAsk(issuer, at: now())
    else { return response }
    do { _ = try await metadata(of: issuer) } catch is FlowError { return response }
    try checkExistence(of: endpoint, at: issuer, usual)
    guard let other = learned[issuer][endpoint], other != url else { return response }
    return try await send(other)
  }

  /// Throws a ``FlowError`` with the code `refused` if a server whose endpoints are elsewhere than Okta's has none of
  /// this kind.
  private func checkExistence(
    of endpoint: OAuthEndpoint, at issuer: URL, _ usual: OAuthEndpoints
  ) throws {
    let known = learned[issuer]
    guard let token = known[.token], token != usual[OAuthEndpoint.token.rawValue],
      known[endpoint] == nil
    else { return }
    throw FlowError(.refused, "The server has no endpoint for that (\(endpoint.member)).")
  }
}
