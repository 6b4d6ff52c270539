public import IDX
public import IDXOAuth

/// What comes next in a sign-in, as it follows from its progress alone.
///
/// A later version may add a case: a `switch` over all of them then needs a new one.
public indirect enum FlowNext: Sendable {
  /// Nobody has to be asked: ``FlowEngine/make(_:in:)`` makes this move.
  case move(FlowMove)
  /// Somebody has to answer one of these forms, usually the first one that they can.
  ///
  /// ``FlowProgress/nextStep(for:)`` has what is known about each.
  case ask([Remediation])
  /// The last answers to a step could not be sent, or nobody knows whether they arrived.
  ///
  /// Somebody has to decide how to continue: ``Decision/choose(_:notice:)`` with the step's form asks again.
  case failure(FlowError, Step)
  /// The server offers nothing more, and there are no tokens; see ``EndDecision``.
  case end(FlowState)
}

/// What takes a sign-in from where it is to what comes next.
///
/// A later version may add a case: a `switch` over all of them then needs a new one.
public indirect enum FlowMove: Sendable {
  /// Exchange the result of a successful sign-in for tokens.
  case redeem
  /// Do what was decided about a step.
  case decide(Decision, at: Step)
  /// Do what was decided at the end; nil to end the sign-in.
  case end(EndDecision?)
  /// Cancel the sign-in.
  case cancel
}

extension FlowProgress {
  /// What comes next; nothing is sent, and nothing changes.
  ///
  /// The same is returned until a move was made. Throws a ``/IDXOAuth/FlowError`` if the org does not offer
  /// the goal.
  public func next() throws -> FlowNext {
    if let failure { return .failure(failure.error, failure.step) }
    if state.isSignedIn { return .move(.redeem) }
    if state.isAtEnd { return .end(state) }
    if let form = try goal?.form(in: state) {
      let step = step(for: form)
      return .move(.decide(step.decision(toOpen: form), at: step))
    }
    let forms = state.response.remediations
    return .ask(chosen.map { chosen in [chosen] + forms.filter { $0 != chosen } } ?? forms)
  }

  /// The step for a form of the last response, with what was tried before.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if a limit is reached, so that nobody enters what cannot be sent.
  public func nextStep(for form: Remediation) throws -> Step {
    let step = step(for: form)
    try limits.check(step, self)
    return step
  }

  /// The error if nobody can answer what comes next; `refusal` says why the answers of a handler could not be sent.
  package func noHandlerError(after refusal: InvalidAnswers? = nil) -> FlowError {
    if let refusal {
      return FlowError(
        .invalidAnswers,
        "The answers of a handler do not fit “\(refusal.remediation)”, and no other handler takes it. \(refusal)",
        remediation: refusal.remediation, underlying: refusal)
    }
    let names = state.response.remediations.map { "“\($0.name.rawValue)”" }.joined(separator: ", ")
    return FlowError(
      .noHandler, "The server asks for \(names), and no handler can answer that.",
      remediation: state.response.remediations.first?.name, status: state.status,
      requestID: state.requestID)
  }
}

extension FlowMove {
  /// Whether the server is only asked for news.
  package var isPoll: Bool {
    switch self {
    case .decide(.poll, at: _): true
    case .decide(.submit(let answers, let form), at: let step):
      Submission(form ?? step.remediation, answers).isPoll
    default: false
    }
  }
}
