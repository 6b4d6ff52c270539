import IDX
public import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Takes a sign-in at Identity Engine from one state to the next.
///
/// It keeps nothing between calls. The transport may: cookies tell the server which device it talks
/// to, so that a server which signs in several people gives each sign-in a transport of its own.
///
///     let client = IDXClient(transport: transport)
///     var state = try await client.start(configuration)
///     state = try await client.proceed(.identify, ["identifier": "ada@example.com"], from: state)
///
/// Every call throws a ``FlowError``, or `CancellationError` where the task was cancelled. Requests go
/// to the issuer's origin alone.
public struct IDXClient: FlowClient {
  private let exchange: Exchange
  private let tokens: TokenClient
  private let random: RandomBytes

  /// A client that reaches the server through a transport.
  ///
  /// `tokens` checks what a sign-in ends in; nil for one with the same transport.
  public init(
    transport: any Transport, tokens: TokenClient? = nil, random: RandomBytes = .system
  ) {
    exchange = Exchange(transport: transport)
    self.tokens = tokens ?? TokenClient(transport: transport)
    self.random = random
  }

  /// Starts a sign-in: two requests, `interact` and `introspect` (protocol sections 1.2 and 1.3).
  ///
  /// The issuer's keys are fetched meanwhile, so that the ID token can be checked at once in the end.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    let pkce = PKCE(random: random)
    let redirectState = Secret(random.token())
    let nonce = Secret(random.token())
    let parameters =
      configuration.authorizationParameters(state: redirectState, nonce: nonce, pkce: pkce)
      + options.parameters
    let handle = try await exchange.interact(
      parameters, at: configuration.endpoints["interact"])
    let reply = try await exchange.introspect(handle, of: configuration)
    await tokens.prefetchKeys(for: configuration)
    return FlowState(
      configuration: configuration, interactionHandle: handle, pkce: pkce,
      redirectState: redirectState, nonce: nonce, response: reply.response, status: reply.status,
      requestID: reply.requestID, maximumAge: options.maximumAge)
  }

  /// Answers a form of the state's response.
  ///
  /// The answers are checked first. A refusal by the server, such as a wrong code, is a new state with
  /// messages, no error. Where the reply got lost after the request may have arrived, the server is
  /// asked where the sign-in stands, and nothing is sent twice.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .identityEngine)
    return try await lookingUpLoss(of: state) {
      let reply = try await exchange.send(submission, of: state.configuration)
      return state.advanced(
        to: reply.response, status: reply.status, requestID: reply.requestID)
    }
  }

  /// Asks the server where the sign-in stands, which changes nothing there.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .identityEngine)
    let reply = try await exchange.introspect(state.interactionHandle, of: state.configuration)
    return state.advanced(to: reply.response, status: reply.status, requestID: reply.requestID)
  }

  /// Goes on with what a browser brought back from a page that the server sent the person to.
  ///
  /// The new state is at its end and can be redeemed, or stands at the next step.
  public func resume(_ returned: RedirectReturn, from state: FlowState) async throws -> FlowState {
    try state.check(for: .identityEngine)
    return switch returned {
    case .interactionCode(let code):
      state.advanced(
        to: state.response, status: state.status, requestID: state.requestID, success: .code(code))
    case .interactionRequired: try await refresh(state)
    case .authorizationCode:
      throw RedirectReturn.wrongKind
    case .oneTimePassword(let code):
      try await proceed(
        state.response[.challengeAuthenticator] == nil
          ? .enrollAuthenticator : .challengeAuthenticator,
        ["credentials.passcode": .value(.string(code.revealed))], from: state)
    }
  }

  /// Trades the interaction code of a finished sign-in for tokens, and checks them (protocol sections
  /// 1.8 and 6.2).
  ///
  /// The code works once: where the reply gets lost, the sign-in has to start anew. Tokens that fail a
  /// check are dropped, and the error's `underlying` is an `IDTokenError` that names the check.
  /// `username` is what the person is called where the ID token does not say; nil for what the
  /// response says.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .identityEngine)
    let code: Secret
    if case .code(let returned)? = state.success {
      code = returned
    } else if let issued = state.response.interactionCode {
      code = Secret(issued)
    } else {
      throw state.doesNotOffer(.issue)
    }
    let request = TokenRequest(
      interactionCode: code, clientID: state.configuration.clientID,
      codeVerifier: state.pkce.verifier, redirectURI: state.configuration.redirectURI)
    try await tokens.awaitKeys(for: state.configuration)
    let issued = try await exchange.redeem(
      request, through: state.response.issue, of: state.configuration)
    return try await tokens.credential(
      for: issued, of: state.configuration, nonce: state.nonce, maximumAge: state.maximumAge,
      username: username ?? state.response.user?.identifier)
  }
}
