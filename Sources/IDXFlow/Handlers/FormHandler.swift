import IDXOAuth
public import IDX

/// Answers any form by asking its fields one by one: the handler for steps that nobody foresaw.
///
/// It leaves out what is fixed and what a person is not meant to see, checks each answer by the
/// form's rules as it is given, and asks again only for what was refused. While a code is asked for
/// that may also be confirmed elsewhere, the server is polled, and whichever comes first wins.
///
/// Steps at which there is nothing to type are done in their own ways: ``WaitingHandler``,
/// ``RedirectHandler``, and what a person cannot do (``UnsupportedStep``) is told.
public struct FormHandler: StepHandler {
  /// How many answers in a row may be refused before they are sent.
  private static let maxAttempts = 100

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
    if let handler = specialist(for: step) { return try await handler.decide(step) }
    guard step.remediation.canBeSent else { return .decline }
    try await show(step)
    return step.remediation.form.inputs().isEmpty
      ? try await agree(step) : try await ask(step)
  }

  /// The step's form where it only waits; else the poll of the authenticator, whose news may come
  /// before a code is typed.
  public func poll(for step: Step) -> Remediation? {
    if let handler = specialist(for: step) { return handler.poll(for: step) }
    return step.isAboutAuthenticator ? step.authenticator?[.poll] : nil
  }

  /// The handler for steps at which there is nothing to fill in here.
  private func specialist(for step: Step) -> (any StepHandler)? {
    if UnsupportedStep(step) != nil { return UnsupportedStepHandler(prompter: prompter) }
    if step.remediation.page != nil { return RedirectHandler(prompter: prompter) }
    let isWait = step.remediation.isPolled && !step.remediation.form.hasGaps
    return isWait ? WaitingHandler(prompter: prompter) : nil
  }

  /// Shows what the step is about and, once, the key of the app that is being set up.
  private func show(_ step: Step) async throws {
    try await prompter.show(.step(step))
    // Beside another step, such as a choice, the person did not come for it.
    guard step.attempt == 1, step.isAboutAuthenticator else { return }
    if let app = AuthenticatorApp(step) { try await prompter.show(.authenticatorApp(app)) }
  }

  /// Goes on with a form that has nothing to fill in, where the person wants that.
  ///
  /// Where there is nothing else but to start over, or where the person has just picked it, it goes
  /// without saying, unless the server warns.
  private func agree(_ step: Step) async throws -> Decision {
    let isOpen = !step.isPicked && step.alternatives.contains { $0.name != .cancel }
    guard isOpen || step.messages.contains(where: \.isNoteworthy) else {
      return .submit([:])
    }
    return try await prompter.choice(at: step) ?? .submit([:])
  }

  private func ask(_ step: Step) async throws -> Decision {
    var interview = Interview(step: step, leavesOut: leavesOut, offersSkip: offersSkip)
    var vainReturns = 0
    while let question = interview.next() {
      guard interview.refusals + vainReturns <= Self.maxAttempts else {
        throw FlowError(
          .limitReached,
          "“\(question.path)” was answered wrongly \(Self.maxAttempts) times in a row.",
          remediation: step.remediation.name)
      }
      switch try await prompter.ask(question) {
      case .answer(let answer): interview.take(answer)
      case .nothing: interview.leaveOut()
      case .returned(let url):
        do { return try step.resumption(by: url) } catch let error as FlowError {
          vainReturns += 1
          try await prompter.show(.problem(error.message))
        }
      case .instead(let form): return step.turning(to: form)
      case .cancel: return .cancel
      }
    }
    return .submit(interview.answers)
  }
}

extension Remediation.Form {
  /// Whether something is required that has no value yet.
  var hasGaps: Bool {
    fields.contains { field in
      if field.isFixed { return false }
      return field.form?.hasGaps ?? (field.isRequired && !field.hasDefault)
    }
  }
}

extension IDXMessage {
  /// Whether a person should have read it before going on.
  fileprivate var isNoteworthy: Bool { kind == .error || kind == .warning }
}
