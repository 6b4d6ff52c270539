import IDXBase
import IDX
public import IDXFlow
public import IDXOAuth

/// Signs in by Okta's DirectAuth: OAuth grants for a password, a one-time code, a push, a code by
/// phone and a passkey, without a browser.
///
///     let client = DirectAuthClient(transport: transport)
///     let coordinator = FlowCoordinator(client: client, handlers: .asking(prompter))
///
/// Its steps bear the names of Identity Engine: `identify`, `select-authenticator-authenticate`,
/// `challenge-authenticator` and `challenge-poll`, so that handlers and prompters serve it unchanged.
/// The app must have the grants enabled in the org. Nothing can be set up this way. Requests go to the
/// issuer's origin alone. Source: protocol section 7.
public struct DirectAuthClient: FlowClient {
  /// What the tokens are for.
  public enum Intent: Sendable, Hashable {
    /// To sign in, with the scopes that are configured.
    case signIn
    /// To replace a lost password: the access token is good for that alone, whatever scopes are
    /// configured, and there is no ID token. No password can come first.
    case recovery
  }

  private let exchange: DirectAuthExchange
  private let tokens: TokenClient
  private let factors: [DirectAuthFactor]

  /// A client that reaches the server through a transport.
  ///
  /// `factors` are those that may come first, in the order in which a person chooses among them; with
  /// one, it is asked for at once. `tokens` checks what a sign-in ends in; nil for one with the same
  /// transport.
  public init(
    transport: any Transport, factors: [DirectAuthFactor] = [.password], intent: Intent = .signIn,
    tokens: TokenClient? = nil
  ) {
    exchange = DirectAuthExchange(
      exchange: Exchange(transport: transport), isRecovery: intent == .recovery)
    self.tokens = tokens ?? TokenClient(transport: transport)
    self.factors = factors
  }

  /// Starts a sign-in, which takes no request but that for the issuer's keys.
  ///
  /// A `loginHint` stands in the field for the user name. `maximumAge` is met by itself, as each sign-in
  /// proves anew who it is. The other options cannot be asked for here: with one of them it throws.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    guard options.recoveryToken == nil, options.activationToken == nil, options.acrValues.isEmpty
    else {
      throw FlowError(
        .invalidConfiguration,
        "DirectAuth begins with no recovery token, no activation token and no acr_values.")
    }
    guard !factors.isEmpty else {
      throw FlowError(.invalidConfiguration, "There is no factor that may come first.")
    }
    let configuration = try exchange.configuration(for: configuration, factors)
    await tokens.prefetchKeys(for: configuration)
    var context = DirectAuthContext(offered: factors)
    context.loginHint = options.loginHint
    let page = DirectAuthPage(configuration: configuration, context: context)
    return try FlowState(
      speaking: .directAuth, to: configuration, draft: page.draft(), clientState: context.json)
  }

  /// Answers a form of the state's response.
  ///
  /// What only the person decides, who signs in and by which factor, may take no request. Where the
  /// reply to a proof got lost, there is nobody to ask what became of it: the error says so, and nothing
  /// is sent twice.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .directAuth)
    let form = submission.remediation
    let body = try submission.body()
    guard var context = DirectAuthContext(state.clientState) else {
      throw state.notOffered(form.name)
    }
    switch form.name {
    case .identify:
      context.username = body["identifier"]?.string
      if context.offered.count == 1 { context.factor = context.offered[0] }
    case .selectAuthenticatorAuthenticate:
      let chosen = body["authenticator"]?["factor"]?.string
      context = context.beforeChoice
      context.factor = chosen.flatMap(DirectAuthFactor.init)
    case .cancel: return try await start(state.configuration, StartOptions())
    case .resend: context.outOfBandCode = nil
    default: return try await prove(context, body["credentials"], from: state)
    }
    return try await challenge(context, from: state)
  }

  /// Gives the state back: the server holds nothing that could have moved.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .directAuth)
    return state
  }

  /// The credential that the tokens make once they are checked.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .directAuth)
    guard case .tokens(let issued)? = state.success else { throw state.notOffered(.issue) }
    return try await tokens.credential(
      for: issued, of: state.configuration, nonce: nil, maximumAge: nil,
      username: username ?? state.response.user?.identifier)
  }

  // MARK: Steps

  /// Lets the server send or ask what the chosen factor needs, where it needs anything.
  private func challenge(
    _ context: DirectAuthContext, from state: FlowState
  ) async throws -> FlowState {
    guard let factor = context.factor, factor.isOutOfBand || factor == .webAuthn else {
      return try self.state(at: context, from: state)
    }
    let outcome = try await exchange.challenge(by: factor, context, of: state.configuration)
    return try self.state(after: outcome, context, from: state)
  }

  private func prove(
    _ context: DirectAuthContext, _ credentials: JSONValue?, from state: FlowState
  ) async throws -> FlowState {
    guard let factor = context.factor else { throw state.notOffered(.challengeAuthenticator) }
    let outcome = try await exchange.prove(factor, credentials, context, of: state.configuration)
    if case .goesOn(var next) = outcome.result, next.factor == nil, next.offered.count == 1 {
      // Where there is one way on, nobody has to choose it.
      next.factor = next.offered[0]
      return try await challenge(next, from: state)
    }
    return try self.state(after: outcome, context, from: state)
  }

  private func state(
    after outcome: DirectAuthOutcome, _ context: DirectAuthContext, from state: FlowState
  ) throws -> FlowState {
    switch outcome.result {
    case .tokens(let tokens):
      return try state.advanced(
        to: DirectAuthPage.success(of: context.username), status: outcome.status,
        requestID: outcome.requestID, success: .tokens(tokens))
    case .goesOn(let next):
      return try self.state(at: next, [], outcome, from: state)
    case .refused(let message):
      return try self.state(at: context, [message], outcome, from: state)
    case .chooseAgain(let message):
      return try self.state(at: context.beforeChoice, [message], outcome, from: state)
    case .ended(let message):
      return try state.advanced(
        to: DirectAuthPage.end(message), status: outcome.status, requestID: outcome.requestID)
    }
  }

  private func state(
    at context: DirectAuthContext, _ messages: [IDXMessage.Draft] = [],
    _ outcome: DirectAuthOutcome? = nil, from state: FlowState
  ) throws -> FlowState {
    let page = DirectAuthPage(
      configuration: state.configuration, context: context, messages: messages)
    return try state.advanced(
      to: page.draft(), status: outcome?.status ?? 200, requestID: outcome?.requestID,
      clientState: context.json)
  }
}
