import IDX
public import IDXBase
public import IDXFlow
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs in with the steps of the org's own sign-in page, without a browser.
///
/// An app needs only the grant type “Authorization Code” and a redirect URI, as for ``BrowserClient``, and no embedded
/// sign-in: the page of an org with Identity Engine contains a token, and from there the steps are those of
/// ``/IDXFlow/IDXClient``. The same policy of the app applies as in a browser.
///
///     let client = HostedClient(transport: transport)
///     let coordinator = FlowCoordinator(client: client, handlers: .showing(on: frontEnd))
///
/// - Important: Okta documents the page nowhere and the steps only through its SDKs, so a change of the page can break
///   this sign-in. An administrator may not want that passwords are typed elsewhere than on the page of the org: use it
///   for an app of your own organization, with its consent.
///
/// If the page needs a browser, such as for another identity provider, the error has the code
/// ``/IDXOAuth/FlowError/Code/browserNeeded``. Requests go only to the issuer's origin, and no redirect is followed to
/// another one. Source: RFC 6749, section 4.1; RFC 7636; RFC 9126; RFC 9207.
public struct HostedClient: FlowClient, CookieClient {
  /// What a sign-in ends with.
  public enum End: Sendable, Hashable {
    /// Tokens for an app that uses OpenID Connect; this is the default.
    case tokens
    /// A SAML response for the app with this address: `https://{org}/app/{name}/{id}/sso/saml`, or the link of the app
    /// on the dashboard, `https://{org}/home/{name}/{id}/{number}`.
    ///
    /// The sign-in ends in a state without tokens (``/IDXFlow/Outcome/ended(_:)``), and
    /// ``HostedClient/samlResponse(of:)`` returns the response. The client ID of the configuration is not sent, and no
    /// redirect URI is needed.
    case saml(URL)
  }

  /// Sends the requests.
  public var http: IssuerClient
  private let end: End
  private let prompt: BrowserClient.Prompt?
  private let tokens: TokenClient
  private let random: RandomBytes

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - end: What the sign-in ends with; tokens by default.
  ///   - prompt: What the page must ask for; nil if the org decides.
  ///   - tokens: Exchanges the code for tokens and checks them, and says how the app authenticates; by default over the
  ///     same transport, for an app without a client secret.
  ///   - random: Makes the PKCE verifier, the `state` and the `nonce`.
  public init(
    transport: any Transport, endingWith end: End = .tokens, prompt: BrowserClient.Prompt? = nil,
    tokens: TokenClient? = nil, random: RandomBytes = .system
  ) {
    let tokens = tokens ?? TokenClient(transport: transport)
    http = IssuerClient(transport: transport, tokens: tokens)
    self.end = end
    self.prompt = prompt
    self.tokens = tokens
    self.random = random
  }

  /// The message of a sign-in that ends without tokens.
  fileprivate static let signedIn = "You are signed in."

  private var sender: IDXSender { IDXSender(http: http) }

  /// Starts a sign-in: asks the server for its endpoints, opens the page, and asks for the first step.
  ///
  /// A person who has a session at the org (``/IDXFlow/StartOptions/cookies``) is signed in at once. Throws a
  /// ``/IDXOAuth/FlowError`` with the code `invalidConfiguration` without a redirect URI, and for a recovery token or an
  /// activation token, which a page cannot take; with `browserNeeded` if the page has no token or leads elsewhere; and
  /// the errors of ``BrowserClient/start(_:_:)``.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    guard options.recoveryToken == nil, options.activationToken == nil else {
      throw FlowError(
        .invalidConfiguration,
        "A sign-in with the page of the org does not support recovery tokens or activation tokens.")
    }
    if case .saml(let app) = end { return try await start(at: app, of: configuration, options) }
    _ = try configuration.requiredRedirectURI
    // It makes the secrets of the request.
    let state = try FlowState(
      signInProtocol: .hosted, configuration: configuration, draft: IDXResponse.Draft(),
      maximumAge: options.maximumAge, random: random)
    let cookies = options.cookies(for: configuration)
    let first = try await keepingCookies(cookies, nonce: state.nonce) { client in
      var request = try AuthorizationRequest(
        try await client.http.metadata(of: configuration), options, prompt)
      await tokens.prefetchKeys(for: configuration)
      let page = try await request.page(for: state, over: client.http)
      return try await client.firstStep(
        at: page,
        of: state.advanced(to: state.response, clientState: request.json))
    }
    // The org may ask for nothing.
    return try await finishing(first)
  }

  /// Answers a form of the state's response.
  ///
  /// The answers are checked before they are sent. A refusal by the server, such as a wrong code, is a new state with
  /// messages. If the response is lost, the server is asked for the current state, and nothing is sent twice.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .hosted)
    let next = try await confirming(submission.remediation, from: state) {
      try await keepingCookies(of: state) { client in
        state.hosted(
          try await client.sender.answer(submission, from: state) {
            try await client.introspect(state)
          })
      }
    }
    return try await finishing(next)
  }

  /// Asks the server for the current state by `introspect`, which changes nothing there.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .hosted)
    return try await keepingCookies(of: state) { client in
      state.hosted(try await client.introspect(state))
    }
  }

  /// Continues after a browser returned from a page of another identity provider: with the code that it brought, or at
  /// the step where the org is now.
  public func resume(_ returned: RedirectReturn, from state: FlowState) async throws -> FlowState {
    try state.check(for: .hosted)
    switch returned {
    case .authorizationCode(let code): return state.keeping(.code(code))
    case .interactionRequired: return try await finishing(try await refresh(state))
    case .oneTimePassword(let code):
      return try await proceed(withCodeOfEmail: code, from: state)
    case .interactionCode: throw RedirectReturn.wrongKind
    }
  }

  /// Exchanges the code for tokens and checks them.
  ///
  /// The code works once: if the response is lost, the person has to sign in again.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .hosted)
    let code: Secret
    switch state.success {
    case .code(let known)?: code = known
    case .redirect(let address)?:
      code = try await sending(cookiesOf: state).code(at: address, of: state)
    default: throw state.notOffered(.issue)
    }
    return try await redeem(
      code, of: state, key: AuthorizationRequest(state.clientState)?.key,
      username: username ?? state.response.user?.identifier, with: tokens)
  }
}

// MARK: - The page

extension HostedClient {
  /// The first step of the page at an address, or the end if the person has a session.
  private func firstStep(at url: URL, of state: FlowState) async throws -> FlowState {
    let navigation = HostedNavigation(http: http, configuration: state.configuration)
    switch try await navigation.open(url) {
    case .redirectURI(let address):
      try RedirectReturn.checkRefusal(in: address, of: state)
      return try await resume(try RedirectReturn(address, of: state), from: state)
    case .page(let response, let address):
      let page = HostedPage(response.status < 300 ? response.body : [])
      if state.samlAddress != nil, try hasSAMLResponse(page, response.body, at: address) {
        return try state.advanced(
          to: IDXResponse.Draft(messages: [IDXMessage.Draft(Self.signedIn, kind: .info)]),
          clientState: state.clientState)
      }
      guard !page.stateTokens.isEmpty else { throw navigation.failure(of: response, page) }
      return state.hosted(try await introspect(page.stateTokens, of: state.configuration))
    }
  }

  /// Whether a page has a SAML response; throws if it has only one that cannot be used.
  private func hasSAMLResponse(_ page: HostedPage, _ body: [UInt8], at url: URL) throws -> Bool {
    do { return try SAMLResponse.find(in: body, at: url) != nil } catch {
      guard !page.stateTokens.isEmpty else { throw error }
      return false
    }
  }

  /// The step of the first token that the server accepts; the other ones of a page are old, or for something else.
  private func introspect(
    _ stateTokens: [Secret], of configuration: FlowConfiguration
  ) async throws -> IDXSender.Received {
    for token in stateTokens {
      let received = try await sender.introspect("stateToken", token, of: configuration)
      if !received.response.isTerminal || !received.response.isExpired { return received }
    }
    throw FlowError(
      .browserNeeded,
      "The org does not accept what its sign-in page contains: the page may be for another sign-in, or too old."
    )
  }

  private func introspect(_ state: FlowState) async throws -> IDXSender.Received {
    guard let handle = state.hostedHandle else { throw state.notOffered(.identify) }
    return try await sender.introspect("stateHandle", handle, of: state.configuration)
  }

  // MARK: The end

  /// Follows the address of a success to the code.
  ///
  /// If no response came, the state keeps the address, which ``redeem(_:username:)`` follows then.
  private func finishing(_ state: FlowState) async throws -> FlowState {
    guard case .redirect(let address)? = state.success else { return state }
    do {
      return try await keepingCookies(of: state) { client in
        state.keeping(.code(try await client.code(at: address, of: state)))
      }
    } catch let error as FlowError where error.isTemporary { return state }
  }

  /// The code to which the address of a success leads.
  private func code(at address: Secret, of state: FlowState) async throws -> Secret {
    let name = Remediation.Name.successRedirect.rawValue
    let navigation = HostedNavigation(http: http, configuration: state.configuration)
    let url = try http.address(address.revealed, for: name, within: state.configuration)
    switch try await navigation.open(url, stepName: name) {
    case .redirectURI(let returned):
      try RedirectReturn.checkRefusal(in: returned, of: state)
      guard case .authorizationCode(let code) = try RedirectReturn(returned, of: state) else {
        throw RedirectReturn.wrongKind
      }
      return code
    case .page(let response, _):
      guard response.status < 300 else { throw http.failure(of: response, stepName: name) }
      throw FlowError(
        .browserNeeded,
        "You have answered everything, and then the org shows a page that needs a browser.",
        stepName: name, status: response.status, requestID: response.requestID)
    }
  }
}

// MARK: - The session

extension HostedClient {
  /// Ends the session that the org began with a sign-in, by its cookies.
  ///
  /// Tokens stay valid. Returns whether the org has ended it, or knows none; false if it cannot be asked. Source: Okta's
  /// Sessions API, `DELETE /api/v1/sessions/me`.
  @discardableResult
  public func endSession(of state: FlowState) async -> Bool {
    await endSession(state.cookies, of: state.configuration)
  }

  /// Ends the session of cookies that were kept (``/IDXFlow/FlowState/cookies``); returns the same.
  @discardableResult
  public func endSession(_ cookies: CookieJar, of configuration: FlowConfiguration) async -> Bool {
    let keeper = CookieKeeper(cookies, now: http.now)
    guard let url = try? configuration.endpoint("/api/v1/sessions/me"),
      let response = try? await http.keeping(keeper).delete(url)
    else { return false }
    return response.status < 300 || response.status == 404
  }
}

// MARK: - SAML

extension HostedClient {
  /// The SAML response at the end of a sign-in, by a request to the org with the sign-in's cookies; the state gets those of
  /// the session that the org begins.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `notOffered` before the end, and for a sign-in that ends with tokens;
  /// with `browserNeeded` if the org shows another page; and the errors of ``SAMLResponse``.
  public func samlResponse(of state: inout FlowState) async throws -> SAMLResponse {
    try state.check(for: .hosted)
    guard let address = state.samlAddress, state.endsSuccessfully else {
      throw state.notOffered(.successRedirect)
    }
    let name = Remediation.Name.successRedirect.rawValue
    let url = try http.address(address, for: name, within: state.configuration)
    var landing: HostedLanding?
    state = try await keepingCookies(of: state) { [state] client in
      landing = try await HostedNavigation(http: client.http, configuration: state.configuration)
        .open(url, stepName: name)
      return state
    }
    switch landing {
    case .redirectURI, nil: throw RedirectReturn.wrongKind
    case .page(let response, let place):
      guard response.status < 300 else { throw http.failure(of: response, stepName: name) }
      guard HostedPage(response.body).stateTokens.isEmpty else {
        throw FlowError(
          .browserNeeded, "The org asks for another sign-in before it gives the SAML response.",
          stepName: name, status: response.status, requestID: response.requestID)
      }
      return try SAMLResponse(page: response.body, at: place)
    }
  }

  /// Starts a sign-in at the address of an app with SAML.
  private func start(
    at app: URL, of configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    try await keepingCookies(options.cookies(for: configuration)) { client in
      let url = try client.http.address(
        app.absoluteString, for: Remediation.Name.signInPage.rawValue, within: configuration)
      let state = try FlowState(
        signInProtocol: .hosted, configuration: configuration, draft: IDXResponse.Draft(),
        clientState: [FlowState.samlName: .string(url.absoluteString)],
        maximumAge: options.maximumAge, random: random)
      return try await client.firstStep(at: url, of: state)
    }
  }
}

// MARK: - States

extension FlowState {
  /// The member of ``clientState`` with the last handle, because a refusal can come without one.
  private static let handleName = "state_handle"
  /// The member of ``clientState`` with the address that leads to a SAML response; only sign-ins to an app with SAML
  /// have it.
  fileprivate static let samlName = "saml_address"

  /// The address of the app, and at the end the one that the org gave.
  fileprivate var samlAddress: String? { clientState?[Self.samlName]?.string }

  fileprivate var hostedHandle: Secret? {
    response.stateHandle ?? clientState?[Self.handleName]?.string.map { Secret($0) }
  }

  /// The same sign-in after a response, whose `success` is its end.
  fileprivate func hosted(_ received: IDXSender.Received) -> FlowState {
    let handle = received.response.stateHandle ?? hostedHandle
    let state = (clientState ?? [:]).adding(
      Self.handleName, handle.map { .string($0.revealed) })
    let redirect = received.response.successRedirect
    guard samlAddress != nil else {
      return advanced(
        to: received, success: redirect.map(Success.redirect), clientState: state)
    }
    // There is nothing to exchange for tokens.
    guard let redirect else { return advanced(to: received, clientState: state) }
    return advanced(
      to: received.response.adding(.info, HostedClient.signedIn), status: received.status,
      requestID: received.requestID,
      clientState: state.adding(Self.samlName, .string(redirect.revealed)))
  }

  fileprivate func keeping(_ success: Success) -> FlowState {
    advanced(
      to: response, status: status, requestID: requestID, success: success,
      clientState: clientState)
  }
}
