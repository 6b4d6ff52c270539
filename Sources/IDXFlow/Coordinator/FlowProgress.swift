import IDXBase
import IDX

/// How far a run has come: the state, and what was tried on the way to it.
struct FlowProgress {
  private(set) var state: FlowState
  /// Who signs in; kept, since later responses may not name them again.
  private(set) var user: IDXResponse.User?
  /// The form that a handler chose instead of the first.
  private(set) var chosen: Remediation?
  /// How long the current step has been polled.
  private(set) var waited: Duration = .zero
  /// How long any step has been polled.
  private(set) var waitedInAll: Duration = .zero
  /// How long to wait at least before the next poll.
  private(set) var pause: Duration = .zero
  /// How many forms were answered or chosen.
  var steps = 0
  /// What the person is still after.
  var goal: Goal?
  /// How often the current step was polled in a row.
  private(set) var polls = 0
  /// How many polls in a row got no answer.
  private var missedPolls = 0

  /// Whether the person has just picked among others what is the step now.
  private var isPicked = false

  private let firstGoal: Goal?
  private let limits: FlowLimits
  private let ownRoutes: Set<Route>
  private var last: Refusal?

  private struct Refusal {
    let name: Remediation.Name
    let authenticator: IDXAuthenticator.Key?
    let answers: Answers
    let cause: InvalidAnswers?
    let count: Int
  }

  /// `ownRoutes` tells which steps have a handler of their own.
  init(state: FlowState, limits: FlowLimits, goal: Goal? = nil, ownRoutes: Set<Route> = []) {
    self.state = state
    self.limits = limits
    self.ownRoutes = ownRoutes
    self.goal = goal
    firstGoal = goal
    user = state.response.user
  }

  /// The step for a form, with what was refused at it before.
  func step(for form: Remediation) -> Step {
    let last = last.flatMap { last in
      last.name == form.name
        && last.authenticator == Step(form, state: state).authenticator?.key ? last : nil
    }
    return Step(
      form, state: state, attempt: (last?.count ?? 0) + 1, polls: polls,
      timeLeft: timeLeft(for: form), previous: last?.answers,
      problems: last?.cause?.problems ?? [], isPicked: isPicked && last == nil,
      ownRoutes: ownRoutes)
  }

  /// What kept the last answers from being sent; nil where nothing did.
  var invalidAnswers: InvalidAnswers? { last?.cause }

  /// How long a step may still be polled; nothing where less than one interval is left.
  private func timeLeft(for form: Remediation) -> Duration {
    let left = min(limits.polling - waited, limits.pollingInAll - waitedInAll)
    return left < interval(of: form) ? .zero : left
  }

  /// Whether a form may be polled once more.
  func mayPoll(_ form: Remediation) -> Bool { timeLeft(for: form) > .zero }

  /// The limit on waiting that is the nearer one.
  var limitOnWaiting: Duration {
    limits.polling - waited < limits.pollingInAll - waitedInAll
      ? limits.polling : limits.pollingInAll
  }

  /// The pace that the server asks for, within reason.
  func interval(of form: Remediation) -> Duration {
    let wished = max(form.refresh ?? .seconds(4), .milliseconds(500))
    return max(min(wished, .seconds(60)), pause)
  }

  /// Takes the state of a sign-in that was started anew.
  ///
  /// Where the one before it failed on the way to a goal, that is the goal again.
  mutating func restart(at state: FlowState) {
    if self.state.isRefusal { goal = firstGoal }
    goOn(at: state)
    user = state.response.user
  }

  /// Takes the state that something other than a poll has led to.
  mutating func goOn(at state: FlowState) {
    take(state)
    waited = .zero
    polls = 0
    last = nil
    isPicked = false
  }

  /// Gives a goal up where the person goes another way than the one that leads there.
  ///
  /// Before one has said who one is, nothing else can lead elsewhere; who starts over is still after it.
  mutating func updateGoal(_ decision: Decision, at step: Step) {
    guard step.remediation.name == .identify else { return }
    switch decision {
    case .submit(_, let form?) where form != step.remediation && form.name != .cancel: goal = nil
    case .choose(let form) where form.name != .cancel: goal = nil
    default: break
    }
  }

  mutating func choose(_ form: Remediation) {
    chosen = form
    steps += 1
  }

  /// Takes the reply to a submission; tells whether the server took the answers.
  mutating func advance(to state: FlowState, after submission: Submission) -> Bool {
    let isRefused = state.isRefusal || isPutAgain(submission.remediation, by: state)
    let refusal = isRefused ? refusal(of: submission, because: nil) : nil
    goOn(at: state)
    last = refusal
    isPicked = !isRefused && submission.remediation.name.rawValue.hasPrefix("select-")
    return !isRefused
  }

  /// Notes that answers did not fit the form and were not sent.
  mutating func refuse(_ submission: Submission, because cause: InvalidAnswers) {
    last = refusal(of: submission, because: cause)
  }

  /// Takes the reply to a poll, which neither accepts nor refuses anything; tells whether it brings
  /// news.
  mutating func pass(_ time: Duration, to state: FlowState) -> Bool {
    let isNews = state.isNews(after: self.state)
    let chosen = self.chosen
    take(state)
    // What was chosen among the forms of a response is still there in one that brings no news.
    if !isNews, let chosen { self.chosen = state.response.form(like: chosen) }
    waited = isNews ? .zero : waited + time
    waitedInAll += time
    polls = isNews ? 0 : polls + 1
    return isNews
  }

  /// Whether one more poll may fail for want of a network.
  var canMissPoll: Bool { missedPolls < 3 }

  /// The form of the last response that is the same as one of an earlier response, so that what is
  /// sent is as fresh as it can be.
  ///
  /// One that asks something else is another: what was picked by its place would become another thing.
  func renewed(_ form: Remediation) -> Remediation {
    guard polls > 0, let fresh = state.response.form(like: form), fresh.form.asksLike(form.form)
    else { return form }
    return fresh
  }

  /// Whether a poll, or a browser that came back, has ended a step in good order.
  func didAdvance(from step: Step) -> Bool {
    let response = state.response
    return !state.isRefusal
      && (state.isSignedIn || response.remediations.first?.name != step.remediation.name
        || response.currentAuthenticator?.id != step.authenticator?.id)
  }

  mutating func missPoll(after time: Duration, pause: Duration) {
    missedPolls += 1
    self.pause = pause
    waited += time
    waitedInAll += time
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

extension FlowState {
  /// Whether the server refuses, by the status or in words.
  package var isRefusal: Bool { status >= 400 || saysError }

  /// Whether an end without tokens is a good one, and the server says so: an end without a word tells
  /// nothing.
  package var endsSuccessfully: Bool { !isRefusal && !response.allMessages.isEmpty }

  /// Whether the server says that something failed.
  ///
  /// During a grace period its errors only explain what there is to mend.
  var saysError: Bool {
    response.remediations.first?.name != .deviceAssuranceGracePeriod
      && response.allMessages.contains(where: \.isError)
  }

  /// Whether the reply to a poll changes what the person sees: another step, another number to pick,
  /// a message that was not there before.
  func isNews(after earlier: FlowState) -> Bool {
    let (old, new) = (earlier.response, response)
    let (before, after) = (old.currentAuthenticator, new.currentAuthenticator)
    // The words of one message may count the seconds down.
    func subject(_ message: IDXMessage) -> String? { message.key?.rawValue ?? message.text }
    let said = Set(old.allMessages.map(subject))
    return isSignedIn || old.remediations.first?.name != new.remediations.first?.name
      || Set(old.remediations.map(\.name)) != Set(new.remediations.map(\.name))
      || before?.id != after?.id || before?.key != after?.key
      || before?.raw["contextualData"]?.sorted != after?.raw["contextualData"]?.sorted
      || new.allMessages.contains { !said.contains(subject($0)) }
  }
}

extension IDXResponse {
  /// The form of the same name, address and authenticator; nil where there is none.
  ///
  /// An address may change: the only form of a name is found wherever it leads.
  fileprivate func form(like form: Remediation) -> Remediation? {
    let namesakes = allForms.filter { $0.name == form.name }
    let alike = namesakes.filter { $0.href == form.href }
    return alike.first { $0.authenticators.map(\.id) == form.authenticators.map(\.id) }
      ?? alike.first ?? (namesakes.count == 1 ? namesakes[0] : nil)
  }
}

extension Remediation.Form {
  /// Whether the fields have the same names and choices, in the same order.
  fileprivate func asksLike(_ other: Remediation.Form) -> Bool {
    fields.count == other.fields.count
      && zip(fields, other.fields).allSatisfy { mine, theirs in
        mine.name == theirs.name && (mine.form == nil) == (theirs.form == nil)
          && mine.choices.map(\.label) == theirs.choices.map(\.label)
          && mine.choices.map(\.value) == theirs.choices.map(\.value)
          && (mine.form.flatMap { form in theirs.form.map(form.asksLike) } ?? true)
      }
  }
}

extension JSONValue {
  /// The same with the members of objects by name, which have no order that means anything.
  fileprivate var sorted: JSONValue {
    switch self {
    case .object(let object):
      .object(
        JSONValue.Object(
          object.members.sorted { $0.name < $1.name }
            .map { JSONValue.Object.Member($0.name, $0.value.sorted) }))
    case .array(let elements): .array(elements.map(\.sorted))
    default: self
    }
  }
}
