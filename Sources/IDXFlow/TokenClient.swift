import IDX
public import IDXOAuth

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
