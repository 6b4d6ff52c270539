import IDX
public import IDXBase
public import IDXFlow
public import IDXOAuth

/// Signs in with Okta's DirectAuth: OAuth grants for a password, a one-time code, a push, a code by
/// phone or email, and a passkey, without a browser.
///
///     let client = DirectAuthClient(transport: transport)
///     let coordinator = FlowCoordinator(client: client, handlers: .showing(on: frontEnd))
///
/// Its steps have the names of Identity Engine (`identify`, `select-authenticator-authenticate`,
/// `challenge-authenticator` and `challenge-poll`), so the same handlers and front-ends work with it. The
/// org must allow these grants for the app. Authenticators cannot be set up with this protocol. Requests
/// go only to the issuer's origin.
public struct DirectAuthClient: FlowClient, CookieClient {
  /// What the tokens are for.
  public enum Intent: Sendable, Hashable {
    /// To sign in, with the configured scopes.
    case signIn
    /// To replace a forgotten password.
    ///
    /// The access token works only for that, whatever scopes are configured, and there is no ID token.
    /// The password cannot be the first factor.
    case recovery
  }

  private var sender: DirectAuthSender
  private let tokens: TokenClient
  private let factors: [DirectAuthFactor]

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - factors: The possible first factors, in the order in which they are offered. A single one is asked
  ///     for without a choice.
  ///   - intent: What the tokens are for.
  ///   - tokens: Checks the tokens and says how the app authenticates; by default over the same transport,
  ///     for an app without a client secret.
  public init(
    transport: any Transport, factors: [DirectAuthFactor] = [.password], intent: Intent = .signIn,
    tokens: TokenClient? = nil
  ) {
    let tokens = tokens ?? TokenClient(transport: transport)
    sender = DirectAuthSender(
      http: IssuerClient(transport: transport, tokens: tokens),
      isRecovery: intent == .recovery)
    self.tokens = tokens
    self.factors = factors
  }

  /// Starts a sign-in without a request, except that the issuer's keys are fetched in the background.
  ///
  /// `loginHint` is the value of the field for the username. Any `maximumAge` is met, because each sign-in
  /// asks for the factors again. Throws a ``/IDXOAuth/FlowError`` with the code `invalidConfiguration` for a
  /// recovery token, an activation token or `acrValues`, which DirectAuth does not have, without a first
  /// factor, and if a recovery could start with the password.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    guard options.recoveryToken == nil, options.activationToken == nil, options.acrValues.isEmpty
    else {
      throw FlowError(
        .invalidConfiguration,
        "DirectAuth does not support recovery tokens, activation tokens or acr_values.")
    }
    guard !factors.isEmpty else {
      throw FlowError(.invalidConfiguration, "DirectAuth needs at least one first factor.")
    }
    let configuration = try sender.configuration(for: configuration, factors)
    await tokens.prefetchKeys(for: configuration)
    let clientState = DirectAuthClientState(offered: factors, loginHint: options.loginHint)
    let builder = DirectAuthResponseBuilder(
      configuration: configuration, clientState: clientState)
    var state = try FlowState(
      signInProtocol: .direct, configuration: configuration, draft: builder.draft(),
      clientState: clientState.json)
    state.cookies = options.cookies(for: configuration)
    return state
  }

  /// Answers a form of the state's response.
  ///
  /// The username and the choice of a factor may need no request. If the response to a password or a code is
  /// lost, the error says so, and nothing is sent twice: DirectAuth cannot be asked for the current state.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .direct)
    let form = submission.remediation
    let body = try submission.body()
    guard var clientState = DirectAuthClientState(state.clientState) else {
      throw state.notOffered(form.name)
    }
    switch form.name {
    case .identify:
      clientState.username = body["identifier"]?.string
      if clientState.offered.count == 1 { clientState.factor = clientState.offered[0] }
    case .selectAuthenticatorAuthenticate:
      let chosen = body["authenticator"]?["factor"]?.string
      clientState = clientState.withoutFactor
      clientState.factor = chosen.flatMap(DirectAuthFactor.init)
    case .cancel: return try await start(state.configuration, StartOptions(again: state))
    case .resend: clientState.outOfBandCode = nil
    default:
      return try await keepingCookies(of: state) { [clientState] client in
        try await client.prove(clientState, body["credentials"], from: state)
      }
    }
    return try await keepingCookies(of: state) { [clientState] client in
      try await client.challenge(clientState, from: state)
    }
  }

  /// Returns the state unchanged, because the server has no state that could have changed.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .direct)
    return state
  }

  /// The credential with the tokens of the sign-in, after they were checked.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .direct)
    guard case .tokens(let issued)? = state.success else { throw state.notOffered(.issue) }
    return try await tokens.credential(
      for: issued, of: state.configuration, nonce: nil, maximumAge: nil,
      username: username ?? state.response.user?.identifier)
  }

  /// Sends the requests.
  public var http: IssuerClient {
    get { sender.http }
    set { sender.http = newValue }
  }

  // MARK: Steps

  /// Asks the server to send a code or a push, or for the challenge of a passkey, if the factor needs that.
  private func challenge(
    _ clientState: DirectAuthClientState, from state: FlowState
  ) async throws -> FlowState {
    guard let factor = clientState.factor, factor.isOutOfBand || factor == .webAuthn else {
      return try self.state(at: clientState, from: state)
    }
    let (meaning, response) = try await sender.challenge(
      by: factor, clientState, of: state.configuration)
    return try self.state(after: meaning, response, clientState, from: state)
  }

  private func prove(
    _ clientState: DirectAuthClientState, _ credentials: JSONValue?, from state: FlowState
  ) async throws -> FlowState {
    guard let factor = clientState.factor else { throw state.notOffered(.challengeAuthenticator) }
    var (meaning, response) = try await sender.prove(
      factor, credentials, clientState, of: state.configuration)
    // All requests of a sign-in have the key of the first one that needed one.
    var clientState = clientState
    clientState.key = response.key ?? clientState.key
    if case .next(var next) = meaning {
      next.key = clientState.key
      if next.factor == nil, next.offered.count == 1 {
        // A single second factor needs no choice.
        next.factor = next.offered[0]
        return try await challenge(next, from: state)
      }
      meaning = .next(next)
    }
    return try self.state(after: meaning, response, clientState, from: state)
  }

  private func state(
    after meaning: DirectAuthMeaning, _ response: IssuerClient.Response,
    _ clientState: DirectAuthClientState, from state: FlowState
  ) throws -> FlowState {
    let (status, requestID) = (response.status, response.requestID)
    switch meaning {
    case .tokens(let tokens):
      return try state.advanced(
        to: IDXResponse.Draft(username: clientState.username), status: status,
        requestID: requestID, success: .tokens(tokens))
    // The server also reports with an error that a step was accepted.
    case .next(let next): return try self.state(at: next, requestID: requestID, from: state)
    case .refused(let message):
      return try self.state(at: clientState, [message], status, requestID: requestID, from: state)
    case .chooseAgain(let message):
      return try self.state(
        at: clientState.afterFailure, [message], status, requestID: requestID, from: state)
    case .ended(let message):
      clientState.key?.remove()
      return try state.advanced(
        to: IDXResponse.Draft(messages: [message]), status: status, requestID: requestID)
    }
  }

  private func state(
    at clientState: DirectAuthClientState, _ messages: [IDXMessage.Draft] = [],
    _ status: Int = 200, requestID: String? = nil, from state: FlowState
  ) throws -> FlowState {
    let builder = DirectAuthResponseBuilder(
      configuration: state.configuration, clientState: clientState, messages: messages)
    return try state.advanced(
      to: builder.draft(), status: status, requestID: requestID, clientState: clientState.json)
  }
}
