import IDX
import IDXBase

/// The questions of one form and the answers so far; choosing an option adds the questions of that option.
struct FormQuestions {
  private struct Pending {
    let input: Remediation.Input
    var problem: InvalidAnswers.Problem?
    /// The first answer, if the question is asked a second time to confirm it.
    var firstAnswer: Answer?

    var path: String { input.path }
    var field: Remediation.Field { input.field }
  }

  let step: Step
  private(set) var answers = Answers()
  private let omittedFields: Set<String>
  private let offersSkip: Bool
  /// How many answers in a row were refused.
  private(set) var refusals = 0
  /// The remaining questions; the next one is last.
  private var pending: [Pending] = []

  init(step: Step, omittedFields: Set<String>, offersSkip: Bool) {
    self.step = step
    self.omittedFields = omittedFields
    self.offersSkip = offersSkip
    pending = questions(of: step.remediation.form, at: "")
    keepAcceptedAnswers()
  }

  /// The next question; nil when all are answered.
  mutating func next() -> Question? {
    guard let next = pending.last else { return nil }
    return Question(
      path: next.path, field: next.field, kind: kind(of: next.field), step: step,
      isRequired: isNeeded(next), suggestion: suggestion(for: next), problem: next.problem,
      isRepetition: next.firstAnswer != nil)
  }

  /// Takes an answer; if it is wrong, asks again.
  mutating func take(_ answer: Answer) {
    guard let asked = pending.popLast() else { return }
    if let first = asked.firstAnswer {
      guard answer == first else { return refuse(asked, .differs) }
    } else if let problem = asked.field.problem(with: answer, at: asked.path) {
      return refuse(asked, problem.reason)
    } else if let reason = step.problem(withPassword: answer, for: asked.field) {
      return refuse(asked, reason)
    } else if step.setsPassword(in: asked.field) {
      refusals = 0
      pending.append(Pending(input: asked.input, firstAnswer: answer))
      return
    }
    refusals = 0
    answers[asked.path] = answer
    if let option = asked.field.option(for: answer), let form = option.form {
      pending += questions(of: form, at: asked.path + ".")
    }
  }

  /// Leaves a question without an answer; if it needs one, takes the suggestion or asks again.
  mutating func skip() {
    if let asked = pending.last, isNeeded(asked), let suggestion = suggestion(for: asked) {
      return take(.value(suggestion))
    }
    guard let asked = pending.popLast(), isNeeded(asked) else { return }
    refuse(asked, asked.firstAnswer == nil ? .missing : .differs)
  }

  /// Asks again for the first answer, also if the confirmation was wrong.
  private mutating func refuse(_ asked: Pending, _ reason: InvalidAnswers.Problem.Reason) {
    refusals += 1
    let problem = InvalidAnswers.Problem(
      path: asked.path, label: asked.field.label, reason: reason)
    pending.append(Pending(input: asked.input, problem: problem))
  }

  /// The questions of a form; the last one comes first.
  private func questions(of form: Remediation.Form, at prefix: String) -> [Pending] {
    form.inputs(at: prefix).reversed().filter {
      $0.field.isRequired || !omittedFields.contains($0.field.name)
    }
    .map { Pending(input: $0) }
  }

  /// Whether the form needs an answer; many servers omit `required` although they need the value.
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

  /// If the server or the form says which fields were wrong, keeps the other answers.
  private mutating func keepAcceptedAnswers() {
    guard let previous = step.previous, step.messages.allSatisfy({ !$0.isError }) else { return }
    let problems = Dictionary(step.problems.map { ($0.path, $0) }) { first, _ in first }
    let refused = pending.flatMap { asked in
      refusedQuestions(in: asked, since: previous) {
        !$0.field.messages.isEmpty || problems[$0.path] != nil
      }
    }
    guard !refused.isEmpty else { return }
    answers = previous
    pending = refused.map { asked in
      answers[asked.path] = nil
      // The person may choose another option, which has other fields.
      for path in answers.entries.keys where path.hasPrefix(asked.path + ".") {
        answers[path] = nil
      }
      return Pending(input: asked.input, problem: problems[asked.path])
    }
  }

  /// The refused part of a question: the question itself, or questions of the option that was chosen.
  private func refusedQuestions(
    in asked: Pending, since previous: Answers, where isRefused: (Pending) -> Bool
  ) -> [Pending] {
    if isRefused(asked) { return [asked] }
    guard let form = previous[asked.path].flatMap(asked.field.option(for:))?.form else { return [] }
    return questions(of: form, at: asked.path + ".").flatMap {
      refusedQuestions(in: $0, since: previous, where: isRefused)
    }
  }

  private func kind(of field: Remediation.Field) -> Question.Kind {
    let choices = field.choices
    if !choices.isEmpty {
      return .choice(choices, beside: offersSkip ? [step.response[.skip]].compactMap(\.self) : [])
    }
    if field.isBoolean { return .confirmation }
    // Some servers do not mark a password as secret.
    let isPassword =
      field.name == "passcode"
      && (step.authenticator?.isPassword == true || step.remediation.name == .identify)
    return field.isSecret || isPassword ? .secret : .text
  }

  /// The value of an empty line: the form's default or the last username, never a secret.
  private func suggestion(for asked: Pending) -> JSONValue? {
    if case .secret = kind(of: asked.field) { return nil }
    guard case .value(let value)? = step.previous?[asked.path], asked.path == "identifier",
      asked.field.choices.isEmpty, asked.field.messages.isEmpty
    else { return asked.field.value }
    return value
  }
}
