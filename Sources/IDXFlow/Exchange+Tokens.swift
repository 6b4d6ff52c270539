import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

// Requests about tokens, after a sign-in or beside it. Source: protocol section 6.1.
extension Exchange {
  /// The keys by which an issuer signs.
  func keys(of issuer: URL) async throws -> JSONWebKeySet {
    let url = try OAuthEndpoints(checking: issuer)["keys"]
    let answer = try await get(url)
    guard answer.response.status == 200 else { throw failure(of: answer) }
    do { return try JSONWebKeySet(parsing: answer.response.body) } catch {
      throw failure(of: answer, because: error)
    }
  }

  /// New tokens for a refresh token.
  func refresh(_ request: TokenRequest, at issuer: URL) async throws -> Tokens {
    let url = try OAuthEndpoints(checking: issuer)["token"]
    return try tokens(from: try await post(request.body, to: url), for: nil)
  }

  /// Makes a token worthless.
  func revoke(_ request: TokenRequest, at issuer: URL) async throws {
    let url = try OAuthEndpoints(checking: issuer)["revoke"]
    let answer = try await post(request.body, to: url)
    guard answer.response.status == 200 else { throw failure(of: answer) }
  }

  /// What the server tells of the bearer of an access token.
  func userInfo(_ token: Secret, at issuer: URL) async throws -> JSONValue {
    let url = try OAuthEndpoints(checking: issuer)["userinfo"]
    let answer = try await get(url, ["Authorization": "Bearer \(token.revealed)"])
    guard answer.response.status == 200 else { throw failure(of: answer) }
    let claims: JSONValue
    do { claims = try JSONValue(parsing: answer.response.body) } catch {
      throw failure(of: answer, because: error)
    }
    guard claims.object != nil else { throw failure(of: answer) }
    return claims
  }

  /// Gets what is at an address.
  package func get(_ url: URL, _ headers: [String: String] = [:]) async throws -> Answer {
    try await send(
      TransportRequest(url: url, headers: ["Accept": "application/json"].merging(headers) { $1 }))
  }
}
