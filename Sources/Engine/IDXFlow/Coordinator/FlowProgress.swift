import IDX
import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A sign-in under way: its state, and what was tried to get there, such as refused answers, polls, and
/// the form that the person has opened.
///
/// ``next()`` says what comes next, and ``FlowEngine/make(_:in:)`` leads there. Between two moves it can be saved
/// (``snapshot()``) and continued by another process, with the same limits.
public struct FlowProgress: Sendable {
  /// The current state of the sign-in.
  public private(set) var state: FlowState
  /// The user, kept because later responses may not name them again.
  private(set) var user: IDXResponse.User?
  /// The username that the server has accepted last, as it was typed; nil if it asks for one.
  private(set) var typedUsername: String?
  /// The form that a handler chose instead of the first one.
  private(set) var chosen: Remediation?
  /// Why it was chosen, for the person.
  private var notice: String?
  /// How long its steps have been polled.
  var polling = Polling()
  /// Why the last answers could not be sent, as long as nobody has decided how to continue.
  var failure: (error: FlowError, step: Step)?
  /// How many forms were answered or chosen.
  var steps = 0
  /// The goal that is not reached yet.
  var goal: Goal?
  /// Whether the person has just chosen the current step among others.
  private var wasChosen = false
  /// What the server has asked of Okta Verify.
  private var fastPassHistory = FastPassHistory()

  private var firstGoal: Goal?
  private(set) var lastRefusal: Refusal?
  /// What was answered without asking a person.
  private(set) var answeredForms = AnsweredForms()
  /// Whether nobody knows if the last answer has arrived, because the server could not be asked either.
  ///
  /// It has to be asked before the next answer, which it would refuse if it has moved on.
  var isAnswerUnknown = false
  /// The limits of the sign-in.
  let limits: FlowLimits
  /// What to ask of the server if the sign-in starts over; nil if only the state says that.
  var options: StartOptions?
  /// What its steps depend on besides the sign-in: from the handlers.
  package var context = StepContext()
  /// What no message or error may show.
  var answerRedactor = AnswerRedactor()

  struct Refusal {
    let name: Remediation.Name
    let authenticator: IDXAuthenticator.Key?
    let attempt: Int
    let answers: Answers
    /// Why the answers were not sent, or may not have arrived; nil if the server refused them.
    let cause: (any Error)?

    var problems: [InvalidAnswers.Problem] { (cause as? InvalidAnswers)?.problems ?? [] }

    /// The answers that may be saved.
    let plainTexts: [String: String]
  }

  /// Creates the progress of a sign-in of which only the state is known; `goal` is what the person does
  /// first.
  public init(_ state: FlowState, goal: Goal? = nil, limits: FlowLimits = FlowLimits()) {
    self.state = state
    self.limits = limits
    self.goal = goal
    firstGoal = goal
    user = state.response.user
    fastPassHistory.add(state)
  }

  /// The shortest time until the next poll.
  package var pause: Duration { polling.pause }
  /// How many polls in a row brought no news.
  package var polls: Int { polling.count }

  /// The result of the sign-in.
  package func signIn(with credential: Credential, keptAs name: String? = nil) -> SignIn {
    SignIn(credential: credential, user: user, state: state, keptAs: name)
  }

  /// Whether a username is none of those by which the person is known; false if nobody is known.
  package func isForSomebodyElse(_ username: String) -> Bool {
    let known = [typedUsername, user?.identifier].compactMap { $0?.lowercased() }
    return !known.isEmpty && !known.contains(username.lowercased())
  }

  /// Whether nothing was sent or chosen since an earlier time.
  package func isUnchanged(since earlier: FlowProgress) -> Bool {
    steps == earlier.steps && polls == earlier.polls && state == earlier.state
  }

  /// The step for a form, with what was refused before.
  func step(for form: Remediation) -> Step {
    let authenticator = form.firstAuthenticator ?? state.response.currentAuthenticator
    let last = lastRefusal.flatMap { last in
      last.name == form.name && last.authenticator == authenticator?.key ? last : nil
    }
    let circles = answeredForms.isEmpty ? 0 : answeredForms.count(of: form, about: authenticator)
    var step = Step(
      form, state: state, attempt: max(last?.attempt ?? 0, circles) + 1, polls: polls,
      timeLeft: timeLeft(for: form), previous: last?.answers,
      problems: last?.problems ?? [], context)
    step.user = user
    step.typedUsername = typedUsername
    step.goal = goal
    step.shownAnswers = last.map { Set($0.plainTexts.keys) }
    step.fastPassHistory = fastPassHistory
    let isOpened = chosen == form
    step.notice = isOpened ? notice : nil
    step.wasChosen = last == nil && (isOpened ? notice == nil : wasChosen)
    return step
  }

  // MARK: Answers

  /// Starts again; if the last sign-in failed before its goal, the goal applies again.
  mutating func restart(at state: FlowState) throws {
    if self.state.isRefusal { goal = firstGoal }
    try advance(to: state)
    startOver()
  }

  /// Forgets who was signing in, because the person has started over, and gives the server new tries to find Okta
  /// Verify: only a person starts over.
  private mutating func startOver() {
    (user, typedUsername) = (state.response.user, nil)
    answeredForms = AnsweredForms()
    fastPassHistory.startOver(at: state)
  }

  /// Takes the state after a browser has returned to a step.
  mutating func resume(at state: FlowState, from step: Step) throws {
    try advance(to: state)
    if !step.hasReply { answeredForms.add(step.remediation, about: step.authenticator) }
  }

  /// Takes a state that did not come from a poll.
  mutating func advance(to state: FlowState) throws {
    try take(state)
    fastPassHistory.add(state)
    polling.leaveStep()
    lastRefusal = nil
    wasChosen = false
  }

  /// Records that a person was asked, so that the sign-in does not go in a circle by itself.
  mutating func takeReply() { answeredForms = AnsweredForms() }

  /// Takes the response to the answers to a step; returns whether the server accepted them.
  mutating func advance(
    to state: FlowState, after submission: Submission, at step: Step
  ) throws -> Bool {
    let isRefused =
      state.isRefusal
      || (!submission.remediation.isPolled
        && state.asksAgain(submission.remediation, after: self.state))
    let refusal = isRefused ? refusal(of: submission, because: nil) : nil
    // Polls without news lead nowhere; their time is limited.
    let isStep = !isRefused && (!submission.isPoll || state.isNews(after: self.state))
    try advance(to: state)
    if !isRefused, submission.remediation.name == .cancel { startOver() }
    lastRefusal = refusal
    if !isRefused, state.response[.identify] == nil, let name = submission.plainTexts["identifier"]
    {
      typedUsername = name
    }
    wasChosen = !isRefused && submission.remediation.name.rawValue.hasPrefix("select-")
    if isStep, !step.hasReply {
      answeredForms.add(
        submission.remediation, about: step.authenticator, isPoll: submission.isPoll)
    }
    return !isRefused
  }

  /// Records that answers did not fit the form and were not sent, or that nobody knows whether they
  /// arrived.
  mutating func refuse(_ submission: Submission, because cause: any Error) {
    lastRefusal = refusal(of: submission, because: cause)
  }

  /// Records that answers could not be sent, or may not have arrived, so that somebody has to decide.
  mutating func fail(_ submission: Submission, because error: FlowError) {
    refuse(submission, because: error)
    failure = (error, step(for: submission.remediation))
  }

  mutating func choose(_ form: Remediation, notice: String?) {
    chosen = form
    self.notice = notice
    steps += 1
  }

  /// Drops the goal if its form is opened, or if the person takes another way at the username; starting over
  /// keeps it.
  mutating func updateGoal(after decision: Decision, at step: Step) {
    let opened: Remediation? =
      switch decision {
      case .submit(_, let form): form
      case .choose(let form, _): form
      default: nil
      }
    guard let opened, opened.name != .cancel else { return }
    let isOtherWay = step.remediation.name == .identify && opened != step.remediation
    if isOtherWay || goal?.isReached(at: opened.name) == true { goal = nil }
  }

  /// Whether a poll or a browser has completed a step.
  func didAdvance(from step: Step) -> Bool {
    let response = state.response
    return !state.isRefusal
      && (state.isSignedIn || response.remediations.first?.name != step.remediation.name
        || response.currentAuthenticator?.id != step.authenticator?.id)
  }

  private func refusal(of submission: Submission, because cause: (any Error)?) -> Refusal {
    let step = step(for: submission.remediation)
    return Refusal(
      name: step.remediation.name, authenticator: step.authenticator?.key, attempt: step.attempt,
      answers: submission.answers, cause: cause, plainTexts: submission.plainTexts)
  }

  private mutating func take(_ state: FlowState) throws {
    self.state = try answerRedactor.removed(from: state)
    failure = nil
    isAnswerUnknown = false
    polling.takeResponse()
    let asksForUsername = state.response[.identify] != nil
    if let user = state.response.user {
      self.user = user
    } else if asksForUsername {
      user = nil
    }
    if asksForUsername { typedUsername = nil }
    chosen = nil
  }

  // MARK: Polls

  /// How long a step may still be polled; zero if less than one interval is left.
  private func timeLeft(for form: Remediation) -> Duration {
    let left = polling.timeLeft(limits)
    return left < interval(of: form) ? .zero : left
  }

  /// Whether a form may be polled once more.
  package func mayPoll(_ form: Remediation) -> Bool { timeLeft(for: renewed(form)) > .zero }

  /// The shortest time until a form is polled again.
  ///
  /// Okta Verify answers the server before it responds, so the first poll after that has news. That is so once: a
  /// server could have news again and again.
  func interval(of form: Remediation) -> Duration {
    let isAnswered =
      !polling.hasPolledAtOnce && polls == 0
      && state.response.deviceChallenge(for: form)?.method == .loopback
    return max(isAnswered ? .zero : form.pollInterval, pause)
  }

  /// Takes the response to a poll of a form, which refuses nothing; returns whether it is news.
  mutating func finishPoll(
    of form: Remediation, after time: Duration, at state: FlowState
  ) throws -> Bool {
    let isNews = state.isNews(after: self.state)
    if isNews, !state.isRefusal {
      let authenticator = form.firstAuthenticator ?? self.state.response.currentAuthenticator
      answeredForms.add(form, about: authenticator, isPoll: true)
    }
    if self.state.response.deviceChallenge != nil { polling.hasPolledAtOnce = true }
    let chosen = self.chosen
    try take(state)
    // Without news, the form that was chosen is still there.
    if !isNews, let chosen { self.chosen = state.response.form(like: chosen) }
    polling.add(time, isNews: isNews)
    // Without news, nothing is passed on again.
    if isNews { fastPassHistory.add(state) }
    return isNews
  }

  /// The newest version of a form, because polls may renew its handle.
  ///
  /// If it asks for something else, a choice by position would change its meaning.
  func renewed(_ form: Remediation) -> Remediation {
    guard polls > 0, let newest = state.response.form(like: form),
      newest.form.asksTheSame(as: form.form)
    else { return form }
    return newest
  }
}

// MARK: - Saving

extension FlowProgress {
  /// Writes the sign-in as JSON, its secrets in the clear, like ``FlowState/snapshot()``.
  ///
  /// What the person typed is not in it, except the username and refused texts that are no secrets. So if
  /// the server repeats a password after the sign-in was read again, it stays in the message. Neither are the limits,
  /// a failure that nobody has decided about, nor the start options, except the maximum age.
  public func snapshot() throws -> Data {
    try JSONEncoder().encode(SavedParts(snapshot: Snapshot(self), polling: polling))
  }

  /// Reads a sign-in that ``snapshot()`` wrote; throws like ``FlowState/init(snapshot:for:)``.
  public init(
    snapshot: Data, for configuration: FlowConfiguration, limits: FlowLimits = FlowLimits()
  ) throws {
    let saved = try FlowStateSnapshot.read(SavedParts.self, from: snapshot)
    guard saved.polling.isPossible else { throw FlowError.damagedSignIn() }
    self = try saved.snapshot.progress(limits)
    polling = saved.polling
    try state.check(for: configuration)
  }

  /// The parts of a saved sign-in, whose members are in one object.
  private struct SavedParts: Codable {
    let snapshot: Snapshot
    let polling: Polling

    init(snapshot: Snapshot, polling: Polling) {
      self.snapshot = snapshot
      self.polling = polling
    }

    init(from decoder: any Decoder) throws {
      snapshot = try Snapshot(from: decoder)
      polling = try Polling(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
      try snapshot.encode(to: encoder)
      try polling.encode(to: encoder)
    }
  }

  /// The part of the format besides polls; a member that is missing has the value of a new one.
  private struct Snapshot: Codable {
    let state: FlowStateSnapshot
    var user: String?
    var typedUsername: String?
    /// The position of the chosen form among all forms.
    var chosen: Int?
    var notice: String?
    var goal: String?
    var firstGoal: String?
    var steps = 0
    var wasChosen = false
    var refusal: SavedRefusal?
    var isAnswerUnknown: Bool?
    var fastPass: FastPassHistory?

    struct SavedRefusal: Codable {
      let name: Remediation.Name
      let authenticator: IDXAuthenticator.Key?
      let attempt: Int
      let texts: [String: String]
    }

    init(_ progress: FlowProgress) {
      let response = progress.state.response
      state = FlowStateSnapshot(state: progress.state)
      user =
        response.user == nil
        ? progress.user.map { String(decoding: $0.raw.bytes, as: UTF8.self) } : nil
      typedUsername = progress.typedUsername
      chosen = progress.chosen.flatMap(response.allForms.firstIndex)
      notice = progress.notice
      goal = progress.goal?.form.rawValue
      firstGoal = progress.firstGoal?.form.rawValue
      steps = progress.steps
      wasChosen = progress.wasChosen
      isAnswerUnknown = progress.isAnswerUnknown ? true : nil
      let history = progress.fastPassHistory
      fastPass = history == FastPassHistory() ? nil : history
      refusal = progress.lastRefusal.map { last in
        SavedRefusal(
          name: last.name, authenticator: last.authenticator, attempt: last.attempt,
          texts: last.plainTexts)
      }
    }

    func progress(_ limits: FlowLimits) throws -> FlowProgress {
      // Whoever changed the snapshot must not be able to make a sum too great.
      let counts = [steps, refusal?.attempt ?? 1, fastPass?.challenges ?? 0]
      guard counts.allSatisfy((0...1_000_000).contains) else { throw FlowError.damagedSignIn() }
      var progress = FlowProgress(
        state.state, goal: Goal.all.first { $0.form.rawValue == goal }, limits: limits)
      progress.firstGoal = Goal.all.first { $0.form.rawValue == firstGoal }
      if let user {
        let response = "{\"version\":\"1.0.0\",\"user\":{\"type\":\"object\",\"value\":\(user)}}"
        progress.user = try IDXResponse(parsing: response.utf8).user
      }
      progress.typedUsername = typedUsername
      let forms = state.state.response.allForms
      progress.chosen = chosen.flatMap { forms.indices.contains($0) ? forms[$0] : nil }
      progress.notice = notice
      progress.steps = steps
      progress.wasChosen = wasChosen
      progress.isAnswerUnknown = isAnswerUnknown ?? false
      if let fastPass { progress.fastPassHistory = fastPass }
      progress.lastRefusal = refusal.map { saved in
        Refusal(
          name: saved.name, authenticator: saved.authenticator, attempt: saved.attempt,
          answers: Answers(saved.texts.mapValues(Answer.text)), cause: nil,
          plainTexts: saved.texts)
      }
      return progress
    }
  }
}

extension FlowState {
  /// Whether the server refuses, by the status or by an error message, which only explains in a grace period.
  package var isRefusal: Bool {
    status >= 400
      || (response.remediations.first?.name != .deviceAssuranceGracePeriod
        && response.allMessages.contains(where: \.isError))
  }

  /// Whether a form of an earlier state comes first and is unchanged.
  ///
  /// After an answer, that is a refusal even without a message.
  func asksAgain(_ form: Remediation, after earlier: FlowState) -> Bool {
    guard let first = response.remediations.first else { return false }
    return first.name == form.name && first.href == form.href
      && first.form.fields.map(\.name) == form.form.fields.map(\.name)
      && Step(first, state: self).authenticator?.id == Step(form, state: earlier).authenticator?.id
  }

  /// Whether an end without tokens is a success, which the server must say in a message.
  package var endsSuccessfully: Bool { isAtEnd && !isRefusal && !response.allMessages.isEmpty }

  /// Whether the response to a poll changes what the person sees: another step, another number to choose, or
  /// a new message.
  func isNews(after earlier: FlowState) -> Bool {
    let (old, new) = (earlier.response, response)
    let (before, after) = (old.currentAuthenticator, new.currentAuthenticator)
    // The text of a message may count down seconds, so compare keys first.
    func subject(_ message: IDXMessage) -> String? { message.key?.rawValue ?? message.text }
    let known = Set(old.allMessages.map(subject))
    return isSignedIn || old.remediations.first?.name != new.remediations.first?.name
      || Set(old.remediations.map(\.name)) != Set(new.remediations.map(\.name))
      || before?.id != after?.id || before?.key != after?.key
      || before?.shownData != after?.shownData
      || new.allMessages.contains { !known.contains(subject($0)) }
  }
}

extension IDXAuthenticator {
  /// The data of the authenticator that a person sees; a request to Okta Verify may be new with each response.
  fileprivate var shownData: JSONValue? {
    guard case .object(var data)? = raw["contextualData"] else { return raw["contextualData"] }
    data["challenge"] = nil
    return JSONValue.object(data).sorted
  }
}

extension IDXResponse {
  /// The form with the same name, address and authenticators, or the only one with the name.
  fileprivate func form(like form: Remediation) -> Remediation? {
    let sameName = allForms.filter { $0.name == form.name }
    let sameAddress = sameName.filter { $0.href == form.href }
    return sameAddress.first { $0.authenticators.map(\.id) == form.authenticators.map(\.id) }
      ?? sameAddress.first ?? (sameName.count == 1 ? sameName[0] : nil)
  }
}

extension Remediation.Form {
  /// Whether the fields have the same names and choices, in the same order.
  fileprivate func asksTheSame(as other: Remediation.Form) -> Bool {
    fields.count == other.fields.count
      && zip(fields, other.fields).allSatisfy { mine, theirs in
        mine.name == theirs.name && (mine.form == nil) == (theirs.form == nil)
          && mine.choices.map(\.label) == theirs.choices.map(\.label)
          && mine.choices.map(\.value) == theirs.choices.map(\.value)
          && (mine.form.flatMap { form in theirs.form.map(form.asksTheSame) } ?? true)
      }
  }
}

extension JSONValue {
  /// The value with the members of objects sorted by name, because their order means nothing.
  fileprivate var sorted: JSONValue {
    switch self {
    case .object(let object):
      .object(
        .init(
          object.members.sorted { $0.name < $1.name }.map { .init($0.name, $0.value.sorted) }))
    case .array(let elements): .array(elements.map(\.sorted))
    default: self
    }
  }
}
