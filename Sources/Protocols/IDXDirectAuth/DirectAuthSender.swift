import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// What a response of DirectAuth means.
indirect enum DirectAuthMeaning {
  /// The sign-in succeeded.
  case tokens(Tokens)
  /// The next step, or the same one while the person has not approved.
  case next(DirectAuthClientState)
  /// The proof was wrong, and the same step is repeated.
  case refused(IDXMessage.Draft)
  /// The factor cannot be used now, and the person chooses again.
  case chooseAgain(IDXMessage.Draft)
  /// The sign-in ended without tokens.
  case ended(IDXMessage.Draft)
}

/// Sends the requests of DirectAuth and reads their responses.
///
/// Errors are distinguished by `error`, never by the HTTP status.
struct DirectAuthSender: Sendable {
  var http: IssuerClient
  /// Whether the tokens are for replacing a forgotten password.
  let isRecovery: Bool

  /// The configuration with the scopes for the intent.
  ///
  /// Throws if a recovery could start with the password.
  func configuration(
    for configuration: FlowConfiguration, _ factors: [DirectAuthFactor]
  ) throws -> FlowConfiguration {
    guard isRecovery else { return configuration }
    guard !factors.contains(.password) else {
      throw FlowError(
        .invalidConfiguration, "Recovering a password needs another first factor than the password."
      )
    }
    return try FlowConfiguration(
      issuer: configuration.issuer.absoluteString, clientID: configuration.clientID,
      redirectURI: configuration.redirectURI, scopes: ["okta.myAccount.password.manage"])
  }

  /// Asks the server to send a code or a push, or for the challenge of a passkey.
  func challenge(
    by factor: DirectAuthFactor, _ clientState: DirectAuthClientState,
    of configuration: FlowConfiguration
  ) async throws -> (DirectAuthMeaning, IssuerClient.Response) {
    let isSecond = clientState.isSecond
    let grant = factor.grant(isSecond: isSecond)
    var parameters: [(String, String?)] =
      isSecond
      ? [("mfa_token", clientState.mfaToken?.revealed), ("challenge_types_supported", grant)]
      : [("login_hint", clientState.username), ("challenge_hint", grant)]
    parameters.append(("channel_hint", factor.isOutOfBand ? factor.rawValue : nil))
    let (response, body) = try await send(
      parameters, to: isSecond ? "challenge" : "primary-authenticate",
      .selectAuthenticatorAuthenticate, configuration)
    guard response.status < 300 else {
      return (try refusal(toChallenge: factor, response, clientState), response)
    }
    if let next = Self.next(after: body, clientState, factor) { return (.next(next), response) }
    let message = "The server sent no usable challenge for “\(factor.label)”."
    guard clientState.offered.count > 1 else {
      throw FlowError(
        .unexpectedResponse, message, remediation: .selectAuthenticatorAuthenticate,
        status: response.status, requestID: response.requestID)
    }
    return (.chooseAgain(IDXMessage.Draft(message + " Choose another way.")), response)
  }

  /// Sends the proof of a factor, or asks whether the person has approved elsewhere.
  func prove(
    _ factor: DirectAuthFactor, _ credentials: JSONValue?, _ clientState: DirectAuthClientState,
    of configuration: FlowConfiguration
  ) async throws -> (DirectAuthMeaning, IssuerClient.Response) {
    let passcode = credentials?["passcode"]?.string
    var parameters: [(String, String?)] = [
      ("grant_type", factor.grant(isSecond: clientState.isSecond)),
      ("mfa_token", clientState.mfaToken?.revealed),
      ("scope", configuration.scopes.joined(separator: " ")),
      ("intent", isRecovery ? "recovery" : nil),
      ("grant_types_supported", DirectAuthFactor.grants.joined(separator: " ")),
    ]
    switch factor {
    case .password: parameters += [("username", clientState.username), ("password", passcode)]
    case .otp:
      parameters += [
        ("login_hint", clientState.isSecond ? nil : clientState.username), ("otp", passcode),
      ]
    case .push, .sms, .voice, .email:
      parameters += [("oob_code", clientState.outOfBandCode?.revealed), ("binding_code", passcode)]
    case .webAuthn:
      parameters += [
        ("authenticatorData", credentials?["authenticatorData"]?.string),
        ("clientDataJSON", credentials?["clientData"]?.string),
        ("signature", credentials?["signatureData"]?.string),
        ("userHandle", credentials?["userHandle"]?.string),
      ]
    }
    let name = clientState.proofName
    let (response, body): (IssuerClient.Response, JSONValue?)
    do {
      (response, body) = try await send(
        parameters, to: "token", name, configuration, key: clientState.key)
    } catch {
      throw clientState.isTyped && factor != .password ? Self.explainingLostResponse(error) : error
    }
    guard response.status < 300 else {
      return (try refusal(toProof: factor, response, body, clientState), response)
    }
    let tokens = try await http.tokens(from: response, of: configuration, stepName: name.rawValue)
    return (.tokens(tokens), response)
  }

  /// Adds to a network error that the proof may have arrived.
  ///
  /// A code works once, and the server cannot be asked whether it got the code.
  private static func explainingLostResponse(_ error: any Error) -> any Error {
    guard let error = error as? FlowError, error.leavesUnknown else { return error }
    return error.adding(
      "The server may have received the answer. If it refuses the answer now, start again.")
  }

  private func send(
    _ parameters: [(String, String?)], to endpoint: String, _ name: Remediation.Name,
    _ configuration: FlowConfiguration, key: DPoPKey? = nil
  ) async throws -> (IssuerClient.Response, JSONValue?) {
    let given = parameters.compactMap { name, value in value.map { (name, $0) } }
    let request = TokenRequest(parameters: [("client_id", configuration.clientID)] + given)
    let url = configuration.endpoints[endpoint]
    let response =
      endpoint == "token"
      ? try await http.postForTokens(
        request, of: configuration, to: url, key: key, stepName: name.rawValue)
      : try await http.post(request, of: configuration, to: url, stepName: name.rawValue)
    return (response, try? JSONValue(parsing: response.body))
  }
}

// MARK: - Responses

extension DirectAuthSender {
  /// The state after a challenge; nil if the response contains no usable challenge.
  private static func next(
    after body: JSONValue?, _ clientState: DirectAuthClientState, _ factor: DirectAuthFactor
  ) -> DirectAuthClientState? {
    // Nothing of an earlier challenge applies to the new one.
    var next = clientState.withoutFactor
    next.factor = factor
    if factor == .webAuthn {
      guard let challenge = body?["publicKey"], challenge.object != nil else { return nil }
      next.challenge = challenge
      return next
    }
    guard let code = body?["oob_code"].flatMap(text) else { return nil }
    next.outOfBandCode = Secret(code)
    next.interval = DirectAuthClientState.interval(of: body?["interval"])
    switch body?["binding_method"]?.string {
    case "prompt"?: next.isTyped = true
    case "transfer"?:
      guard let number = body?["binding_code"].flatMap(text) else { return nil }
      next.number = number
      next.isTyped = false
    case nil: next.isTyped = factor != .push
    default: next.isTyped = false
    }
    return next
  }

  /// A text, or a number as text; nil for an empty text and for any other value.
  private static func text(_ json: JSONValue) -> String? {
    let text = json.string ?? json.integer.map(String.init)
    return text == "" ? nil : text
  }

  /// The result if the server refused to send a challenge; throws if that is not about the factor.
  ///
  /// Nothing was proved, so the same factor is not asked for again.
  private func refusal(
    toChallenge factor: DirectAuthFactor, _ response: IssuerClient.Response,
    _ clientState: DirectAuthClientState
  ) throws -> DirectAuthMeaning {
    let error = refusal(in: response)
    let hasOthers = clientState.offered.count > 1
    switch error?.code {
    case .invalidGrant, .accessDenied, "oob_rejected", "expired_token":
      let message = IDXMessage.Draft(error?.explanation ?? "“\(factor.label)” cannot be used now.")
      // For a second factor, the error means that the mfa_token is no longer valid.
      return hasOthers && !clientState.isSecond ? .chooseAgain(message) : .ended(message)
    case .invalidRequest, "invalid_challenge_types_supported":
      // The server says only now that the person does not have this factor.
      let words = "“\(factor.label)” cannot be used: it seems not to be set up"
      return hasOthers
        ? .chooseAgain(IDXMessage.Draft("\(words). Choose another way."))
        : .ended(IDXMessage.Draft("\(words) for this username."))
    default:
      throw http.failure(
        of: response, stepName: Remediation.Name.selectAuthenticatorAuthenticate.rawValue,
        isFirst: !clientState.isSecond)
    }
  }

  /// The result if the server refused a proof; throws if that is not about the proof.
  private func refusal(
    toProof factor: DirectAuthFactor, _ response: IssuerClient.Response, _ body: JSONValue?,
    _ clientState: DirectAuthClientState
  ) throws -> DirectAuthMeaning {
    let error = refusal(in: response)
    let words = error?.explanation
    switch error?.code {
    case "mfa_required": return Self.secondFactor(body, clientState)
    case "authorization_pending", "direct_auth_authorization_pending": return .next(clientState)
    case "slow_down":
      var slower = clientState
      // RFC 8628, section 3.5: from now on, the interval is five seconds longer.
      slower.interval = min(clientState.interval + 5, 60)
      return .next(slower)
    case .invalidGrant where !clientState.isTyped:
      // Nothing was typed that could be wrong, so the push is over.
      return .chooseAgain(
        IDXMessage.Draft(words ?? "The push was already answered, or has expired."))
    case .invalidGrant, "invalid_otp": return .refused(Self.wrongProof(of: factor, words))
    case .accessDenied, "oob_rejected", "expired_token":
      // Only a push can be denied on a device. For a typed code, the sign-in is over.
      let isDenied = clientState.isTyped && error?.code == .accessDenied
      let canChoose = clientState.outOfBandCode != nil && !isDenied
      let message = IDXMessage.Draft(
        words ?? (canChoose ? "The request was not approved." : "Access is denied."))
      return canChoose ? .chooseAgain(message) : .ended(message)
    default:
      throw http.failure(
        of: response, stepName: clientState.proofName.rawValue, isFirst: !clientState.isSecond)
    }
  }

  /// The OAuth error of a response; nil if the server is too busy or has failed.
  private func refusal(in response: IssuerClient.Response) -> OAuthError? {
    response.status != 429 && response.status < 500
      ? http.refusal(in: response) : nil
  }

  /// The result if the server asks for a second factor.
  private static func secondFactor(
    _ body: JSONValue?, _ clientState: DirectAuthClientState
  ) -> DirectAuthMeaning {
    let factors = DirectAuthFactor.factors(of: body?["supported_challenge_types"])
    guard let token = body?["mfa_token"]?.string, !token.isEmpty, !factors.isEmpty else {
      return .ended(
        IDXMessage.Draft("The server asks for another factor, and none of its factors works here."))
    }
    return .next(
      DirectAuthClientState(
        offered: factors, username: clientState.username, mfaToken: Secret(token)))
  }

  private static func wrongProof(
    of factor: DirectAuthFactor, _ words: String?
  ) -> IDXMessage.Draft {
    switch factor {
    case .password:
      IDXMessage.Draft(
        words ?? "The username or the password is wrong.", key: .authenticationFailed)
    case .webAuthn: IDXMessage.Draft(words ?? "The passkey was not accepted.")
    default: IDXMessage.Draft(words ?? "The code is wrong.", key: .passcodeInvalid)
    }
  }
}
