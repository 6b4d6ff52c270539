import IDXOAuth
import IDX
import IDXFlow

// What the answers of the server make of a sign-in.
extension ClassicAuthClient {
  /// Where the sign-in stands after a request; `answered` is the form that it answered, nil for none.
  func state(
    after outcome: ClassicOutcome, _ context: ClassicContext, _ answered: Remediation.Name?,
    from state: FlowState
  ) async throws -> FlowState {
    let configuration = state.configuration
    let draft: IDXResponse.Draft
    var success: FlowState.Success?
    var remembered: ClassicContext?
    switch outcome.result {
    case .transaction(let transaction):
      if answered == .challengeAuthenticator, context.place == .password,
        let factor = transaction.onlyFactor, factor.needsStart,
        let link = transaction.verify(factor)
      {
        // Where there is one way on, nobody has to choose it.
        return try await start(at: link, transaction, context, from: state)
      }
      if answered == .challengePoll,
        let choice = try await choice(after: transaction, context, from: state)
      {
        return choice
      }
      let next = try await context.arriving(at: transaction, exchange, of: configuration)
      let token = transaction.sessionToken
      let isEnd = result == .sessionToken && token != nil
      draft = try page(
        next, transaction, isEnd ? [IDXMessage.Draft("You are signed in.", kind: .info)] : [],
        of: configuration)
      success = isEnd ? nil : token.map(FlowState.Success.sessionToken)
      remembered = next
    case .refused(let messages):
      let transaction = ClassicTransaction(state.response.original)
      draft = try page(context, transaction, messages, of: configuration)
      remembered = context
    case .ended(let messages, let json): draft = ClassicPage.end(messages, after: json)
    case .lost: return try await refresh(state)
    }
    return try state.advanced(
      to: draft, status: outcome.status, requestID: outcome.requestID, success: success,
      clientState: remembered?.json)
  }

  /// All factors to choose from, once a push has come to nothing, with what happened; nil where the
  /// server leads nowhere else.
  private func choice(
    after transaction: ClassicTransaction, _ context: ClassicContext, from state: FlowState
  ) async throws -> FlowState? {
    guard transaction.status == .mfaChallenge, !transaction.isPolled,
      let factor = transaction.factor, let back = transaction.link("prev"),
      let words = ClassicPage.words(for: transaction.factorResult, of: factor)
    else { return nil }
    let outcome: ClassicOutcome
    do {
      outcome = try await exchange.send(
        transaction.naming(), to: .link(back.href), .previous, of: state.configuration)
    } catch is FlowError { return nil }
    guard case .transaction(let choice) = outcome.result, choice.status == .mfaRequired else {
      return nil
    }
    let next = context.atTransaction(username: choice.login)
    return try state.advanced(
      to: page(next, choice, [words], of: state.configuration), status: outcome.status,
      requestID: outcome.requestID, clientState: next.json)
  }

  /// What the person sees at a place.
  func page(
    _ context: ClassicContext, _ transaction: ClassicTransaction?,
    _ messages: [IDXMessage.Draft] = [], of configuration: FlowConfiguration
  ) throws -> IDXResponse.Draft {
    let base = try configuration.endpoint(ClassicExchange.path).absoluteString
    return ClassicPage(
      base: base, context: context, transaction: transaction, messages: messages
    ).draft()
  }

  private func start(
    at link: ClassicTransaction.Link, _ transaction: ClassicTransaction,
    _ context: ClassicContext, from state: FlowState
  ) async throws -> FlowState {
    let chosen = context.atTransaction(username: transaction.login)
    let between = try state.advanced(
      to: page(chosen, transaction, of: state.configuration), clientState: chosen.json)
    let outcome: ClassicOutcome
    do {
      outcome = try await exchange.send(
        transaction.naming(), to: .link(link.href), .selectAuthenticatorAuthenticate,
        of: state.configuration)
    } catch is FlowError {
      // The password was taken: the person chooses the factor, and sees what fails then.
      return between
    }
    return try await self.state(after: outcome, chosen, nil, from: between)
  }
}
