import IDX
public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The client for Identity Engine.
///
/// It keeps nothing between calls, so one client and one transport can serve any number of sign-ins. The
/// cookies of a sign-in, which tell the server which device it talks to, are in its state.
///
///     let client = IDXClient(transport: transport)
///     var state = try await client.start(configuration)
///     state = try await client.proceed(.identify, ["identifier": "ada@example.com"], from: state)
///
/// Every call throws a ``/IDXOAuth/FlowError``, or `CancellationError` if the task was canceled. Requests go
/// only to the issuer's origin.
public struct IDXClient: FlowClient, CookieClient {
  /// Sends the requests.
  public var http: IssuerClient
  private let tokens: TokenClient
  private let random: RandomBytes

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests of the sign-in.
  ///   - tokens: Exchanges the code for tokens and checks them, and says how the app authenticates; by
  ///     default over the same transport, for an app without a client secret.
  ///   - random: Makes the PKCE verifier, the `state` and the `nonce`.
  public init(
    transport: any Transport, tokens: TokenClient? = nil, random: RandomBytes = .system
  ) {
    let tokens = tokens ?? TokenClient(transport: transport)
    http = IssuerClient(transport: transport, tokens: tokens)
    self.tokens = tokens
    self.random = random
  }

  /// Starts a sign-in with two requests: `interact` and `introspect`.
  ///
  /// The issuer's keys are fetched in the background, so that they are there when the ID token comes.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    let pkce = PKCE(random: random)
    let redirectState = Secret(random.token())
    let nonce = Secret(random.token())
    let parameters =
      try configuration.authorizationParameters(state: redirectState, nonce: nonce, pkce: pkce)
      + options.parameters
    return try await keepingCookies(options.cookies(for: configuration), nonce: nonce) { client in
      let handle = try await client.interact(
        TokenRequest(parameters: parameters), of: configuration)
      let received = try await client.introspect(handle, of: configuration)
      await tokens.prefetchKeys(for: configuration)
      let start = FlowState.Start(
        .idx, configuration, interactionHandle: handle, pkce: pkce,
        redirectState: redirectState, nonce: nonce, maximumAge: options.maximumAge)
      return FlowState(
        start, response: received.response, status: received.status, requestID: received.requestID)
    }
  }

  /// Answers a form of the state's response.
  ///
  /// The answers are checked before they are sent. A refusal by the server, such as a wrong code, is a new
  /// state with messages. If the response is lost or cannot be used, the server is asked for the current state,
  /// and nothing is sent twice. If the server still asks for the same, the error has the code
  /// ``IDXOAuth/FlowError/Code/answerUnconfirmed``: the state is still valid, and the person may answer
  /// again.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .idx)
    return try await confirming(submission.remediation, from: state) {
      try await keepingCookies(of: state) { client in
        state.advanced(
          to: try await client.sender.answer(submission, from: state) {
            try await client.introspect(state.interactionHandle, of: state.configuration)
          })
      }
    }
  }

  /// Asks the server for the current state by `introspect`, which changes nothing there.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .idx)
    return try await keepingCookies(of: state) { client in
      state.advanced(
        to: try await client.introspect(state.interactionHandle, of: state.configuration))
    }
  }

  /// Continues after a browser returned from a page of the server, to a state that can be redeemed, or that
  /// has the next step.
  public func resume(_ returned: RedirectReturn, from state: FlowState) async throws -> FlowState {
    try state.check(for: .idx)
    return switch returned {
    case .interactionCode(let code):
      state.advanced(
        to: state.response, status: state.status, requestID: state.requestID, success: .code(code))
    case .interactionRequired: try await refresh(state)
    case .authorizationCode: throw RedirectReturn.wrongKind
    case .oneTimePassword(let code): try await proceed(withCodeOfEmail: code, from: state)
    }
  }

  /// Exchanges the interaction code for tokens and checks them.
  ///
  /// The code works once: if the response is lost, the person has to sign in again. Tokens that fail a
  /// check are dropped, and the error's `underlying` is an `IDTokenError` that names the check.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .idx)
    var code = state.response.interactionCode
    if case .code(let returned)? = state.success { code = returned }
    guard let code else { throw state.notOffered(.issue) }
    let request = TokenRequest(
      interactionCode: code, clientID: state.configuration.clientID,
      codeVerifier: state.pkce.verifier, redirectURI: state.configuration.redirectURI)
    try await tokens.awaitKeys(for: state.configuration)
    let url = try state.response.issue.map {
      try sender.address(of: $0, within: state.configuration)
    }
    let issued = try await sending(cookiesOf: state).http.redeemCode(
      request, of: state.configuration, at: url, stepName: Remediation.Name.issue.rawValue)
    return try await tokens.credential(
      for: issued, of: state.configuration, nonce: state.nonce, maximumAge: state.maximumAge,
      username: username ?? state.response.user?.identifier)
  }
}

// MARK: - Requests

extension IDXClient {
  private var sender: IDXSender { IDXSender(http: http) }

  private func interact(
    _ request: TokenRequest, of configuration: FlowConfiguration
  ) async throws -> Secret {
    let response = try await http.post(
      request, of: configuration, to: configuration.endpoints["interact"], isRepeatable: true)
    let json = try? JSONValue(parsing: response.body)
    if response.status < 300, let handle = json?["interaction_handle"]?.string {
      return Secret(handle)
    }
    throw http.failure(of: response, isFirst: true)
  }

  private func introspect(
    _ handle: Secret, of configuration: FlowConfiguration
  ) async throws -> IDXSender.Received {
    try await sender.introspect("interactionHandle", handle, of: configuration)
  }
}
