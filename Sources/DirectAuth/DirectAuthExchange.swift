import IDX
import IDXFlow
import OAuth

/// What a request came to.
struct DirectAuthOutcome {
  enum Result {
    /// The sign-in has succeeded.
    case tokens(Tokens)
    /// The next step, or the same one as long as nothing happens.
    case goesOn(DirectAuthContext)
    /// The proof was wrong: it is asked for again.
    case refused(Message.Draft)
    /// This factor leads nowhere now: one is chosen again.
    case chooseAgain(Message.Draft)
    /// The sign-in is over.
    case ended(Message.Draft)
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
    guard answer.response.status < 300 else {
      return try unusable(factor, answer, context) ?? refusal(answer, body, context, factor)
    }
    guard let next = Self.next(after: body, context, factor) else {
      throw FlowError(
        .unexpectedResponse,
        "The server sent no usable challenge for “\(factor.label)”. Choose another way.",
        remediation: .selectAuthenticatorAuthenticate, status: answer.response.status,
        requestID: answer.requestID)
    }
    return outcome(.goesOn(next), answer)
  }

  /// Proves a factor, or asks whether the person has approved elsewhere.
  func prove(
    _ factor: DirectAuthFactor, _ credentials: JSON?, _ context: DirectAuthContext,
    of configuration: FlowConfiguration
  ) async throws -> DirectAuthOutcome {
    let passcode = credentials?["passcode"]?.string
    var parameters: [(String, String?)] = [
      ("grant_type", factor.grant(isSecond: context.isSecond)),
      ("mfa_token", context.mfaToken?.revealed), ("scope", scope(of: configuration)),
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
    let name: Remediation.Name = context.isTyped ? .challengeAuthenticator : .challengePoll
    let (answer, body) = try await send(parameters, to: "token", name, configuration)
    guard answer.response.status < 300 else {
      return try refusal(answer, body, context, factor)
    }
    return outcome(.tokens(try exchange.tokens(from: answer, for: name)), answer)
  }

  // MARK: Requests

  private func scope(of configuration: FlowConfiguration) -> String {
    isRecovery ? "okta.myAccount.password.manage" : configuration.scopes.joined(separator: " ")
  }

  private func send(
    _ parameters: [(String, String?)], to endpoint: String, _ name: Remediation.Name,
    _ configuration: FlowConfiguration
  ) async throws -> (Exchange.Answer, JSON?) {
    let given = parameters.compactMap { name, value in value.map { (name, $0) } }
    let request = TokenRequest(parameters: [("client_id", configuration.clientID)] + given)
    let answer = try await exchange.post(
      request.body, to: configuration.endpoints[endpoint], for: name)
    return (answer, try? JSON(parsing: answer.response.body))
  }

  // MARK: Responses

  /// What is to be shown or signed now; nil where the response does not say.
  private static func next(
    after body: JSON?, _ context: DirectAuthContext, _ factor: DirectAuthFactor
  ) -> DirectAuthContext? {
    var next = context
    next.factor = factor
    if factor == .webAuthn {
      guard let challenge = body?["publicKey"], challenge.object != nil else { return nil }
      next.challenge = challenge
      return next
    }
    guard let code = body?["oob_code"]?.string else { return nil }
    next.outOfBandCode = Secret(code)
    next.interval = min(max(body?["interval"]?.integer ?? DirectAuthContext.usualInterval, 1), 60)
    switch body?["binding_method"]?.string {
    case "prompt"?: next.isTyped = true
    case "transfer"?:
      guard let number = body?["binding_code"].flatMap(text) else { return nil }
      next.number = number
      next.isTyped = false
    default: next.isTyped = false
    }
    return next
  }

  private static func text(_ json: JSON) -> String? { json.string ?? json.integer.map(String.init) }

  /// The way back where the person has no such factor, which a server tells only now.
  private func unusable(
    _ factor: DirectAuthFactor, _ answer: Exchange.Answer, _ context: DirectAuthContext
  ) -> DirectAuthOutcome? {
    let codes: [OAuthError.Code] = [.invalidRequest, "invalid_challenge_types_supported"]
    guard context.offered.count > 1, let error = exchange.refusal(in: answer),
      codes.contains(error.code)
    else { return nil }
    let message = "“\(factor.label)” cannot be used: it seems not to be set up. Choose another way."
    return outcome(.chooseAgain(Message.Draft(message)), answer)
  }

  /// What a refusal means; throws where it says nothing about the proof.
  private func refusal(
    _ answer: Exchange.Answer, _ body: JSON?, _ context: DirectAuthContext,
    _ factor: DirectAuthFactor
  ) throws -> DirectAuthOutcome {
    guard answer.response.status != 429, answer.response.status < 500,
      let error = exchange.refusal(in: answer)
    else { throw exchange.failure(of: answer, for: .challengeAuthenticator) }
    let words = error.explanation
    switch error.code {
    case "mfa_required":
      let types = body?["supported_challenge_types"]?.string ?? ""
      let factors = DirectAuthFactor.factors(of: types)
      guard let token = body?["mfa_token"]?.string, !factors.isEmpty else {
        return outcome(
          .ended(Message.Draft("Another factor is needed, and none that can be given here.")),
          answer)
      }
      var next = DirectAuthContext(offered: factors)
      next.username = context.username
      next.mfaToken = Secret(token)
      return outcome(.goesOn(next), answer, status: 200)
    case "authorization_pending", "direct_auth_authorization_pending":
      return outcome(.goesOn(context), answer, status: 200)
    case "slow_down":
      var slower = context
      // RFC 8628, section 3.5: five seconds more, from now on.
      slower.interval = min(context.interval + 5, 60)
      return outcome(.goesOn(slower), answer, status: 200)
    case .invalidGrant, "invalid_otp":
      return outcome(.refused(Self.wrong(factor, words)), answer)
    case .accessDenied, "oob_rejected", "expired_token":
      let isOpen = context.outOfBandCode != nil
      let message = Message.Draft(words ?? (isOpen ? "It was not approved." : "Access is denied."))
      return outcome(isOpen ? .chooseAgain(message) : .ended(message), answer)
    default: throw exchange.failure(of: answer, for: .challengeAuthenticator)
    }
  }

  private static func wrong(_ factor: DirectAuthFactor, _ words: String?) -> Message.Draft {
    factor == .password
      ? Message.Draft(words ?? "The credentials are wrong.", key: .authenticationFailed)
      : Message.Draft(words ?? "The code is wrong.", key: .passcodeInvalid)
  }

  private func outcome(
    _ result: DirectAuthOutcome.Result, _ answer: Exchange.Answer, status: Int? = nil
  ) -> DirectAuthOutcome {
    DirectAuthOutcome(
      result: result, status: status ?? answer.response.status, requestID: answer.requestID)
  }
}
