import IDX

/// Answers any form by asking its fields one by one: the handler for steps that nobody foresaw.
///
/// It leaves out what is fixed and what a person is not meant to see, checks each answer by the
/// form's rules as it is given, and asks again only for what was refused. A step that waits for
/// something elsewhere is polled. A form that needs what no person can type, such as a signature, is
/// declined.
public struct FormHandler: StepHandler {
  /// How many answers in a row may be refused before they are sent.
  private static let patience = 100

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
    if step.polls == 0 { try await show(step) }
    if step.remediation.isPolled, !step.remediation.form.hasGaps { return .poll() }
    return try await ask(step)
  }

  /// Shows what the step is about and, once, the key of the app that is being set up.
  private func show(_ step: Step) async throws {
    try await prompter.show(.step(step))
    // Beside another step, such as a choice, the person did not come for it.
    guard step.attempt == 1, step.isAboutAuthenticator else { return }
    if let app = AuthenticatorApp(step) { try await prompter.show(.authenticatorApp(app)) }
  }

  private func ask(_ step: Step) async throws -> Decision {
    var interview = Interview(step: step, leavesOut: leavesOut, offersSkip: offersSkip)
    while let question = interview.next() {
      guard interview.refusals <= Self.patience else {
        throw FlowError(
          .limitReached, "“\(question.path)” was answered wrongly \(Self.patience) times in a row.",
          remediation: step.remediation.name)
      }
      switch try await prompter.ask(question) {
      case .answer(let answer): interview.take(answer)
      case .nothing, .returned: interview.leaveOut()
      case .instead(let form):
        return form.form.inputs().isEmpty ? .submit([:], to: form) : .choose(form)
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

  /// Whether something is required that has no value yet.
  var hasGaps: Bool {
    fields.contains { field in
      if field.isFixed { return false }
      return field.form?.hasGaps ?? (field.isRequired && !field.hasDefault)
    }
  }
}
