import IDX

/// How far a run has come: the state, and what was tried on the way to it.
struct Progress {
  private(set) var state: FlowState
  /// Who signs in; kept, since later responses may not name them again.
  private(set) var user: Response.User?
  /// The form that a handler chose instead of the first.
  private(set) var chosen: Remediation?
  /// How long the current step has been polled.
  private(set) var waited: Duration = .zero
  /// How long to wait at least before the next poll.
  private(set) var pause: Duration = .zero
  /// How many forms were answered or chosen.
  var steps = 0
  /// How often the current step was polled in a row.
  private var polls = 0
  /// How many polls in a row got no answer.
  private var missedPolls = 0

  private var last: Refusal?

  private struct Refusal {
    let name: Remediation.Name
    let authenticator: Authenticator.Key?
    let answers: Answers
    let cause: InvalidAnswers?
    let count: Int
  }

  init(state: FlowState) {
    self.state = state
    user = state.response.user
  }

  /// The step for a form, with what was refused at it before.
  func step(for form: Remediation) -> Step {
    let plain = Step(form, state: state, polls: polls)
    guard let last, last.name == form.name, last.authenticator == plain.authenticator?.key else {
      return plain
    }
    return Step(
      form, state: state, attempt: last.count + 1, polls: polls, previous: last.answers,
      problems: last.cause?.problems ?? [])
  }

  /// What kept the last answers from being sent; nil where nothing did.
  var invalidAnswers: InvalidAnswers? { last?.cause }

  mutating func choose(_ form: Remediation) {
    chosen = form
    steps += 1
  }

  /// Takes the reply to a submission; tells whether the server took the answers.
  mutating func advance(to state: FlowState, after submission: Submission) -> Bool {
    let isRefused =
      state.status >= 400 || state.response.everyMessage.contains(where: \.isError)
      || isPutAgain(submission.remediation, by: state)
    let refusal = refusal(of: submission, because: nil)
    take(state)
    waited = .zero
    polls = 0
    last = isRefused ? refusal : nil
    return !isRefused
  }

  /// Notes that answers did not fit the form and were not sent.
  mutating func refuse(_ submission: Submission, because cause: InvalidAnswers) {
    last = refusal(of: submission, because: cause)
  }

  /// Takes the reply to a poll, which neither accepts nor refuses anything.
  mutating func pass(_ time: Duration, to state: FlowState) {
    let before = self.state.response
    take(state)
    let after = state.response
    let isSame =
      after.remediations.first?.name == before.remediations.first?.name
      && after.currentAuthenticator?.id == before.currentAuthenticator?.id
    waited = isSame ? waited + time : .zero
    polls = isSame ? polls + 1 : 0
  }

  /// Whether one more poll may fail for want of a network.
  var canMissPoll: Bool { missedPolls < 3 }

  mutating func missPoll(after time: Duration, isTooOften: Bool) {
    missedPolls += 1
    pause = isTooOften ? .seconds(60) : .zero
    waited += time
    polls += 1
  }

  /// Whether the same form comes first again, which is how a refusal looks whose words got lost.
  private func isPutAgain(_ form: Remediation, by state: FlowState) -> Bool {
    guard let first = state.response.remediations.first, !form.isPolled else { return false }
    return first.name == form.name && first.href == form.href
      && first.form.fields.map(\.name) == form.form.fields.map(\.name)
      && Step(first, state: state).authenticator?.id == step(for: form).authenticator?.id
  }

  private func refusal(
    of submission: Submission, because cause: InvalidAnswers?
  ) -> Refusal {
    let step = step(for: submission.remediation)
    return Refusal(
      name: submission.remediation.name, authenticator: step.authenticator?.key,
      answers: submission.answers, cause: cause, count: step.attempt)
  }

  private mutating func take(_ state: FlowState) {
    self.state = state
    missedPolls = 0
    pause = .zero
    if let user = state.response.user {
      self.user = user
    } else if state.response[.identify] != nil {
      user = nil
    }
    chosen = nil
  }
}
