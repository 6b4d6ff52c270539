import IDX

// How far a run may go.
extension Progress {
  /// How long a step may still be polled; nothing where less than one interval is left.
  func timeLeft(for form: Remediation) -> Duration {
    let left = min(limits.polling - waited, limits.pollingInAll - waitedInAll)
    return left < interval(of: form) ? .zero : left
  }

  /// Whether a form may be polled once more.
  func mayPoll(_ form: Remediation) -> Bool { timeLeft(for: form) > .zero }

  /// The pace that the server asks for, within reason.
  func interval(of form: Remediation) -> Duration {
    let wished = max(form.refresh ?? .seconds(4), .milliseconds(500), pause)
    return min(wished, .seconds(60))
  }

  /// Whether one more poll may fail for want of a network.
  var canMissPoll: Bool { missedPolls < 3 }

  /// Checks before anybody is asked, so that nothing is typed that would not be sent.
  func check(_ step: Step) throws {
    let form = step.remediation
    guard steps < limits.steps else {
      throw limitReached("The sign-in takes more than \(limits.steps) steps.", form)
    }
    guard step.attempt <= limits.attempts else {
      let response = state.response
      let words = response.everyMessage.last { $0.isError }?.text?.printable
      let reason = (invalidAnswers?.description ?? words).map { " \($0)" } ?? ""
      if response.saysTooManyRequests {
        throw FlowError(
          .rateLimited, "The server takes no more answers for now.\(reason)",
          remediation: form.name, status: state.status,
          requestID: state.requestID)
      }
      throw limitReached(
        "“\(form.name)” was refused \(limits.attempts) times in a row.\(reason)", form,
        invalidAnswers)
    }
  }

  /// The error where a form was polled as long as one may.
  func waitedInVain(for form: Remediation) -> FlowError {
    let isStepOver = limits.polling - waited < limits.pollingInAll - waitedInAll
    let limit = isStepOver ? limits.polling : limits.pollingInAll
    return limitReached("Nothing happened within \(limit.components.seconds) s.", form)
  }

  private func limitReached(
    _ message: String, _ form: Remediation, _ cause: InvalidAnswers? = nil
  ) -> FlowError {
    FlowError(
      .limitReached, message + " Start again.", remediation: form.name, underlying: cause)
  }
}
