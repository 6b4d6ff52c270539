import IDXBase
import IDX
import IDXFlow
import IDXOAuth

// What the responses of DirectAuth mean.
extension DirectAuthExchange {
  /// What is to be shown or signed now; nil where the response does not say.
  static func next(
    after body: JSONValue?, _ context: DirectAuthContext, _ factor: DirectAuthFactor
  ) -> DirectAuthContext? {
    // Nothing of an earlier challenge holds for this one.
    var next = context.beforeChoice
    next.factor = factor
    if factor == .webAuthn {
      guard let challenge = body?["publicKey"], challenge.object != nil else { return nil }
      next.challenge = challenge
      return next
    }
    guard let code = body?["oob_code"].flatMap(text) else { return nil }
    next.outOfBandCode = Secret(code)
    next.interval = DirectAuthContext.interval(of: body?["interval"])
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

  /// A text or a number as a text; nil for anything else, and for nothing.
  private static func text(_ json: JSONValue) -> String? {
    let text = json.string ?? json.integer.map(String.init)
    return text == "" ? nil : text
  }

  /// What it means that nothing was sent or asked; throws where it says nothing about the factor.
  ///
  /// Nothing was proved, so there is nothing to ask for again.
  func refusal(
    toBegin factor: DirectAuthFactor, _ answer: Exchange.Answer, _ context: DirectAuthContext
  ) throws -> DirectAuthOutcome {
    guard let error = refusal(in: answer) else {
      throw exchange.failure(
        of: answer, step: Remediation.Name.selectAuthenticatorAuthenticate.rawValue)
    }
    let hasOthers = context.offered.count > 1
    switch error.code {
    case .invalidGrant, .accessDenied, "oob_rejected", "expired_token":
      let message = IDXMessage.Draft(error.explanation ?? "“\(factor.label)” cannot be used now.")
      // After another factor, it is what stands for that one which is spent.
      let goesOn = hasOthers && !context.isSecond
      return outcome(goesOn ? .chooseAgain(message) : .ended(message), answer)
    case .invalidRequest, "invalid_challenge_types_supported":
      // Only now does a server tell that the person has no such factor.
      let words = "“\(factor.label)” cannot be used: it seems not to be set up"
      return hasOthers
        ? outcome(.chooseAgain(IDXMessage.Draft("\(words). Choose another way.")), answer)
        : outcome(.ended(IDXMessage.Draft("\(words) for this user name.")), answer)
    default:
      throw exchange.failure(
        of: answer, step: Remediation.Name.selectAuthenticatorAuthenticate.rawValue)
    }
  }

  /// What a refusal of a proof means; throws where it says nothing about the proof.
  func refusal(
    _ answer: Exchange.Answer, _ body: JSONValue?, _ context: DirectAuthContext,
    _ factor: DirectAuthFactor
  ) throws -> DirectAuthOutcome {
    guard let error = refusal(in: answer) else {
      throw exchange.failure(of: answer, step: context.proofName.rawValue)
    }
    let words = error.explanation
    switch error.code {
    case "mfa_required": return outcome(Self.demand(body, context), answer, status: 200)
    case "authorization_pending", "direct_auth_authorization_pending":
      return outcome(.goesOn(context), answer, status: 200)
    case "slow_down":
      var slower = context
      // RFC 8628, section 3.5: five seconds more, from now on.
      slower.interval = min(context.interval + 5, 60)
      return outcome(.goesOn(slower), answer, status: 200)
    case .invalidGrant where !context.isTyped:
      // Nothing was typed that could be wrong: what was sent is answered or gone.
      let message = IDXMessage.Draft(words ?? "It was answered already, or came to nothing.")
      return outcome(.chooseAgain(message), answer)
    case .invalidGrant, "invalid_otp":
      return outcome(.refused(Self.wrong(factor, words)), answer)
    case .accessDenied, "oob_rejected", "expired_token":
      // Only a push can be denied on a device: who types and is denied has no sign-in any more.
      let isDenied = context.isTyped && error.code == .accessDenied
      let isOpen = context.outOfBandCode != nil && !isDenied
      let message = IDXMessage.Draft(
        words ?? (isOpen ? "It was not approved." : "Access is denied."))
      return outcome(isOpen ? .chooseAgain(message) : .ended(message), answer)
    default: throw exchange.failure(of: answer, step: context.proofName.rawValue)
    }
  }

  /// What a server refuses, unless it has too much to do or has failed.
  private func refusal(in answer: Exchange.Answer) -> OAuthError? {
    answer.response.status != 429 && answer.response.status < 500
      ? exchange.refusal(in: answer) : nil
  }

  /// What follows from a demand for another factor.
  private static func demand(
    _ body: JSONValue?, _ context: DirectAuthContext
  ) -> DirectAuthOutcome.Result {
    let factors = DirectAuthFactor.factors(of: body?["supported_challenge_types"])
    guard let token = body?["mfa_token"]?.string, !token.isEmpty, !factors.isEmpty else {
      return .ended(IDXMessage.Draft("Another factor is needed, and none that can be given here."))
    }
    var next = DirectAuthContext(offered: factors)
    next.username = context.username
    next.mfaToken = Secret(token)
    return .goesOn(next)
  }

  private static func wrong(_ factor: DirectAuthFactor, _ words: String?) -> IDXMessage.Draft {
    switch factor {
    case .password:
      IDXMessage.Draft(words ?? "The credentials are wrong.", key: .authenticationFailed)
    case .webAuthn: IDXMessage.Draft(words ?? "The passkey was not accepted.")
    default: IDXMessage.Draft(words ?? "The code is wrong.", key: .passcodeInvalid)
    }
  }

  func outcome(
    _ result: DirectAuthOutcome.Result, _ answer: Exchange.Answer, status: Int? = nil
  ) -> DirectAuthOutcome {
    DirectAuthOutcome(
      result: result, status: status ?? answer.response.status, requestID: answer.requestID)
  }
}
