public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Checks, refreshes and revokes tokens, and asks the server about the person who signed in.
///
/// It keeps only the issuers' keys; ``CredentialSession`` keeps a credential in a store. Every call
/// throws a ``FlowError``, or `CancellationError` if the task is canceled.
public struct TokenClient: Sendable {
  let http: IssuerClient
  /// The proof that requests come from the app; nil for an app without a client secret.
  package let authentication: ClientAuthentication?
  let keys: KeySetCache
  let leeway: Int
  package let now: @Sendable () -> Date

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - authentication: The proof of an app with a client secret; nil for an app without one. A client for
  ///     sign-ins that uses this client authenticates too.
  ///   - leeway: The accepted difference between the clocks of the server and this computer in seconds, for
  ///     checks of ID tokens; 300 by default.
  ///   - now: This computer's clock, which a test can replace.
  ///   - random: Makes the IDs of proofs.
  ///   - makeKey: Makes the key of a sign-in whose tokens are bound to one; by default with the best protection of
  ///     the platform.
  public init(
    transport: any Transport, authentication: ClientAuthentication? = nil, leeway: Int = 300,
    now: @escaping @Sendable () -> Date = { Date() }, random: RandomBytes = .system,
    makeKey: @escaping @Sendable () throws -> DPoPKey = { try DPoPKey.make() }
  ) {
    http = IssuerClient(
      transport: transport, authentication: authentication, now: now,
      prover: DPoPProver(now: now, random: random, makeKey: makeKey))
    self.authentication = authentication
    keys = KeySetCache(http: http, now: now)
    self.leeway = leeway
    self.now = now
  }

  // MARK: Using a credential

  /// Gets new tokens with the refresh token.
  ///
  /// Save the result before anything else, because the old refresh token may no longer be valid. Throws
  /// ``FlowError/Code/signInNeeded`` if there is no refresh token or the server no longer accepts it. If the
  /// underlying error is an ``OAuthError``, it is the server that refused: then save
  /// ``Credential/refused(at:)``. If the new ID token fails a check, all new tokens are dropped. Source: RFC
  /// 6749, section 6.
  public func refresh(_ credential: Credential) async throws -> Credential {
    let renewal = try await renewal(of: credential)
    if let failure = renewal.failure { throw failure }
    return renewal.credential
  }

  /// Revokes a token; sends nothing if the credential does not have it.
  ///
  /// Revoking the refresh token also revokes its access tokens, but not the other way round. An ID token
  /// cannot be revoked. Source: RFC 7009.
  public func revoke(_ kind: TokenKind, of credential: Credential) async throws {
    guard kind != .id, let token = credential.tokens[kind] else { return }
    let request = TokenRequest(about: token, kind: kind, clientID: credential.id.clientID)
    try await http.revoke(request, of: credential.id.app, key: credential.tokens.key)
  }

  /// Asks the server whether it still accepts a token; false if the credential does not have it.
  ///
  /// Throws a ``FlowError`` if the server cannot be asked. Source: RFC 7662.
  public func isActive(_ kind: TokenKind, of credential: Credential) async throws -> Bool {
    guard credential.refusedAt == nil, let token = credential.tokens[kind] else { return false }
    let request = TokenRequest(about: token, kind: kind, clientID: credential.id.clientID)
    return try await http.introspect(request, of: credential.id.app)
  }

  /// Revokes tokens that nobody will have, even if the task is canceled; returns a sentence about it.
  package func revokeAll(_ tokens: Tokens, of app: AppIdentity) async -> String {
    let all = [TokenKind.refresh, .access].compactMap { kind in
      tokens[kind].map { (kind: kind, token: $0) }
    }
    return await http.revokeAll(all, of: app)
  }

  /// Asks the server for claims about the person.
  ///
  /// Throws ``FlowError/Code/signInNeeded`` if the server no longer accepts the access token,
  /// ``FlowError/Code/wrongKey`` if the key that it is bound to is not here, and ``FlowError/Code/notSendable`` if its
  /// type is neither `Bearer` nor `DPoP` (RFC 6749, section 7.1). Source: OpenID Connect Core, section 5.3.
  public func userInfo(_ credential: Credential) async throws -> UserInfo {
    try Self.checkNotRefused(credential)
    let claims: JSONValue
    do {
      claims = try await http.userInfo(credential.tokens, at: credential.id.issuer)
    } catch {
      throw Self.signInNeeded(
        "The access token is no longer valid.", ifRefusedWith: .invalidToken, error)
    }
    // Claims about another person may come from a swapped token (OpenID Connect Core, section 5.3.2).
    guard let info = UserInfo(claims: claims),
      credential.id.subject?.utf8.elementsEqual(info.subject.utf8) ?? true
    else {
      throw FlowError(.unexpectedResponse, "The server returned claims about somebody else.")
    }
    return info
  }

  // MARK: Finishing a sign-in

  /// Starts to fetch the issuer's keys in the background, so that they are there when tokens come.
  public func prefetchKeys(for configuration: FlowConfiguration) async {
    if configuration.requestsIDToken { await keys.prefetch(of: configuration.issuer) }
  }

  /// Waits for the issuer's keys; call it before you use a code that works only once.
  ///
  /// Throws if the keys may be available later. A refusal is ignored, because tokens without an ID token
  /// need no keys.
  public func awaitKeys(for configuration: FlowConfiguration) async throws {
    if configuration.requestsIDToken { try await awaitKeys(of: configuration.issuer) }
  }

  /// Checks tokens and creates a credential with them.
  ///
  /// The ID token must have the `nonce`, and its sign-in must not be older than `maximumAge` seconds;
  /// nil skips either check. `username` is used if the ID token contains none. Without the scope `openid`,
  /// there may be no ID token, and the credential has no subject. If a check fails, the tokens are
  /// revoked, and the `underlying` of the ``FlowError`` is an ``IDTokenError`` that names the check.
  /// Source: OpenID Connect Core, sections 3.1.3.3 and 3.1.3.7.
  public func credential(
    for tokens: Tokens, of configuration: FlowConfiguration, nonce: Secret?, maximumAge: Int?,
    username: String?
  ) async throws -> Credential {
    let receivedAt = now()
    let tokens = tokens.withScopes(askedFor: configuration.scopes)
    var expectation = IDTokenExpectation(
      issuer: configuration.issuer, clientID: configuration.clientID)
    expectation.nonce = nonce
    expectation.maximumAge = maximumAge
    let idToken: IDToken?
    do {
      idToken = try await validated(tokens, by: expectation)
      if idToken == nil, configuration.requestsIDToken {
        throw FlowError(
          .invalidToken,
          "The server sent no ID token, although the scope openid asks for one. So it is unknown who "
            + "signed in.")
      }
    } catch {
      tokens.key?.remove()
      guard let error = error as? FlowError else { throw error }
      throw error.adding(await revokeAll(tokens, of: configuration.app))
    }
    return Credential(
      id: Credential.ID(
        issuer: configuration.issuer, clientID: configuration.clientID, subject: idToken?.subject),
      username: idToken?.preferredUsername ?? username, tokens: tokens, receivedAt: receivedAt,
      authenticatedAt: idToken?.authenticatedAt, nonce: idToken?.nonce)
  }

  private func awaitKeys(of issuer: URL) async throws {
    do { _ = try await keys.keys(of: issuer) } catch let error as FlowError {
      if error.isTemporary { throw error }
    }
  }

  /// The checked ID token; nil if there is none.
  private func validated(
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

  static let refusal = FlowError(
    .signInNeeded, "The server no longer accepts the tokens. Sign in again.")

  private static func checkNotRefused(_ credential: Credential) throws {
    guard credential.refusedAt == nil else {
      throw refusal
    }
  }

  /// An error that asks for a new sign-in if the server refused with a certain code; otherwise the error
  /// itself.
  private static func signInNeeded(
    _ message: String, ifRefusedWith code: OAuthError.Code, _ error: any Error
  ) -> any Error {
    guard let error = error as? FlowError, let cause = error.underlying as? OAuthError,
      cause.code == code
    else { return error }
    return FlowError(
      .signInNeeded, "\(message) Sign in again. \(error.message)", status: error.status,
      requestID: error.requestID, underlying: cause)
  }
}

// MARK: - Refresh

extension TokenClient {
  /// The result of a refresh.
  struct Renewal {
    /// The credential to save, even after a failure.
    let credential: Credential
    /// Why the new ID token is not accepted at the moment; then only the refresh token is new.
    var failure: FlowError?
  }

  /// Gets new tokens with the refresh token.
  ///
  /// If the ID token cannot be accepted only because of the clock or the keys, the new refresh token is
  /// kept, because the server would refuse the old one and end all tokens of the sign-in.
  func renewal(of credential: Credential) async throws -> Renewal {
    try Self.checkNotRefused(credential)
    guard let refreshToken = credential.tokens.refreshToken else {
      throw FlowError(
        .signInNeeded,
        "There is no refresh token. Sign in again, with the scope offline_access to get one.")
    }
    try credential.tokens.checkKey()
    // Without keys, the new tokens could not be checked, and the old ones would be used up.
    if credential.tokens.idToken != nil { try await awaitKeys(of: credential.id.issuer) }
    let request = TokenRequest(refreshToken: refreshToken, clientID: credential.id.clientID)
    let response: Tokens
    do {
      response = try await http.refresh(
        request, of: credential.id.app, key: credential.tokens.key)
    } catch let error as FlowError
      where (error.underlying as? OAuthError)?.code == .invalidDPoPProof
      && credential.tokens.key == nil
    {
      throw Self.signInNeeded(
        "The app now requires tokens that are bound to a key (DPoP).",
        ifRefusedWith: .invalidDPoPProof, error)
    } catch {
      throw Self.signInNeeded("The session is over.", ifRefusedWith: .invalidGrant, error)
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
      var renewed = Credential(
        id: credential.id, username: credential.username, tokens: tokens, receivedAt: receivedAt,
        authenticatedAt: credential.authenticatedAt, nonce: credential.nonce)
      renewed.attachments = credential.attachments
      return renewed
    }
    do { _ = try await validated(response, by: expectation) } catch let error as FlowError {
      guard error.mayBeFollowedByValidToken else {
        throw error.adding(await revokeAll(response, of: credential.id.app))
      }
      let old = credential.tokens
      let kept = old.renewed(
        by: Tokens(
          accessToken: old.accessToken, tokenType: old.tokenType, expiresIn: old.expiresIn,
          refreshToken: response.refreshToken, key: old.key))
      return Renewal(credential: renewed(kept, credential.receivedAt), failure: error)
    }
    return Renewal(credential: renewed(tokens, receivedAt))
  }
}

extension FlowError {
  /// Whether the next refresh may bring a valid ID token, after the clock is set or the keys are fetched.
  fileprivate var mayBeFollowedByValidToken: Bool {
    if isTemporary { return true }
    guard let check = (underlying as? IDTokenError)?.code else { return false }
    return [.expired, .notYetValid, .issuedAt, .unknownKey].contains(check)
  }
}

// MARK: - Claims

/// Claims of the server about the person who signed in.
///
/// The scopes decide which claims there are: `profile`, `email`, `phone`, `address`. Source: OpenID
/// Connect Core, section 5.3.2.
public struct UserInfo: Sendable, Hashable {
  /// All claims, as an object.
  public let claims: JSONValue
  /// `sub`: the person's ID at the issuer.
  public let subject: String

  /// Reads claims; nil if they name nobody (`sub`).
  public init?(claims: JSONValue) {
    guard let subject = claims["sub"]?.string, !subject.isEmpty else { return nil }
    self.claims = claims
    self.subject = subject
  }

  /// `preferred_username`: the username.
  public var username: String? { claims["preferred_username"]?.string }
  /// `name`: the full name.
  public var name: String? { claims["name"]?.string }
  /// `email`: the email address.
  public var email: String? { claims["email"]?.string }
  /// `updated_at`: when the claims were last changed; nil if the server does not say that.
  public var updatedAt: Date? {
    claims["updated_at"]?.integer.map { Date(timeIntervalSince1970: TimeInterval($0)) }
  }
}

extension UserInfo: Redacted {
  /// The username or the person's ID.
  public var description: String { "claims about \((username ?? subject).printable)" }
}
