import IDXBase
import IDX
import IDXFlow
import IDXOAuth

/// What a request came to.
struct DirectAuthOutcome {
  enum Result {
    /// The sign-in has succeeded.
    case tokens(Tokens)
    /// The next step, or the same one as long as nothing happens.
    case goesOn(DirectAuthContext)
    /// The proof was wrong: it is asked for again.
    case refused(IDXMessage.Draft)
    /// This factor leads nowhere now: one is chosen again.
    case chooseAgain(IDXMessage.Draft)
    /// The sign-in is over.
    case ended(IDXMessage.Draft)
  }

  let result: Result
  let status: Int
  let requestID: String?
}

/// The requests of DirectAuth and what their responses mean.
///
/// Refusals are told apart by `error`, never by the status. Source: protocol section 7.
struct DirectAuthExchange: Sendable {
  let exchange: Exchange
  /// Whether the tokens are to replace a lost password.
  let isRecovery: Bool

  /// The configuration with the scopes that go with what the tokens are for.
  ///
  /// Throws where that cannot be begun by one of the factors.
  func configuration(
    for configuration: FlowConfiguration, _ factors: [DirectAuthFactor]
  ) throws -> FlowConfiguration {
    guard isRecovery else { return configuration }
    guard !factors.contains(.password) else {
      throw FlowError(
        .invalidConfiguration, "A lost password is recovered by another factor than itself.")
    }
    return try FlowConfiguration(
      issuer: configuration.issuer.absoluteString, clientID: configuration.clientID,
      redirectURI: configuration.redirectURI, scopes: ["okta.myAccount.password.manage"])
  }

  /// Lets the server send a code or a push, or say what a passkey is to sign.
  func challenge(
    by factor: DirectAuthFactor, _ context: DirectAuthContext, of configuration: FlowConfiguration
  ) async throws -> DirectAuthOutcome {
    let channel = factor.isOutOfBand ? factor.rawValue : nil
    let grant = factor.grant(isSecond: context.isSecond)
    let (endpoint, parameters): (String, [(String, String?)]) =
      context.isSecond
      ? (
        "challenge",
        [
          ("mfa_token", context.mfaToken?.revealed), ("challenge_types_supported", grant),
          ("channel_hint", channel),
        ]
      )
      : (
        "primary-authenticate",
        [
          ("login_hint", context.username), ("challenge_hint", grant), ("channel_hint", channel),
        ]
      )
    let (answer, body) = try await send(
      parameters, to: endpoint, .selectAuthenticatorAuthenticate, configuration)
    guard answer.response.status < 300 else { return try refusal(toBegin: factor, answer, context) }
    if let next = Self.next(after: body, context, factor) { return outcome(.goesOn(next), answer) }
    let message = "The server sent no usable challenge for “\(factor.label)”."
    guard context.offered.count > 1 else {
      throw FlowError(
        .unexpectedResponse, message, remediation: .selectAuthenticatorAuthenticate,
        status: answer.response.status, requestID: answer.requestID)
    }
    return outcome(.chooseAgain(IDXMessage.Draft(message + " Choose another way.")), answer)
  }

  /// Proves a factor, or asks whether the person has approved elsewhere.
  func prove(
    _ factor: DirectAuthFactor, _ credentials: JSONValue?, _ context: DirectAuthContext,
    of configuration: FlowConfiguration
  ) async throws -> DirectAuthOutcome {
    let passcode = credentials?["passcode"]?.string
    var parameters: [(String, String?)] = [
      ("grant_type", factor.grant(isSecond: context.isSecond)),
      ("mfa_token", context.mfaToken?.revealed),
      ("scope", configuration.scopes.joined(separator: " ")),
      ("intent", isRecovery ? "recovery" : nil),
      ("grant_types_supported", DirectAuthFactor.grants.joined(separator: " ")),
    ]
    switch factor {
    case .password: parameters += [("username", context.username), ("password", passcode)]
    case .otp:
      parameters += [("login_hint", context.isSecond ? nil : context.username), ("otp", passcode)]
    case .push, .sms, .voice, .email:
      parameters += [("oob_code", context.outOfBandCode?.revealed), ("binding_code", passcode)]
    case .webAuthn:
      parameters += [
        ("authenticatorData", credentials?["authenticatorData"]?.string),
        ("clientDataJSON", credentials?["clientData"]?.string),
        ("signature", credentials?["signatureData"]?.string),
        ("userHandle", credentials?["userHandle"]?.string),
      ]
    }
    let name = context.proofName
    let (answer, body): (Exchange.Answer, JSONValue?)
    do { (answer, body) = try await send(parameters, to: "token", name, configuration) } catch {
      throw context.isTyped && factor != .password ? Self.tellingOfLoss(error) : error
    }
    guard answer.response.status < 300 else {
      return try refusal(answer, body, context, factor)
    }
    return outcome(.tokens(try exchange.tokens(from: answer, step: name.rawValue)), answer)
  }

  // MARK: Requests

  /// An error that says what may have become of a proof whose answer got lost.
  ///
  /// There is nobody to ask, and a proof is not sent twice: a code counts once.
  private static func tellingOfLoss(_ error: any Error) -> any Error {
    guard let error = error as? FlowError, error.mayHaveArrived else { return error }
    return FlowError(
      error.code,
      error.message + " If it arrived all the same, it may be refused now: start again then.",
      remediation: error.remediation, underlying: error.underlying)
  }

  private func send(
    _ parameters: [(String, String?)], to endpoint: String, _ name: Remediation.Name,
    _ configuration: FlowConfiguration
  ) async throws -> (Exchange.Answer, JSONValue?) {
    let given = parameters.compactMap { name, value in value.map { (name, $0) } }
    let request = TokenRequest(parameters: [("client_id", configuration.clientID)] + given)
    let answer = try await exchange.post(
      request.body, to: configuration.endpoints[endpoint], step: name.rawValue)
    return (answer, try? JSONValue(parsing: answer.response.body))
  }
}
