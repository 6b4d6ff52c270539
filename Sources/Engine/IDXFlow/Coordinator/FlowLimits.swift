import IDX
import IDXOAuth

/// The limits of a sign-in, so that nothing runs forever.
public struct FlowLimits: Sendable, Hashable {
  /// How many steps a sign-in may take: answers (sent or not), choices of another form, and returns of a
  /// browser; by default 100.
  ///
  /// Polls that were decided as such (``Decision/poll(_:)``) do not count.
  public var steps = 100
  /// How many answers to one form may be refused in a row, by the server or by the form's rules, or be accepted and lead
  /// back to it (``Step/attempt``); by default 10.
  public var attempts = 10
  /// How long one step is polled; by default 5 minutes.
  public var polling: Duration = .seconds(300)
  /// How long one sign-in polls in total; by default 30 minutes.
  public var totalPolling: Duration = .seconds(1800)
  /// How long to wait for the server to accept a cancel; by default 2 seconds.
  public var cancelTimeout: Duration = .seconds(2)

  /// Creates the default limits.
  public init() {}

  // MARK: Checks

  /// Throws if no more answers to a step may be sent.
  func check(_ step: Step, _ progress: FlowProgress) throws {
    let form = step.remediation
    try checkSteps(progress, form)
    guard step.attempt > attempts else { return }
    if let error = step.noMoreAnswers { throw error }
    guard progress.lastRefusal?.name == form.name else { throw circle(progress, form) }
    let cause = progress.lastRefusal?.cause.map { "\($0)" }
    let reason = (cause ?? step.lastErrorText).map { " \($0)" } ?? ""
    // A lost connection is no refusal.
    let lost: Set<FlowError.Code> = [.network, .answerUnconfirmed, .serverFailed]
    let isLost = (progress.lastRefusal?.cause as? FlowError).map { lost.contains($0.code) } ?? false
    throw reached(
      isLost
        ? "“\(form.name)” was tried \(attempts) times. The last time, no usable answer came from the "
          + "server.\(reason)"
        : "“\(form.name)” was refused \(attempts) times in a row.\(reason)", form,
      progress.lastRefusal?.cause)
  }

  /// Throws if the sign-in may take no more steps.
  func checkSteps(_ progress: FlowProgress, _ form: Remediation? = nil) throws {
    guard progress.steps >= steps else { return }
    throw reached("The sign-in takes more than \(steps) steps.", form)
  }

  /// Throws if a form may not be polled any more.
  func checkPolling(_ form: Remediation, _ progress: FlowProgress) throws {
    guard !progress.mayPoll(form) else { return }
    throw reached(
      "Nothing happened within \(progress.polling.limit(of: self).spoken).", form)
  }

  /// The error if accepted answers lead back to the same form.
  private func circle(_ progress: FlowProgress, _ form: Remediation) -> FlowError {
    var names = progress.answeredForms.circle.map(\.rawValue)
    if let first = progress.state.response.remediations.first?.name.rawValue, !names.contains(first)
    {
      names.append(first)
    }
    let circle = names.map { "“\($0.shortened(to: 60).printable)”" }.joined(separator: ", ")
    return FlowError(
      .limitReached,
      "The sign-in goes in a circle: the server accepted \(attempts) times what handlers answer to “\(form.name)”, "
        + "and asks for it again. The forms in the circle are \(circle).", remediation: form.name)
  }

  private func reached(
    _ message: String, _ form: Remediation?, _ cause: (any Error)? = nil
  ) -> FlowError {
    FlowError(
      .limitReached, message + " Start again.", remediation: form?.name, underlying: cause)
  }
}

extension Step {
  /// The error if the server has refused answers to the step and accepts no more of them, because there were too
  /// many or the account is locked; nil if it may accept others.
  package var noMoreAnswers: FlowError? {
    guard attempt > 1, response.isRateLimited || response.isLocked else { return nil }
    return FlowError(
      .rateLimited,
      "The server accepts no more answers for now.\(lastErrorText.map { " \($0)" } ?? "")",
      remediation: remediation.name, status: state.status, requestID: state.requestID)
  }

  fileprivate var lastErrorText: String? {
    response.allMessages.last { $0.isError }?.text?.shortened(to: 300).printable
  }
}
