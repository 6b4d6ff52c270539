import IDXFlow

/// Asks for each input of any form.
struct AnyForm: StepHandler {
  let ask: @Sendable (Remediation.Input) async -> Answer

  func decide(_ step: Step) async throws -> Decision {
    // A page in a browser has no answers, and an unsupported step needs more than a person.
    guard step.remediation.canBeSent, UnsupportedStep(step) == nil else { return .decline }
    var answers = Answers()
    func next() -> Remediation.Input? {
      step.remediation.form.inputs(answering: answers).first { answers[$0.path] == nil }
    }
    while let input = next() { answers[input.path] = await ask(input) }
    return step.remediation.isPolled ? .poll() : .submit(answers)
  }
}
