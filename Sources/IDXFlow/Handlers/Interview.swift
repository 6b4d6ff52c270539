import IDXBase
import IDX

/// The questions of one form, and the answers so far.
///
/// It works like a stack: a choice puts the questions of the chosen option on top.
struct Interview {
  private struct Pending {
    let input: Remediation.Input
    var problem: InvalidAnswers.Problem?
    /// What was typed the first time, where it is asked for once more.
    var repeated: Answer?

    var path: String { input.path }
    var field: Remediation.Field { input.field }
  }

  let step: Step
  private(set) var answers = Answers()
  private let leavesOut: Set<String>
  private let offersSkip: Bool
  /// How many answers in a row were refused.
  private(set) var refusals = 0
  /// The questions to come, the next one last.
  private var pending: [Pending] = []

  init(step: Step, leavesOut: Set<String>, offersSkip: Bool) {
    self.step = step
    self.leavesOut = leavesOut
    self.offersSkip = offersSkip
    push(step.remediation.form, at: "")
    reaskOnlyWhatWasRefused()
  }

  /// The next question; nil when everything is answered.
  mutating func next() -> Question? {
    guard let next = pending.last else { return nil }
    return Question(
      path: next.path, field: next.field, kind: kind(of: next.field), step: step,
      isRequired: isNeeded(next), suggestion: suggestion(for: next), problem: next.problem,
      isRepetition: next.repeated != nil)
  }

  /// Takes an answer, or keeps the question with what is wrong about the answer.
  mutating func take(_ answer: Answer) {
    guard let asked = pending.popLast() else { return }
    if let first = asked.repeated {
      guard answer == first else { return refuse(asked, .differs) }
    } else if let problem = asked.field.problem(with: answer, at: asked.path) {
      return refuse(asked, problem.reason)
    } else if let reason = step.problem(withSecret: answer, for: asked.field) {
      return refuse(asked, reason)
    } else if step.setsPassword(in: asked.field) {
      refusals = 0
      pending.append(Pending(input: asked.input, repeated: answer))
      return
    }
    refusals = 0
    answers[asked.path] = answer
    if let option = asked.field.option(for: answer), let form = option.form {
      push(form, at: asked.path + ".")
    }
  }

  /// Goes on without an answer; where one is required, with what is suggested, or keeps the question.
  mutating func leaveOut() {
    if let asked = pending.last, isNeeded(asked), let suggestion = suggestion(for: asked) {
      return take(.value(suggestion))
    }
    guard let asked = pending.popLast(), isNeeded(asked) else { return }
    refuse(asked, asked.repeated == nil ? .missing : .differs)
  }

  /// Asks again from the start, also where the second of two answers is at fault.
  private mutating func refuse(_ asked: Pending, _ reason: InvalidAnswers.Problem.Reason) {
    refusals += 1
    let problem = InvalidAnswers.Problem(
      path: asked.path, label: asked.field.label, reason: reason)
    pending.append(Pending(input: asked.input, problem: problem))
  }

  private mutating func push(_ form: Remediation.Form, at prefix: String) {
    pending += questions(of: form, at: prefix)
  }

  /// The questions of a form, the last one first.
  private func questions(of form: Remediation.Form, at prefix: String) -> [Pending] {
    form.inputs(at: prefix).reversed().filter {
      $0.field.isRequired || !leavesOut.contains($0.field.name)
    }
    .map { Pending(input: $0) }
  }

  /// Whether nothing could be sent without an answer.
  ///
  /// Many servers leave `required` out where one is needed all the same.
  private func isNeeded(_ asked: Pending) -> Bool {
    if asked.field.hasDefault { return false }
    if asked.field.isRequired { return true }
    guard asked.field.raw["required"] == nil, !asked.input.canBeOmitted else { return false }
    switch kind(of: asked.field) {
    case .secret: return true
    case .confirmation: return false
    case .text, .choice: return asked.input.isAlone || asked.path == "identifier"
    }
  }

  /// Where the server or the form says which fields were wrong, the other answers are kept.
  private mutating func reaskOnlyWhatWasRefused() {
    guard let previous = step.previous, step.messages.allSatisfy({ !$0.isError }) else { return }
    let problems = Dictionary(step.problems.map { ($0.path, $0) }) { first, _ in first }
    let refusals = pending.flatMap { asked in
      refused(asked, since: previous) { !$0.field.messages.isEmpty || problems[$0.path] != nil }
    }
    guard !refusals.isEmpty else { return }
    answers = previous
    pending = refusals.map { asked in
      answers[asked.path] = nil
      // Another option may be picked now, which has other fields.
      for path in answers.entries.keys where path.hasPrefix(asked.path + ".") {
        answers[path] = nil
      }
      return Pending(input: asked.input, problem: problems[asked.path])
    }
  }

  /// What was refused of a question and of those that came with the option that was picked.
  private func refused(
    _ asked: Pending, since previous: Answers, where isRefused: (Pending) -> Bool
  ) -> [Pending] {
    if isRefused(asked) { return [asked] }
    guard let form = previous[asked.path].flatMap(asked.field.option(for:))?.form else { return [] }
    return questions(of: form, at: asked.path + ".").flatMap {
      refused($0, since: previous, where: isRefused)
    }
  }

  private func kind(of field: Remediation.Field) -> Question.Kind {
    let choices = field.choices
    if !choices.isEmpty {
      let skip = offersSkip ? step.response[.skip] : nil
      return .choice(choices, beside: [skip].compactMap(\.self))
    }
    if field.isBoolean { return .confirmation }
    // Not every server marks a password as secret.
    let isPassword =
      field.name == "passcode"
      && (step.authenticator?.isPassword == true || step.remediation.name == .identify)
    return field.isSecret || isPassword ? .secret : .text
  }

  /// What an empty line stands for: the form's default, or what was typed before, never a secret.
  private func suggestion(for asked: Pending) -> JSONValue? {
    if case .secret = kind(of: asked.field) { return nil }
    if case .value(let value)? = step.previous?[asked.path], asked.path == "identifier",
      asked.field.choices.isEmpty, asked.field.messages.isEmpty
    {
      return value
    }
    return asked.field.value
  }
}
