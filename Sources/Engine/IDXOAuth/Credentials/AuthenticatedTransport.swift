public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sends requests to an API with the access token of a credential.
///
///     let api = AuthenticatedTransport(session, over: transport, origins: [origin])
///     let response = try await api.send(TransportRequest(url: url))
///
/// - The token is refreshed first if it expires soon. If the API refuses it (status 401), it is refreshed, and the
///   request is sent once more; the second response is returned, whatever its status.
/// - A token that is bound to a key (DPoP) goes with a proof that is made for each attempt. If the API asks for a nonce
///   in it, or has another time than this computer, the request is sent again with another proof.
/// - Requests to other origins are sent without the token. The other transport must not follow redirects, as the protocol
///   demands.
///
/// Below it, a ``/IDXBase/RetryingTransport`` repeats what failed for a moment, with a new proof. Source: RFC 6750,
/// section 2.1; RFC 9449, section 7.
public struct AuthenticatedTransport: Transport {
  private let session: CredentialSession
  private let transport: any Transport
  private let origins: Set<Origin>
  /// The access token that came because an API refused the one before: if it is refused too, another one does not help.
  private let renewed = Locked<Secret?>(nil)

  /// Creates a transport for a credential.
  ///
  /// - Parameters:
  ///   - session: The credential session that gives the access token, and new ones.
  ///   - transport: Sends the requests.
  ///   - origins: Addresses of the servers that may get the token, of which only the scheme, the host and the port
  ///     count: `https://api.example.com`. By default only the server of the issuer.
  public init(
    _ session: CredentialSession, over transport: any Transport, origins: [URL]? = nil
  ) {
    self.session = session
    self.transport = transport
    self.origins = Set((origins ?? [session.id.issuer]).map(Origin.init))
  }

  /// Sends a request, with the token if it goes to one of the origins.
  ///
  /// Throws what ``CredentialSession/valid()`` and the other transport throw, ``FlowError/Code/wrongKey`` if the key of
  /// the token is not here, and ``FlowError/Code/hrefRefused``, before anything is sent, if the token would go over
  /// plain http to another computer.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    let origin = Origin(request.url)
    guard origins.contains(origin) else { return try await transport.send(request) }
    guard origin.isSecure else {
      throw FlowError(
        .hrefRefused,
        "The address \(origin) is plain http, over which others could read the token. Nothing was sent."
      )
    }
    let credential = try await session.valid()
    let response = try await send(request, with: credential)
    guard response.status == 401, credential.tokens.refreshToken != nil,
      renewed.withLock({ $0 }) != credential.tokens.accessToken,
      // Another token would have the same key and the same proof.
      ![.useDPoPNonce, .invalidDPoPProof].contains(response.proofRefusal)
    else { return response }
    let newer = try await session.renew(credential)
    renewed.withLock { $0 = newer.tokens.accessToken }
    return try await send(request, with: newer)
  }

  private func send(
    _ request: TransportRequest, with credential: Credential
  ) async throws -> TransportResponse {
    try await session.client.http.prover.send(request, carrying: credential.tokens) {
      try await transport.send($0)
    }
  }
}

extension AuthenticatedTransport: Redacted {
  /// The type, without what an app's own transport holds.
  public var description: String { "authenticated transport" }
}

extension Credential {
  /// The header fields with which another program can send one request with the access token: `Authorization`, and
  /// `DPoP` if the token is bound to a key.
  ///
  /// The proof is valid for this method and address, once and for some minutes. `nonce` is the one that the server
  /// asked for. Throws a ``FlowError`` if the token cannot be sent.
  package func headers(
    for request: TransportRequest, nonce: String? = nil, at time: Date = Date()
  ) throws -> [(name: String, value: String)] {
    let prover = DPoPProver(now: { time })
    let request = try prover.authorized(request, by: tokens)
    let field = ("Authorization", request.headers["Authorization"] ?? "")
    guard tokens.needsProof, let key = tokens.key else { return [field] }
    let proof = try prover.proof(for: request, by: key, token: tokens.accessToken, nonce: nonce)
    return [field, ("DPoP", proof)]
  }
}
