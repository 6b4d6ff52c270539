public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What can be done with tokens once there are any: check, refresh and revoke them, and ask who they
/// stand for.
///
/// It keeps the issuers' keys and nothing else; ``CredentialSession`` keeps a credential in a store.
/// Every call throws a ``FlowError``, or `CancellationError` where the task was cancelled. Source:
/// protocol section 6.
public struct TokenClient: Sendable {
  let exchange: Exchange
  let keys: KeyRing
  let leeway: Int
  let requiresIDToken: Bool
  let now: @Sendable () -> Date

  /// A client that reaches the server through a transport.
  ///
  /// `leeway` is by how many seconds this machine's clock and the server's may differ when ID tokens
  /// are checked. With `requiresIDToken`, tokens without an ID token are refused where `openid` was
  /// asked for; otherwise the credential then has no subject, since nobody has vouched for one.
  public init(
    transport: any Transport, leeway: Int = 300, requiresIDToken: Bool = false,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    exchange = Exchange(transport: transport)
    keys = KeyRing(exchange: exchange, now: now)
    self.leeway = leeway
    self.requiresIDToken = requiresIDToken
    self.now = now
  }

  /// New tokens for those of a credential.
  ///
  /// Save what it returns before anything else: the old refresh token may be worthless from now on.
  /// Throws ``FlowError/Code/signInNeeded`` where there is no refresh token, or where the server takes
  /// it no more. Where the new ID token fails a check, all that came with it is dropped.
  public func refresh(_ credential: Credential) async throws -> Credential {
    let renewal = try await renewal(of: credential)
    if let failure = renewal.failure { throw failure }
    return renewal.credential
  }

  /// Makes a token of a credential worthless; nothing is sent where there is no such token.
  ///
  /// With the refresh token its access tokens go too, not the other way round. An ID token cannot be
  /// revoked: it ends by itself.
  public func revoke(_ kind: TokenKind, of credential: Credential) async throws {
    guard kind != .id, let token = credential.tokens[kind] else { return }
    let request = TokenRequest(revoking: token, kind: kind, clientID: credential.id.clientID)
    try await exchange.revoke(request, at: credential.id.issuer)
  }

  /// What the server tells of the person.
  ///
  /// Throws ``FlowError/Code/signInNeeded`` where it takes the access token no more, and
  /// ``FlowError/Code/notSendable`` where that is of another type than `Bearer` (RFC 6749, section
  /// 7.1).
  public func userInfo(_ credential: Credential) async throws -> UserInfo {
    let type = credential.tokens.tokenType
    guard type.lowercased() == "bearer" else {
      throw FlowError(
        .notSendable,
        "The access token is of the type \(type.printable), and only Bearer tokens can be sent.")
    }
    let claims: JSONValue
    do {
      claims = try await exchange.userInfo(
        credential.tokens.accessToken, at: credential.id.issuer)
    } catch { throw Self.refusal(of: .invalidToken, error, "The access token stands no more.") }
    // Section 5.3.2: claims of somebody else may be a token that was put in the place of another.
    guard let info = UserInfo(claims: claims),
      credential.id.subject?.utf8.elementsEqual(info.subject.utf8) ?? true
    else {
      throw FlowError(
        .unexpectedResponse, "The server told of somebody else than who is signed in.")
    }
    return info
  }

  /// The page that ends the person's session with the server, for a browser.
  ///
  /// Nil where there is no ID token, which the page asks for and which the address therefore holds:
  /// treat it like the token; nil also where the issuer is none that can be signed in to. The browser
  /// then goes to `returningTo`, which must be registered for the app, with the `state`. Source: OpenID
  /// Connect RP-Initiated Logout, section 2.
  public func logoutURL(
    of credential: Credential, returningTo address: String? = nil, state: Secret? = nil
  ) -> URL? {
    guard let idToken = credential.tokens.idToken,
      let page = try? OAuthEndpoints(checking: credential.id.issuer)["logout"]
    else { return nil }
    var parameters = [("id_token_hint", idToken.revealed)]
    if let address { parameters.append(("post_logout_redirect_uri", address)) }
    if let state { parameters.append(("state", state.revealed)) }
    return URL(string: page.absoluteString + "?" + FormURLEncoding.encode(parameters))
  }
}

extension TokenClient {
  /// The error for a refusal by which the server says that the session or the token is over.
  static func refusal(
    of code: OAuthError.Code, _ error: any Error, _ message: String
  ) -> any Error {
    guard let error = error as? FlowError, let cause = error.underlying as? OAuthError,
      cause.code == code
    else { return error }
    return FlowError(
      .signInNeeded, "\(message) Sign in again. \(error.message)", status: error.status,
      requestID: error.requestID, underlying: cause)
  }
}

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
    do {
      response = try await exchange.redeem(
        request, at: try OAuthEndpoints(checking: credential.id.issuer)["token"])
    } catch {
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
