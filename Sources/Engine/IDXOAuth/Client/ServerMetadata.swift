import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What an authorization server says about itself: for sign-ins in a browser, checks of the setup, and servers whose
/// endpoints are elsewhere than Okta's.
///
/// Source: OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2.
package struct ServerMetadata: Sendable {
  /// The server's name of itself, which must be the issuer of the configuration.
  package let issuer: String
  /// The grant types that apps can have; empty if the server lists none.
  package let grantTypes: [String]
  /// The scopes that a client can ask for; empty if the server lists none.
  package let scopes: [String]
  /// The algorithms of proofs of a key (DPoP) that it accepts; empty if it lists none (RFC 9449, section 5.1).
  package let proofAlgorithms: [String]
  /// The address where a browser starts a sign-in; nil if there is none.
  package let authorizationEndpoint: String?
  /// Where the app sends the parameters of a sign-in in a browser first; nil if the server does not require that, and
  /// empty if it requires it and does not say where (RFC 9126, section 5).
  package let requiredPushEndpoint: String?
  /// Whether each address at which a browser returns names the issuer (RFC 9207, section 3).
  package let returnsIssuer: Bool
  /// Where the app gets a code for a browser on another device; nil if there is none (RFC 8628, section 4).
  package let deviceAuthorizationEndpoint: String?
  /// The addresses of the endpoints, as the server writes them.
  let endpoints: [OAuthEndpoint: String]
  /// The time of the server's clock; nil if it sent none.
  package let date: Date?
}

extension ServerMetadata {
  /// Whether the server says where its keys are.
  package var publishesKeys: Bool { endpoints[.keys] != nil }

  /// Where the server gives tokens or publishes its keys, if requests may not go there; nil if they may.
  package func foreignEndpoint(of issuer: URL) -> String? {
    let usable = usableEndpoints(of: issuer)
    let foreign = [OAuthEndpoint.token, .keys].first { endpoints[$0] != nil && usable[$0] == nil }
    return foreign.flatMap { endpoints[$0] }?.printable.shortened(to: 300)
  }

  /// The endpoints to which requests may go: those at the issuer's origin.
  fileprivate func usableEndpoints(of issuer: URL) -> [OAuthEndpoint: URL] {
    endpoints.compactMapValues { text in
      // Longer addresses would fill the memory.
      guard text.utf8.count <= 2048, let url = URL(string: text),
        (try? IssuerClient.check(url, for: "", of: issuer)) != nil
      else { return nil }
      return url
    }
  }
}

extension IssuerClient {
  /// Asks an authorization server about itself, and remembers where its endpoints are.
  ///
  /// Throws a ``FlowError`` if there is none at the address.
  package func metadata(of issuer: URL) async throws -> ServerMetadata {
    try FlowConfiguration.check(issuer)
    let response = try await get(issuer.appending(path: ".well-known/openid-configuration"))
    guard response.status == 200, let json = try? JSONValue(parsing: response.body),
      let name = json["issuer"]?.string
    else { throw failure(of: response, isFirst: true) }
    func texts(_ name: String) -> [String] { json[name]?.array?.compactMap(\.string) ?? [] }
    let requiresPush = json["require_pushed_authorization_requests"]?.bool == true
    let metadata = ServerMetadata(
      issuer: name.asciiAddress.printable, grantTypes: texts("grant_types_supported"),
      scopes: texts("scopes_supported"),
      proofAlgorithms: texts("dpop_signing_alg_values_supported"),
      authorizationEndpoint: json["authorization_endpoint"]?.string,
      requiredPushEndpoint: requiresPush
        ? json["pushed_authorization_request_endpoint"]?.string ?? "" : nil,
      returnsIssuer: json["authorization_response_iss_parameter_supported"]?.bool == true,
      deviceAuthorizationEndpoint: json["device_authorization_endpoint"]?.string,
      endpoints: Dictionary(
        uniqueKeysWithValues: OAuthEndpoint.allCases.compactMap { endpoint in
          json[endpoint.member]?.string.map { (endpoint, $0) }
        }),
      date: response.header("Date").flatMap(Date.init(httpDate:)))
    if OAuthEndpoints.isIssuer(metadata.issuer, issuer) {
      learned[issuer] = metadata.usableEndpoints(of: issuer)
    }
    return metadata
  }
}

extension TokenClient {
  /// Asks an authorization server about itself.
  ///
  /// Throws a ``FlowError`` if there is none at the address.
  package func metadata(of issuer: URL) async throws -> ServerMetadata {
    try await http.metadata(of: issuer)
  }

  /// Whether the server refuses requests for tokens of an app without a proof of a key (DPoP); throws if it does not say
  /// so.
  ///
  /// It sends a code that does not exist, because the server says it only in response to such a request.
  package func requiresProof(_ configuration: FlowConfiguration) async throws -> Bool {
    let app = configuration.app
    let request = TokenRequest(
      authorizationCode: "idx-flow-doctor", clientID: app.clientID, codeVerifier: PKCE().verifier,
      redirectURI: configuration.redirectURI ?? "com.example.app:/callback")
    let response = try await http.atEndpoint(.token, of: app.issuer) { url in
      try await http.post(request, of: app, to: url)
    }
    let refusal = response.status == 429 ? nil : http.refusal(in: response)?.code
    // Any other refusal, such as of the client, comes before a server looks for a proof.
    guard let refusal, [.invalidDPoPProof, .useDPoPNonce, .invalidGrant].contains(refusal)
    else { throw http.failure(of: response) }
    return refusal != .invalidGrant
  }

  /// Fetches the keys of an issuer; returns the number of keys that can verify an ID token.
  package func fetchKeys(of issuer: URL) async throws -> Int {
    try await http.keys(of: issuer).count
  }
}
