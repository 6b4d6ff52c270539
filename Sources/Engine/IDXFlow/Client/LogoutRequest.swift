public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A sign-out from the server in a browser, which ends the person's session at the server.
///
/// It does not revoke tokens: ``/IDXOAuth/CredentialSession/signOut()`` does.
///
///     let logout = try LogoutRequest(of: credential, for: configuration)
///     let returned = try await open(logout.url)
///     try logout.check(returned)
///
/// A server stores the request, encoded, until the browser returns. The address and the encoded form contain
/// the ID token: protect them like it. Source: OpenID Connect RP-Initiated Logout, sections 2 and 3.
public struct LogoutRequest: Sendable, Hashable, Codable {
  /// The page to open in a browser.
  public let url: URL
  /// The address that the browser returns to; nil if it stays at the server.
  public let redirectURI: String?
  /// The `state` that the browser must bring back.
  public let state: Secret

  /// Creates a request that returns to the configuration's `logoutRedirectURI`, which must be registered
  /// for the app.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if the credential has no ID token or belongs to another app. `random`
  /// makes the `state`.
  public init(
    of credential: Credential, for configuration: FlowConfiguration, random: RandomBytes = .system
  ) throws {
    guard credential.id.app == configuration.app else {
      throw FlowError(
        .invalidConfiguration,
        "The credential belongs to the app \(credential.id.app), and the configuration to the app "
          + "\(configuration.app).")
    }
    guard let idToken = credential.tokens.idToken else {
      throw FlowError(
        .notSendable,
        "Without an ID token, the server does not know whose session to end. The scope openid asks for "
          + "one.")
    }
    state = Secret(random.token())
    redirectURI = configuration.logoutRedirectURI
    var parameters = [("id_token_hint", idToken.revealed)]
    if let redirectURI {
      parameters += [("post_logout_redirect_uri", redirectURI), ("state", state.revealed)]
    }
    let page = configuration.endpoints["logout"].absoluteString
    guard let url = URL(string: "\(page)?\(FormURLEncoding.encode(parameters))") else {
      throw FlowError(.invalidConfiguration, "The address of the logout page is not valid.")
    }
    self.url = url
  }

  /// Whether an address is the one that the browser returns to after this sign-out.
  ///
  /// A listener must ignore all other addresses, because any program or web page can request one.
  public func isReturn(_ address: URL) -> Bool {
    RedirectReturn.isAddress(address, redirectURI) && RedirectReturn.hasState(state, address)
  }

  /// Throws a ``/IDXOAuth/FlowError`` with the code `redirectMismatch` unless an address is the one that the
  /// browser returns to after this sign-out.
  public func check(_ address: URL) throws {
    guard isReturn(address) else {
      throw FlowError(
        .redirectMismatch,
        "This is not the address to which the browser returns after this sign-out. The person may still "
          + "be signed in at the server.")
    }
  }
}

// The address contains the ID token.
extension LogoutRequest: Redacted {
  /// The host and the path.
  public var description: String {
    "logout at \(url.host ?? "")\(url.path(percentEncoded: true))"
  }
}
