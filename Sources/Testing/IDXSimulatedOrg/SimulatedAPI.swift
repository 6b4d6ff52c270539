public import Foundation
public import IDXBase

/// An API for tests that accepts the access tokens of a ``SimulatedOrg``, of both types (`Bearer` and `DPoP`).
///
/// It responds to any request with what it has received, as JSON: `method`, `path`, `query`, `body`, `type` (of the
/// token), `username` and `scopes`. A request without a valid token gets status 401 and a challenge; it has nonces of
/// its own for proofs.
///
///     let api = SimulatedAPI(org, origin: "https://api.shop.example")
///     let transport = AuthenticatedTransport(session, over: api, origins: [api.origin])
///     let response = try await transport.send(TransportRequest(url: api.origin.appending(path: "orders")))
public actor SimulatedAPI: Transport {
  /// The scheme, the host and the port of the API.
  public nonisolated let origin: URL
  /// All requests that arrived, in order, such as `GET /orders`.
  public private(set) var requests: [String] = []
  private let org: SimulatedOrg

  /// Creates an API.
  ///
  /// - Precondition: `origin` is an absolute URL.
  public init(_ org: SimulatedOrg, origin: String) {
    guard let url = URL(string: origin), url.host != nil else {
      preconditionFailure("The API needs an absolute URL.")
    }
    self.origin = url
    self.org = org
  }

  /// Responds to a request to the API; a request to another host goes to the org.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard Origin(request.url) == Origin(origin) else { return try await org.send(request) }
    requests.append("\(request.method) \(request.url.path)")
    return await org.respond(to: request, asAPIAt: Origin(origin))
  }
}

extension SimulatedAPI: Redacted {
  /// The origin.
  public nonisolated var description: String { "simulated API at \(origin)" }
  /// A mirror without children, because the org contains passwords, codes and tokens.
  public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension OrgState {
  /// The response of an API that shows what it has received.
  mutating func respond(to request: TransportRequest, asAPIAt origin: Origin) -> TransportResponse {
    if let preflight = requestRules.preflight(request) { return preflight }
    var draft: OrgResponse
    do throws(Refusal) {
      let (access, family) = try tokens.authorized(request, at: origin.description, &random)
      draft = .json([
        "method": .string(request.method), "path": .string(request.url.path),
        "query": .string(request.url.query ?? ""),
        "body": .string(String(decoding: request.body, as: UTF8.self)),
        "type": .string(family.tokenType),
        "username": .string(family.subject.login),
        "scopes": .array(access.scopes.map(JSONValue.string)),
      ])
    } catch { draft = error.response }
    draft.headers.merge(requestRules.crossOriginFields(for: request)) { own, _ in own }
    var response = draft.http(requestID: "api")
    response.headers["Date"] = now.httpDate
    return response
  }
}
