import IDX
public import IDXBase
public import IDXFlow
public import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Signs in on a page of the org, in the browser of the person: OAuth's authorization code with PKCE.
///
///     let client = BrowserClient(transport: transport)
///     let coordinator = FlowCoordinator(client: client, handlers: .showing(on: frontEnd))
///
/// Its only step is ``/IDX/Remediation/Name/signInPage``: a page, which the handlers of other pages open. The
/// address at which the browser returns must have the `state` of the sign-in, and the `iss` of the issuer if the server
/// says that it sends one. The app needs the grant type “Authorization Code” and a redirect URI. If the server requires
/// it, the parameters are pushed first. Requests, and the browser, go only to the issuer's origin. Source: RFC 6749,
/// section 4.1; RFC 7636; RFC 8252; RFC 9126; RFC 9207; OpenID Connect Core, section 3.1.
public struct BrowserClient: FlowClient, CookieClient {
  /// What the page must ask for, also if the browser has a session (`prompt`).
  ///
  /// Source: OpenID Connect Core, section 3.1.2.1.
  public struct Prompt: OpenSet {
    /// The value, such as `login`.
    public let rawValue: String
    /// Creates a value; several are separated by spaces.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// For nothing: without a session, the browser returns with the error `login_required`.
    public static let withoutAsking: Self = "none"
    /// For a new sign-in.
    public static let login: Self = "login"
    /// For consent to the scopes.
    public static let consent: Self = "consent"
    /// For one of several accounts.
    public static let selectAccount: Self = "select_account"
  }

  /// Sends the requests.
  public var http: IssuerClient
  private let prompt: Prompt?
  private let tokens: TokenClient
  private let random: RandomBytes

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - prompt: What the page must ask for; nil if the org decides.
  ///   - tokens: Exchanges the code for tokens and checks them, and says how the app authenticates; by default over the
  ///     same transport, for an app without a client secret.
  ///   - random: Makes the PKCE verifier, the `state` and the `nonce`.
  public init(
    transport: any Transport, prompt: Prompt? = nil, tokens: TokenClient? = nil,
    random: RandomBytes = .system
  ) {
    let tokens = tokens ?? TokenClient(transport: transport)
    self.init(
      http: IssuerClient(transport: transport, tokens: tokens), prompt: prompt, tokens: tokens,
      random: random)
  }

  private init(http: IssuerClient, prompt: Prompt?, tokens: TokenClient, random: RandomBytes) {
    self.http = http
    self.prompt = prompt
    self.tokens = tokens
    self.random = random
  }

  /// Starts a sign-in: asks the server for its endpoints, and pushes the parameters if it requires that.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `invalidConfiguration` without a redirect URI, for a recovery token
  /// or an activation token, which a page cannot take, and if the server says that it is another issuer; with
  /// `notOffered` if it has no authorization endpoint; and with `hrefRefused` if that is at another origin.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    guard options.recoveryToken == nil, options.activationToken == nil else {
      throw FlowError(
        .invalidConfiguration,
        "A sign-in in a browser does not support recovery tokens or activation tokens.")
    }
    _ = try configuration.requiredRedirectURI
    return try await keepingCookies(options.cookies(for: configuration)) { client in
      let request = try AuthorizationRequest(
        try await client.http.metadata(of: configuration), options, prompt)
      await tokens.prefetchKeys(for: configuration)
      return try await client.page(for: request, of: configuration, options.maximumAge)
    }
  }

  /// Asks the authorization endpoint with `prompt=none` whether it accepts the client ID and the redirect URI of the app.
  ///
  /// Nobody is signed in. Returns false if it shows a page all the same, which says nothing about the app. Throws what the
  /// server refuses, such as an unknown client.
  package func isAppAccepted(_ configuration: FlowConfiguration) async throws -> Bool {
    let client = BrowserClient(http: http, prompt: .withoutAsking, tokens: tokens, random: random)
    let state = try await client.start(configuration, StartOptions())
    guard let page = state.response.remediations.first?.page else { return false }
    switch try await HostedNavigation(http: http, configuration: configuration).open(page) {
    case .redirectURI(let url):
      guard let refusal = RedirectReturn.refusal(in: url, of: state) else {
        _ = try RedirectReturn(url, of: state)
        return true
      }
      // These come after the app was accepted (OpenID Connect Core, section 3.1.2.6).
      let aboutThePerson: [OAuthError.Code] = [
        .loginRequired, .consentRequired, .interactionRequired, "account_selection_required",
      ]
      guard aboutThePerson.contains(refusal.code) else {
        throw FlowError(.refused, refusal.description, underlying: refusal)
      }
      // Some servers name themselves only with a code.
      let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
      guard state.isReturn(url) || !items.contains(where: { $0.name == "iss" }) else {
        throw FlowError(.unexpectedResponse, "The server returned as another issuer.")
      }
      return true
    case .page(let response, _):
      guard (300..<500).contains(response.status), response.status != 429,
        http.refusal(in: response) == nil
      else {
        if response.status < 300 { return false }
        throw http.failure(of: response)
      }
      // Without the status, which could mean that there is no authorization server.
      throw FlowError(
        .refused,
        "In place of its sign-in page, the server shows one with the status \(response.status). It may not know the client "
          + "ID or the redirect URI.", requestID: response.requestID)
    }
  }

  /// Starts the sign-in again, with a new page, for the action `cancel`; there are no forms.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .browser)
    guard submission.remediation.name == .cancel,
      let request = AuthorizationRequest(state.clientState)
    else { throw state.notOffered(submission.remediation.name) }
    request.key?.remove()
    return try await keepingCookies(of: state) { client in
      try await client.page(for: request, of: state.configuration, state.maximumAge)
    }
  }

  /// Returns the state unchanged, because only the browser knows more.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .browser)
    return state
  }

  /// Continues with the code that the browser has brought back, to a state that can be redeemed.
  public func resume(_ returned: RedirectReturn, from state: FlowState) async throws -> FlowState {
    try state.check(for: .browser)
    guard case .authorizationCode(let code) = returned else { throw RedirectReturn.wrongKind }
    return state.advanced(
      to: state.response, status: state.status, requestID: state.requestID, success: .code(code),
      clientState: state.clientState)
  }

  /// Exchanges the code for tokens and checks them.
  ///
  /// The code works once: if the response is lost, the person has to sign in again.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .browser)
    guard case .code(let code)? = state.success else { throw state.notOffered(.issue) }
    return try await redeem(
      code, of: state, key: AuthorizationRequest(state.clientState)?.key, username: username,
      with: tokens)
  }

  /// The state that offers the page of an authorization request.
  private func page(
    for request: AuthorizationRequest, of configuration: FlowConfiguration, _ maximumAge: Int?
  ) async throws -> FlowState {
    // It makes the secrets of the request.
    let state = try FlowState(
      signInProtocol: .browser, configuration: configuration, draft: IDXResponse.Draft(),
      clientState: request.json, maximumAge: maximumAge, random: random)
    var request = request
    let page = try await request.page(for: state, over: http).absoluteString
    var draft = IDXResponse.Draft()
    draft.remediations = [
      Remediation.Draft(.signInPage, page: page)
    ]
    draft.actions = [Remediation.Draft(.cancel, href: request.endpoint)]
    return try state.advanced(to: draft, clientState: request.json)
  }
}

extension IssuerClient {
  /// What the server of a configuration says about itself; throws if it says that it is another issuer (RFC 8414,
  /// section 3.3).
  func metadata(of configuration: FlowConfiguration) async throws -> ServerMetadata {
    let metadata = try await metadata(of: configuration.issuer)
    guard configuration.isIssuer(metadata.issuer) else {
      throw FlowError(
        .invalidConfiguration,
        "The server at \(configuration.issuer) says that its issuer is "
          + "\(metadata.issuer.shortened(to: 300)). Use that one if you trust it.")
    }
    guard !configuration.requestsIDToken || metadata.publishesKeys else {
      throw FlowError(
        .invalidConfiguration,
        "The server at \(configuration.issuer) does not say where its keys are (jwks_uri), so its ID tokens cannot be "
          + "checked.")
    }
    if let place = metadata.foreignEndpoint(of: configuration.issuer) {
      throw FlowError(
        .invalidConfiguration,
        "The server at \(configuration.issuer) has an endpoint at \(place), which is another origin. Such servers are "
          + "not supported.")
    }
    return metadata
  }
}
