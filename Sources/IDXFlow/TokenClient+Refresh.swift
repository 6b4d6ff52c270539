import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What a refresh leads to, also where its ID token cannot be accepted just now.
extension TokenClient {
  /// What came of a refresh.
  struct Renewal {
    /// What is to be saved in any case.
    let credential: Credential
    /// Why the ID token could not be accepted just now; the credential then has nothing new but the
    /// refresh token.
    var failure: FlowError?
  }

  /// Refreshes, and keeps the session alive where only the clock or the keys are in the way: the old
  /// refresh token is spent, and the next try with it would end the session.
  func renewal(of credential: Credential) async throws -> Renewal {
    guard let refreshToken = credential.tokens.refreshToken else {
      throw FlowError(
        .signInNeeded,
        "There is no refresh token. Sign in again; with the scope offline_access there will be one."
      )
    }
    // Without keys the new tokens could not be checked, and the old ones would be spent.
    if credential.tokens.idToken != nil { try await awaitKeys(of: credential.id.issuer) }
    let request = TokenRequest(refreshToken: refreshToken, clientID: credential.id.clientID)
    let response: Tokens
    do { response = try await exchange.refresh(request, at: credential.id.issuer) } catch {
      throw Self.refusal(of: .invalidGrant, error, "The session is over.")
    }
    let receivedAt = now()
    let tokens = credential.tokens.renewed(by: response)
    var expectation = IDTokenExpectation(
      issuer: credential.id.issuer, clientID: credential.id.clientID)
    expectation.nonce = credential.nonce
    expectation.mayOmitNonce = true
    expectation.subject = credential.id.subject
    expectation.authenticatedAt = credential.authenticatedAt
    func renewed(_ tokens: Tokens, _ receivedAt: Date) -> Credential {
      Credential(
        id: credential.id, username: credential.username, tokens: tokens, receivedAt: receivedAt,
        authenticatedAt: credential.authenticatedAt, nonce: credential.nonce)
    }
    do { _ = try await validated(response, by: expectation) } catch let error as FlowError
      where error.mayPass
    {
      let old = credential.tokens
      let kept = old.renewed(
        by: Tokens(
          accessToken: old.accessToken, tokenType: old.tokenType, expiresIn: old.expiresIn,
          refreshToken: response.refreshToken))
      return Renewal(credential: renewed(kept, credential.receivedAt), failure: error)
    }
    return Renewal(credential: renewed(tokens, receivedAt))
  }
}

extension FlowError {
  /// Whether an ID token that was refused so may be followed by one that is not: the clock may be set
  /// right, and the keys may be had again.
  fileprivate var mayPass: Bool {
    if [.network, .serverFailed, .rateLimited].contains(code) { return true }
    guard let check = (underlying as? IDTokenError)?.code else { return false }
    return [.expired, .notYetValid, .issuedAt, .unknownKey].contains(check)
  }
}
