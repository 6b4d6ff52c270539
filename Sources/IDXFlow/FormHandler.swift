import IDX

/// Answers any form by asking its fields one by one: the handler for steps that nobody foresaw.
///
/// It leaves out what is fixed and what a person is not meant to see, checks each answer by the
/// form's rules as it is given, and asks again only for what was refused. A step that waits for
/// something elsewhere is polled. A form that needs what no
/// person can type, such as a signature, is declined.
public struct FormHandler: StepHandler {
  private let prompter: any Prompter
  private let leavesOut: Set<String>
  private let offersSkip: Bool

  /// A handler that asks through a prompter.
  public init(prompter: any Prompter) {
    self.init(prompter: prompter, leavesOut: [])
  }

  /// `leavesOut` names optional fields that are not asked; `offersSkip` puts `skip` beside options.
  init(prompter: any Prompter, leavesOut: Set<String>, offersSkip: Bool = false) {
    self.prompter = prompter
    self.leavesOut = leavesOut
    self.offersSkip = offersSkip
  }

  /// Asks what the form wants, and submits it.
  public func decide(_ step: Step) async throws -> Decision {
    guard step.remediation.canBeSent, step.remediation.form.canBeTyped else { return .decline }
    if step.polls == 0 { try await prompter.show(.step(step)) }
    if step.remediation.isPolled, !step.remediation.form.isToBeFilled { return .poll() }
    return try await ask(step)
  }

  /// Asks the questions alone, where the caller has shown what the step is about.
  func ask(_ step: Step) async throws -> Decision {
    var interview = Interview(step: step, leavesOut: leavesOut, offersSkip: offersSkip)
    while let question = interview.next() {
      switch try await prompter.ask(question) {
      case .answer(let answer): interview.take(answer, to: question)
      case .nothing: interview.leaveOut(question)
      case .instead(let form):
        return form.form.isToBeFilled ? .choose(form) : .submit([:], to: form)
      case .cancel: return .cancel
      }
    }
    return .submit(interview.answers)
  }
}

extension Form {
  /// Whether everything that is required can be typed by a person.
  ///
  /// A field that is required, has no value, and is not to be seen is filled by a program: a
  /// signature, a captcha. A yes or no can be asked all the same.
  var canBeTyped: Bool {
    fields.allSatisfy { field in
      if field.isFixed || field.type == .boolean { return true }
      if let form = field.form { return form.canBeTyped }
      return field.isVisible || field.value != nil || !field.isRequired || !field.choices.isEmpty
    }
  }

  /// Whether there is anything for a person to fill in.
  var isToBeFilled: Bool {
    fields.contains { field in
      if field.isFixed { return false }
      if let form = field.form { return form.isToBeFilled }
      return field.isVisible || (field.isRequired && field.value == nil)
    }
  }
}
