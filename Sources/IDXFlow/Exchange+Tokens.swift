import IDX
import OAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Requests about tokens, after a sign-in or beside it. Source: protocol section 6.1.
extension Exchange {
  /// The keys by which an issuer signs.
  func keys(of issuer: URL) async throws -> JSONWebKeySet {
    let url = try OAuthEndpoints(checking: issuer)["keys"]
    let response = try await get(url)
    guard response.status == 200 else { throw failure(of: response, from: url) }
    do { return try JSONWebKeySet(parsing: response.body) } catch {
      throw failure(of: response, from: url, because: error)
    }
  }

  /// New tokens for a refresh token.
  func refresh(_ request: TokenRequest, at issuer: URL) async throws -> Tokens {
    let url = try OAuthEndpoints(checking: issuer)["token"]
    return try tokens(from: try await post(request.body, to: url), of: url, for: nil)
  }

  /// Makes a token worthless.
  func revoke(_ request: TokenRequest, at issuer: URL) async throws {
    let url = try OAuthEndpoints(checking: issuer)["revoke"]
    let response = try await post(request.body, to: url)
    guard response.status == 200 else { throw failure(of: response, from: url) }
  }

  /// What the server tells of the bearer of an access token.
  func userInfo(_ token: Secret, at issuer: URL) async throws -> JSON {
    let url = try OAuthEndpoints(checking: issuer)["userinfo"]
    let response = try await get(url, ["Authorization": "Bearer \(token.revealed)"])
    guard response.status == 200 else { throw failure(of: response, from: url) }
    let claims: JSON
    do { claims = try JSON(parsing: response.body) } catch {
      throw failure(of: response, from: url, because: error)
    }
    guard claims.object != nil else { throw failure(of: response, from: url) }
    return claims
  }

  private func get(_ url: URL, _ headers: [String: String] = [:]) async throws -> HTTPResponse {
    try await send(
      HTTPRequest(url: url, headers: headers.merging(["Accept": "application/json"]) { $1 }))
  }
}
