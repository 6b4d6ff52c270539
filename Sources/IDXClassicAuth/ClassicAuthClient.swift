public import IDXBase
import IDX
public import IDXFlow
public import IDXOAuth

/// Signs in by Okta's classic authentication API, which orgs without Identity Engine speak.
///
///     let client = ClassicAuthClient(transport: transport)
///     let coordinator = FlowCoordinator(client: client, handlers: .asking(prompter))
///
/// Its steps bear the names of Identity Engine: `identify`, `challenge-authenticator`,
/// `select-authenticator-enroll` and so on, so that handlers and prompters serve it unchanged; `prev`
/// goes back where the server remembers the step before. What the server sent last is in
/// ``IDX/IDXResponse/original``. Requests go to the issuer's origin alone. Source: protocol section 8.
public struct ClassicAuthClient: FlowClient {
  /// What a sign-in ends in.
  public enum Result: Sendable, Hashable {
    /// Tokens, for which the session token is traded.
    case tokens
    /// The session token, ``IDXFlow/FlowState/sessionToken``: the sign-in is at its end and cannot be
    /// redeemed.
    case sessionToken
  }

  let exchange: ClassicExchange
  private let authorization: ClassicAuthorization
  private let tokens: TokenClient
  private let random: RandomBytes
  let result: Result

  /// A client that reaches the server through a transport.
  ///
  /// `tokens` checks what a sign-in ends in; nil for one with the same transport.
  public init(
    transport: any Transport, returning result: Result = .tokens, tokens: TokenClient? = nil,
    random: RandomBytes = .system
  ) {
    let exchange = Exchange(transport: transport)
    self.exchange = ClassicExchange(exchange: exchange)
    authorization = ClassicAuthorization(exchange: exchange)
    self.tokens = tokens ?? TokenClient(transport: transport)
    self.random = random
    self.result = result
  }

  /// Starts a sign-in, which takes no request but that for the issuer's keys.
  ///
  /// With the token of a link that recovers or activates an account, the sign-in begins there. The
  /// `acr_values` have no place in this protocol: with them it throws.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    guard options.acrValues.isEmpty else {
      throw FlowError(
        .invalidConfiguration, "The classic authentication API begins with no acr_values.")
    }
    if result == .tokens { await tokens.prefetchKeys(for: configuration) }
    let context = ClassicContext(.username, username: options.loginHint)
    let state = try FlowState(
      speaking: .classic, to: configuration, draft: page(context, nil, of: configuration),
      clientState: context.json, maximumAge: options.maximumAge, random: random)
    let path: String
    let body: JSONValue
    if let token = options.recoveryToken {
      (path, body) = ("/recovery/token", ["recoveryToken": .string(token.revealed)])
    } else if let token = options.activationToken {
      (path, body) = ("", ["token": .string(token.revealed)])
    } else {
      return state
    }
    let outcome = try await exchange.send(body, to: .path(path), .identify, of: configuration)
    return try await self.state(after: outcome, context, nil, from: state)
  }

  /// Answers a form of the state's response.
  ///
  /// What only the person decides, who signs in and by which code, takes no request. A refusal by the
  /// server is a new state with messages. Where the reply got lost, the server is asked where the
  /// sign-in stands.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .classic)
    let form = submission.remediation
    let body = try submission.body()
    guard var context = ClassicContext(state.clientState) else {
      throw state.notOffered(form.name)
    }
    context.image = ClassicContext.Image(shownIn: state.response)
    let transaction = ClassicTransaction(state.response.original)
    let move = ClassicMove(form.name, body, href: form.href, context, transaction)
    switch move {
    case .unknown: throw state.notOffered(form.name)
    case .show(let context):
      // Away from where the server stands, what it said is of no use but to a sign-in that it began.
      let isThere = context.place == .transaction || transaction?.status == .unauthenticated
      return try state.advanced(
        to: page(context, isThere ? transaction : nil, of: state.configuration),
        clientState: context.json)
    case .fetchQuestions(let href, var context):
      context.questions = try await exchange.questions(
        at: href, for: form.name, of: state.configuration)
      return try state.advanced(
        to: page(context, transaction, of: state.configuration), clientState: context.json)
    case .cancel:
      if let transaction, transaction.stateToken != nil {
        try await exchange.cancel(transaction, of: state.configuration)
      }
      return try await start(state.configuration, StartOptions(again: state))
    case .send(let address, let body):
      return try await recoveringLostReply(from: state, isKnown: transaction?.stateToken != nil) {
        [context] in
        let outcome = try await exchange.send(body, to: address, form.name, of: state.configuration)
        return try await self.state(after: outcome, context, form.name, from: state)
      }
    }
  }

  /// Asks the server where the sign-in stands, which changes nothing there.
  ///
  /// Before the password and after the end it knows nothing, and the state is given back.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .classic)
    guard let transaction = ClassicTransaction(state.response.original),
      transaction.stateToken != nil
    else { return state }
    let outcome = try await exchange.send(
      transaction.naming(), to: .path(""), .poll, of: state.configuration)
    if case .lost = outcome.result { return state }
    var context = ClassicContext(.transaction, username: state.response.user?.identifier)
    context.image = ClassicContext.Image(shownIn: state.response)
    return try await self.state(after: outcome, context, nil, from: state)
  }

  /// Trades the session token for tokens at the authorization endpoint, and checks them.
  ///
  /// It works once: where a reply gets lost, the sign-in has to start anew.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .classic)
    guard case .sessionToken(let token)? = state.success else { throw state.notOffered(.issue) }
    try await tokens.awaitKeys(for: state.configuration)
    let issued = try await authorization.trade(token, of: state)
    return try await tokens.credential(
      for: issued, of: state.configuration, nonce: state.nonce, maximumAge: state.maximumAge,
      username: username ?? state.response.user?.identifier)
  }
}

extension FlowState {
  /// The session token that a sign-in has ended in, good once and for some minutes; nil elsewhere.
  public var sessionToken: Secret? {
    flowProtocol == .classic ? ClassicTransaction(response.original)?.sessionToken : nil
  }
}
