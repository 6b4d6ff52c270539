import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

// What a client does with tokens.
extension Visitor {
  static let everyScope = "openid profile email offline_access"

  /// A visitor who has tokens for a password, with these scopes.
  static func withTokens(
    _ org: SimulatedOrg, scope: String = everyScope, _ changes: [String: String?] = [:]
  ) async throws -> Visitor {
    var visitor = try await Visitor(org)
    try await visitor.begin(changes.merging(["scope": scope]) { $1 })
    try await visitor.signIn()
    try await visitor.redeem()
    #expect(visitor.status == 200)
    return visitor
  }

  var accessToken: String { json["access_token"]?.string ?? "" }
  var refreshToken: String? { json["refresh_token"]?.string }
  var idToken: DecodedToken? { json["id_token"]?.string.flatMap { DecodedToken($0) } }
  var error: String? { json["error"]?.string }

  /// Asks for new tokens; the last answer stays in what the call returns.
  mutating func refresh(_ token: String?, _ changes: [String: String?] = [:]) async throws {
    var form: [String: String?] = [
      "grant_type": "refresh_token", "refresh_token": token, "client_id": org.clientID,
    ]
    form.merge(changes) { $1 }
    try await postForm("/v1/token", form)
  }

  mutating func introspect(token: String, _ changes: [String: String?] = [:]) async throws {
    var form: [String: String?] = ["token": token, "client_id": org.clientID]
    form.merge(changes) { $1 }
    try await postForm("/v1/introspect", form)
  }

  func revoke(_ token: String?, _ changes: [String: String?] = [:]) async throws
    -> TransportResponse
  {
    var form: [String: String?] = ["token": token, "client_id": org.clientID]
    form.merge(changes) { $1 }
    let pairs = form.compactMap { name, value in value.map { (name, $0) } }
    return try await org.send(
      TransportRequest(
        method: "POST", url: try address("/v1/revoke"),
        headers: ["Content-Type": FormURLEncoding.contentType],
        body: Array(FormURLEncoding.encode(pairs).utf8)))
  }

  func userInfo(_ token: String, method: String = "GET") async throws -> TransportResponse {
    try await org.send(
      TransportRequest(
        method: method, url: try address("/v1/userinfo"),
        headers: ["Authorization": "Bearer \(token)", "Accept": "application/json"]))
  }

  /// The keys that the org publishes.
  func keys() async throws -> [JSONValue] {
    let response = try await org.send(TransportRequest(url: try address("/v1/keys")))
    return try JSONValue(parsing: response.body)["keys"]?.array ?? []
  }

  /// Whether a published key of the name in the header has signed.
  func isSigned(_ token: DecodedToken) async throws -> Bool {
    guard let key = try await keys().first(where: { $0["kid"] == token.header["kid"] }) else {
      return false
    }
    return try #require(SignatureVerifier(key)).accepts(
      token.signature, of: Array(token.signingInput.utf8))
  }

  func address(_ path: String) throws -> URL {
    try #require(URL(string: org.issuer.absoluteString + base + path))
  }
}

/// A signed token in its parts.
struct DecodedToken {
  let header: JSONValue
  let claims: JSONValue
  let signature: [UInt8]
  let signingInput: String

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]),
      let claims = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
      let headerJSON = try? JSONValue(parsing: header),
      let claimsJSON = try? JSONValue(parsing: claims)
    else { return nil }
    self.header = headerJSON
    self.claims = claimsJSON
    self.signature = signature
    signingInput = parts[0] + "." + parts[1]
  }
}
