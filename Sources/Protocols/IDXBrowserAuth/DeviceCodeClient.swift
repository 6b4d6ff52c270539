import IDX
public import IDXBase
public import IDXFlow
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs in with a browser on any device: the person enters a code there, and this client waits for the tokens.
///
///     let client = DeviceCodeClient(transport: transport)
///     let coordinator = FlowCoordinator(client: client, handlers: .showing(on: frontEnd))
///
/// Its only step is the polled form ``/IDX/Remediation/Name/userCodePoll``. Show the person the
/// ``/IDX/IDXResponse/userCode`` of the response; the built-in screens do. Only that person may enter it: whoever
/// makes somebody else enter a code gets that person's tokens. The app needs the grant type “Device Authorization”, and
/// no redirect URI. Requests go only to the issuer's origin, and the page for the code must be there too. Source: RFC
/// 8628.
public struct DeviceCodeClient: FlowClient, CookieClient {
  /// Sends the requests.
  public var http: IssuerClient
  private let tokens: TokenClient
  private let pageOrigins: [URL]

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - tokens: Checks the tokens and says how the app authenticates; by default over the same transport, for an app
  ///     without a client secret.
  ///   - pageOrigins: Other servers whose page may ask for the code, such as `https://login.example.com`, with
  ///     https and of which only the origin counts; by default none besides the issuer's. With a page of somebody else,
  ///     an issuer could pass on the code of another org, and get what the person grants there.
  public init(
    transport: any Transport, tokens: TokenClient? = nil, pageOrigins: [URL] = []
  ) {
    let tokens = tokens ?? TokenClient(transport: transport)
    http = IssuerClient(transport: transport, tokens: tokens)
    self.tokens = tokens
    self.pageOrigins = pageOrigins
  }

  /// Starts a sign-in: asks the server for its endpoints, and then for a code.
  ///
  /// `loginHint` is not sent, because the protocol has no parameter for it. Throws a ``/IDXOAuth/FlowError`` with the
  /// code `invalidConfiguration` for the other options, which the protocol does not have either, and if the server says
  /// that it is another issuer; with `notOffered` if it has no device authorization endpoint; and with `hrefRefused` if
  /// that is at another origin.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    guard options.recoveryToken == nil, options.activationToken == nil, options.acrValues.isEmpty,
      options.maximumAge == nil
    else {
      throw FlowError(
        .invalidConfiguration,
        "A sign-in with a device code does not support recovery tokens, activation tokens, acr_values or max_age."
      )
    }
    return try await keepingCookies(options.cookies(for: configuration)) { client in
      try await client.requestCode(of: configuration)
    }
  }

  /// Asks for the code.
  private func requestCode(of configuration: FlowConfiguration) async throws -> FlowState {
    guard
      let endpoint = try await http.metadata(of: configuration).deviceAuthorizationEndpoint
    else {
      throw FlowError(
        .notOffered, "The server has no device authorization endpoint (RFC 8628).")
    }
    let url = try http.address(endpoint, for: "device_authorization", within: configuration)
    let request = TokenRequest(parameters: [
      ("client_id", configuration.clientID),
      ("scope", configuration.scopes.joined(separator: " ")),
    ])
    let response = try await http.post(request, of: configuration, to: url)
    guard response.status < 300 else { throw http.failure(of: response) }
    let clientState: DeviceClientState
    do {
      clientState = try DeviceClientState(
        parsing: response.body, from: [configuration.issuer] + pageOrigins, at: http.now())
    } catch { throw http.failure(of: response, because: error) }
    await tokens.prefetchKeys(for: configuration)
    return try FlowState(
      signInProtocol: .device, configuration: configuration,
      draft: clientState.draft(of: configuration), clientState: clientState.json,
      requestID: response.requestID)
  }

  /// Asks whether the person has entered the code and signed in.
  ///
  /// Until then, the new state has the same form, which waits five seconds longer if the server asks for that. If the
  /// code has expired or the person has refused, the state is at its end.
  public func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: .device)
    let form = submission.remediation.name
    guard form == .userCodePoll, let clientState = DeviceClientState(state.clientState) else {
      throw state.notOffered(form)
    }
    return try await keepingCookies(of: state) { client in
      try await client.poll(form, clientState, from: state)
    }
  }

  private func poll(
    _ form: Remediation.Name, _ clientState: DeviceClientState, from state: FlowState
  ) async throws -> FlowState {
    var clientState = clientState
    let configuration = state.configuration
    let expired = IDXMessage.Draft(
      "The code has expired. Start again to get another.", key: .sessionExpired)
    guard !clientState.isExpired(at: http.now()) else {
      clientState.key?.remove()
      return try state.advanced(to: IDXResponse.Draft(messages: [expired]), status: 400)
    }
    let request = TokenRequest(parameters: [
      ("grant_type", DeviceClientState.grant), ("device_code", clientState.deviceCode.revealed),
      ("client_id", configuration.clientID),
    ])
    let response = try await http.atEndpoint(.token, of: configuration.issuer) { url in
      let response = try await http.postForTokens(
        request, of: configuration, to: url, key: clientState.key, stepName: form.rawValue)
      clientState.key = response.key ?? clientState.key
      return response
    }
    if response.status < 300 {
      let issued = try await http.tokens(from: response, of: configuration, stepName: form.rawValue)
      return try state.advanced(
        to: IDXResponse.Draft(), requestID: response.requestID, success: .tokens(issued))
    }
    func ended(_ message: IDXMessage.Draft) throws -> FlowState {
      clientState.key?.remove()
      return try state.advanced(
        to: IDXResponse.Draft(messages: [message]), status: response.status,
        requestID: response.requestID)
    }
    // Another status is a server that fails, whatever its body says.
    let isAnswer = (400..<500).contains(response.status) && response.status != 429
    switch isAnswer ? http.refusal(in: response)?.code : nil {
    case "authorization_pending": break
    case "slow_down": clientState.slowDown()
    case "expired_token":
      return try ended(expired)
    case .accessDenied:
      return try ended(IDXMessage.Draft("The sign-in was refused in the browser."))
    default:
      throw http.failure(of: response, stepName: form.rawValue)
    }
    return try state.advanced(
      to: clientState.draft(of: configuration), requestID: response.requestID,
      clientState: clientState.json)
  }

  /// Returns the state unchanged: ``proceed(_:from:)`` asks for news.
  public func refresh(_ state: FlowState) async throws -> FlowState {
    try state.check(for: .device)
    return state
  }

  /// The credential with the tokens of the sign-in, after they were checked.
  public func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    try state.check(for: .device)
    guard case .tokens(let issued)? = state.success else { throw state.notOffered(.issue) }
    return try await tokens.credential(
      for: issued, of: state.configuration, nonce: nil, maximumAge: nil, username: username)
  }
}
