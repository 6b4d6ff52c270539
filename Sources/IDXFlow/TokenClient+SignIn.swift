public import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What the clients that sign in need of it: the keys in time, and the credential that tokens make.
extension TokenClient {
  /// Starts to fetch the issuer's keys, so that they are there when the person has typed everything.
  public func prefetchKeys(for configuration: FlowConfiguration) async {
    if configuration.asksForIDToken { await keys.prefetch(of: configuration.issuer) }
  }

  /// Waits for the issuer's keys before a code is spent that works once.
  ///
  /// A server that refuses to give keys may have no use for them.
  public func awaitKeys(for configuration: FlowConfiguration) async throws {
    if configuration.asksForIDToken { try await awaitKeys(of: configuration.issuer) }
  }

  /// Waits for the keys of an issuer; an error where they may be had later.
  func awaitKeys(of issuer: URL) async throws {
    do { _ = try await keys.keys(of: issuer) } catch let error as FlowError {
      if [.network, .serverFailed, .rateLimited].contains(error.code) { throw error }
    }
  }

  /// The credential that tokens make once they have passed every check.
  ///
  /// `nonce` is what the ID token must carry and `maximumAge` how old its sign-in may be, in seconds;
  /// nil for either where the protocol has no such thing. `username` is what the person is called where
  /// the ID token does not say. Throws a ``FlowError`` whose `underlying` is an `IDTokenError` that
  /// names the check. Source: OpenID Connect Core, section 3.1.3.7.
  public func credential(
    for tokens: Tokens, of configuration: FlowConfiguration, nonce: Secret?, maximumAge: Int?,
    username: String?
  ) async throws -> Credential {
    let receivedAt = now()
    var expectation = IDTokenExpectation(
      issuer: configuration.issuer, clientID: configuration.clientID)
    expectation.nonce = nonce
    expectation.maximumAge = maximumAge
    let idToken = try await validated(tokens, by: expectation)
    if idToken == nil, requiresIDToken, configuration.asksForIDToken {
      throw FlowError(
        .invalidToken, "The server sent no ID token, so who signed in is not known.")
    }
    return Credential(
      id: Credential.ID(
        issuer: configuration.issuer, clientID: configuration.clientID, subject: idToken?.subject),
      username: idToken?.preferredUsername ?? username, tokens: tokens, receivedAt: receivedAt,
      authenticatedAt: idToken?.authenticatedAt, nonce: idToken?.nonce)
  }

  /// The ID token among the tokens once it has passed every check; nil where there is none.
  func validated(
    _ tokens: Tokens, by expectation: IDTokenExpectation
  ) async throws -> IDToken? {
    guard let token = tokens.idToken else { return nil }
    var expectation = expectation
    expectation.accessToken = tokens.accessToken
    expectation.deviceSecret = tokens.deviceSecret
    expectation.leeway = leeway
    do {
      let keys = try await keys.keys(of: expectation.issuer, for: try JWT(parsing: token))
      return try IDToken(validating: token, by: expectation, keys: keys, at: now())
    } catch let error as IDTokenError {
      throw FlowError(
        .invalidToken, "The ID token was refused. \(error)", underlying: error)
    }
  }
}
