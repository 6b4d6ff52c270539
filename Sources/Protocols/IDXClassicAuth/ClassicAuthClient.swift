import IDX
public import IDXBase
public import IDXFlow
public import IDXOAuth

/// Signs in with Okta's classic authentication API, which orgs without Identity Engine use.
///
///     let client = ClassicAuthClient(transport: transport)
///     let coordinator = FlowCoordinator(client: client, handlers: .showing(on: frontEnd))
///
/// Its steps have the names of Identity Engine (`identify`, `challenge-authenticator`,
/// `select-authenticator-enroll` and so on), so the same handlers and front-ends work with it. The action
/// `prev` goes back to the step before, if the server offers that. ``/IDX/IDXResponse/original`` contains
/// the last response of the server. Requests go only to the issuer's origin.
public struct ClassicAuthClient: FlowClient, CookieClient {
  /// What a sign-in ends with.
  public enum End: Sendable, Hashable {
    /// Tokens: the session token is exchanged for them at the end.
    case tokens
    /// The session token (`FlowState.sessionToken`).
    ///
    /// The state is then at its end and cannot be redeemed.
    case sessionToken
  }

  private var sender: ClassicSender
  private let tokens: TokenClient
  private let random: RandomBytes
  private let end: End

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - end: What a sign-in ends with.
  ///   - tokens: Exchanges the session token for tokens and checks them, and says how the app authenticates;
  ///     by default over the same transport, for an app without a client secret.
  ///   - random: Makes the PKCE verifier, the `state` and the `nonce`.
  public init(
    transport: any Transport, endingWith end: End = .tokens, tokens: TokenClient? = nil,
    random: RandomBytes = .system
  ) {
    let tokens = tokens ?? TokenClient(transport: transport)
    sender = ClassicSender(http: IssuerClient(transport: transport, tokens: tokens))
    self.tokens = tokens
    self.random = random
    self.end = end
  }

  /// Starts a sign-in; a request is needed only to exchange a recovery token or an activation token.
  ///
  /// With such a token, the sign-in starts where the token leads. The issuer's keys are fetched in the
  /// background if tokens are to be returned. Throws a ``/IDXOAuth/FlowError`` with the code
  /// `invalidConfiguration` if there are `acrValues`, which this protocol does not have, or if tokens are to
  /// be returned and there is no redirect URI.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    guard options.acrValues.isEmpty else {
      throw FlowError(
        .invalidConfiguration, "The classic authentication API does not support acr_values.")
    }
    if end == .tokens {
      _ = try configuration.requiredRedirectURI
      await tokens.prefetchKeys(for: configuration)
    }
    let clientState = ClassicClientState(.username, username: options.loginHint)
    var state = try FlowState(
      signInProtocol: .classic, configuration: configuration,
      draft: draft(clientState, nil, of: configuration), clientState: clientState.json,
      maximumAge: options.maximumAge, random: random)
    state.cookies = options.cookies(for: configuration)
    guard let token = options.recoveryToken ?? options.activationToken else { return state }
    let isRecovery = options.recoveryToken != nil
    return try await keepingCookies(of: state) { [state] client in
      let (meaning, response) = try await client.sender.send(
        [isRecovery ? "recoveryToken" : "token": .string(token.revealed)],
        to: .path(isRecovery ? "/recovery/token" : ""), .identify, of: configuration)
      return try await client.state(after: meaning, response, clientState, nil, from: state)
    }
  }

  /// Answers a form of the state's response.
  ///
  /// The username and some choices need no request. A refusal by the server is a new state with
  /// messages. If the response is lost, the server is asked for the current state.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .classic)
    let form = submission.remediation
    let body = try submission.body()
    guard var clientState = ClassicClientState(state.clientState) else {
      throw state.notOffered(form.name)
    }
    clientState.image = ClassicClientState.Image(shownIn: state.response)
    let transaction = ClassicTransaction(state.response.original)
    let reader = ClassicAnswerReader(
      name: form.name, body: body, href: form.href, clientState: clientState,
      transaction: transaction)
    switch reader.action {
    case .notOffered: throw state.notOffered(form.name)
    case .show(let clientState):
      // Steps before the server's transaction do not show it, unless it has no password yet.
      let isCurrent =
        clientState.step == .transaction || transaction?.status == .unauthenticated
      return try self.state(at: clientState, isCurrent ? transaction : nil, from: state)
    case .fetchQuestions(let href, var clientState):
      return try await keepingCookies(of: state) { client in
        clientState.questions = try await client.sender.questions(
          at: href, for: form.name, of: state.configuration)
        return try client.state(at: clientState, transaction, from: state)
      }
    case .cancel:
      if let transaction, transaction.stateToken != nil {
        try await sending(cookiesOf: state).sender.cancel(transaction, of: state.configuration)
      }
      return try await start(state.configuration, StartOptions(again: state))
    case .send(let address, let body):
      return try await confirming(form, from: state, isKnown: transaction?.stateToken != nil) {
        [clientState] in
        try await keepingCookies(of: state) { client in
          let (meaning, response) = try await client.sender.send(
            body, to: address, form.name, of: state.configuration)
          return try await client.state(
            after: meaning, response, clientState, form.name, from: state)
        }
      }
    }
  }

  /// Asks the server for the current state and changes nothing there.
  ///
  /// Before the password and after the end, the server has no state, and this state is returned.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .classic)
    guard let transaction = ClassicTransaction(state.response.original),
      transaction.stateToken != nil
    else { return state }
    return try await keepingCookies(of: state) { client in
      let (meaning, response) = try await client.sender.send(
        transaction.addingStateToken(), to: .path(""), .poll, of: state.configuration)
      if case .wrongState = meaning { return state }
      var clientState = ClassicClientState(.transaction, username: state.response.user?.identifier)
      clientState.image = ClassicClientState.Image(shownIn: state.response)
      return try await client.state(after: meaning, response, clientState, nil, from: state)
    }
  }

  /// Exchanges the session token for tokens at the authorization endpoint, and checks them.
  ///
  /// The session token works once: if a response is lost, the person has to sign in again.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .classic)
    guard case .sessionToken(let token)? = state.success else { throw state.notOffered(.issue) }
    try await tokens.awaitKeys(for: state.configuration)
    let issued = try await sending(cookiesOf: state).sender.tokens(for: token, of: state)
    return try await tokens.credential(
      for: issued, of: state.configuration, nonce: state.nonce, maximumAge: state.maximumAge,
      username: username ?? state.response.user?.identifier)
  }

  /// Sends the requests.
  public var http: IssuerClient {
    get { sender.http }
    set { sender.http = newValue }
  }
}

extension FlowState {
  /// The session token of a successful sign-in with the classic API, which works once and expires after some
  /// minutes; nil for any other state.
  public var sessionToken: Secret? {
    signInProtocol == .classic ? ClassicTransaction(response.original)?.sessionToken : nil
  }
}

// MARK: - States

extension ClassicAuthClient {
  /// The state after a request; `answered` is the form that was sent.
  private func state(
    after meaning: ClassicMeaning, _ response: IssuerClient.Response,
    _ clientState: ClassicClientState,
    _ answered: Remediation.Name?, from state: FlowState
  ) async throws -> FlowState {
    switch meaning {
    case .transaction(let transaction):
      if answered == .challengeAuthenticator, clientState.step == .password,
        let factor = transaction.onlyFactor, factor.needsStart,
        let link = transaction.verify(factor)
      {
        // A single factor needs no choice.
        return try await start(at: link, transaction, clientState, from: state)
      }
      if answered == .challengePoll,
        let choice = try await choiceAfterFailedPush(transaction, clientState, from: state)
      {
        return choice
      }
      let next = try await self.clientState(
        for: transaction, after: clientState, of: state.configuration)
      let token = transaction.sessionToken
      let isEnd = end == .sessionToken && token != nil
      return try self.state(
        at: next, transaction,
        isEnd ? [IDXMessage.Draft("You are signed in.", kind: .info)] : [], response,
        success: isEnd ? nil : token.map(FlowState.Success.sessionToken), from: state)
    case .refused(let messages):
      let transaction = ClassicTransaction(state.response.original)
      return try self.state(at: clientState, transaction, messages, response, from: state)
    case .ended(let messages, let json):
      return try state.advanced(
        to: IDXResponse.Draft(messages: messages, original: json),
        status: response.status, requestID: response.requestID)
    case .wrongState(let messages):
      let now = try await refresh(state)
      let before = ClassicTransaction(state.response.original)
      let after = ClassicTransaction(now.response.original)
      // At another step, an earlier answer has arrived, and nothing has to be said.
      guard let before, let after, before.status == after.status else { return now }
      return try self.state(at: clientState, after, messages, response, from: state)
    }
  }

  /// What to remember at a transaction: a single factor that needs no request, and the image of a QR code.
  private func clientState(
    for transaction: ClassicTransaction, after earlier: ClassicClientState,
    of configuration: FlowConfiguration
  ) async throws -> ClassicClientState {
    var next = earlier.atTransaction(username: transaction.login)
    // A transaction that a link started has no username and password yet.
    if transaction.status == .unauthenticated { next = next.at(.username) }
    if let factor = transaction.onlyFactor, !factor.needsStart { next.factor = factor.id }
    guard let href = transaction.imageAddress else {
      next.image = nil
      return next
    }
    if next.image?.href != href {
      next.image = try await sender.image(at: href, of: configuration)
    }
    return next
  }

  /// The choice of a factor after a push was rejected or timed out; nil if the server does not offer it.
  private func choiceAfterFailedPush(
    _ transaction: ClassicTransaction, _ clientState: ClassicClientState, from state: FlowState
  ) async throws -> FlowState? {
    guard transaction.status == .mfaChallenge, !transaction.isPolled,
      let factor = transaction.factor, let back = transaction.link("prev"),
      let message = factor.message(for: transaction.factorResult)
    else { return nil }
    let sent: (meaning: ClassicMeaning, response: IssuerClient.Response)
    do {
      sent = try await sender.send(
        transaction.addingStateToken(), to: .link(back.href), .previous, of: state.configuration)
    } catch is FlowError { return nil }
    guard case .transaction(let choice) = sent.meaning, choice.status == .mfaRequired
    else { return nil }
    let next = clientState.atTransaction(username: choice.login)
    return try self.state(at: next, choice, [message], sent.response, from: state)
  }

  /// Starts the single factor: sends a code or a push, or fetches the challenge of a passkey.
  private func start(
    at link: ClassicTransaction.Link, _ transaction: ClassicTransaction,
    _ clientState: ClassicClientState, from state: FlowState
  ) async throws -> FlowState {
    let next = clientState.atTransaction(username: transaction.login)
    let choice = try self.state(at: next, transaction, from: state)
    let sent: (meaning: ClassicMeaning, response: IssuerClient.Response)
    do {
      sent = try await sender.send(
        transaction.addingStateToken(), to: .link(link.href), .selectAuthenticatorAuthenticate,
        of: state.configuration)
    } catch is FlowError {
      // The password was accepted. The person chooses the factor and sees the error then.
      return choice
    }
    return try await self.state(after: sent.meaning, sent.response, next, nil, from: choice)
  }

  private func state(
    at clientState: ClassicClientState, _ transaction: ClassicTransaction?,
    _ messages: [IDXMessage.Draft] = [], _ response: IssuerClient.Response? = nil,
    success: FlowState.Success? = nil, from state: FlowState
  ) throws -> FlowState {
    try state.advanced(
      to: draft(clientState, transaction, messages, of: state.configuration),
      status: response?.status ?? 200, requestID: response?.requestID, success: success,
      clientState: clientState.json)
  }

  private func draft(
    _ clientState: ClassicClientState, _ transaction: ClassicTransaction?,
    _ messages: [IDXMessage.Draft] = [], of configuration: FlowConfiguration
  ) throws -> IDXResponse.Draft {
    let base = try configuration.endpoint(ClassicSender.path).absoluteString
    return ClassicResponseBuilder(
      base: base, clientState: clientState, transaction: transaction, messages: messages
    ).draft()
  }
}
