public import IDX
import IDXOAuth

/// Answers any form by asking for its fields one by one, also forms that are not known in advance.
///
/// It skips fields that are fixed or hidden, checks each answer by the form's rules, and asks again only
/// for what was refused. If a step can also be confirmed elsewhere, the server is polled while the person
/// types a code, and whichever comes first wins.
///
/// If nothing has to be typed, it waits for what the person does elsewhere, or opens a web page. A step
/// that a person cannot do here is explained (``UnsupportedStep``).
public struct FormHandler: StepHandler {
  static let maxAttempts = 100

  private let prompter: any Prompter
  private let omittedFields: Set<String>
  private let offersSkip: Bool

  /// Creates a handler that asks for all fields except the optional `omittedFields`, and with `offersSkip`
  /// also offers to skip a choice, if the server does.
  public init(
    prompter: any Prompter, omittedFields: Set<String> = [], offersSkip: Bool = false
  ) {
    self.prompter = prompter
    self.omittedFields = omittedFields
    self.offersSkip = offersSkip
  }

  /// Asks for the fields of the form and submits it.
  public func decide(_ step: Step) async throws -> Decision {
    if let handler = specialHandler(for: step) { return try await handler.decide(step) }
    guard step.remediation.canBeSent else { return .decline }
    try await show(step)
    return step.remediation.form.inputs().isEmpty
      ? try await confirm(step) : try await ask(step)
  }

  /// The step's form if it only waits; otherwise the poll of the authenticator, which may bring news
  /// before a code is typed.
  public func poll(for step: Step) -> Remediation? {
    if let handler = specialHandler(for: step) { return handler.poll(for: step) }
    return step.isAboutAuthenticator ? step.authenticator?[.poll] : nil
  }

  /// The handler for a step that has nothing to fill in here.
  private func specialHandler(for step: Step) -> (any StepHandler)? {
    if UnsupportedStep(step) != nil { return UnsupportedStepHandler(prompter: prompter) }
    if step.remediation.page != nil { return RedirectHandler(prompter: prompter) }
    let onlyWaits = step.remediation.isPolled && !step.remediation.form.hasMissingValues
    return onlyWaits ? WaitingHandler(prompter: prompter) : nil
  }

  /// Shows the step and, once, the key of the app that is being set up.
  private func show(_ step: Step) async throws {
    try await prompter.show(.step(step))
    guard step.attempt == 1, step.isAboutAuthenticator else { return }
    if let app = AuthenticatorApp(step) { try await prompter.show(.authenticatorApp(app)) }
  }

  /// Submits a form that has nothing to fill in; asks first if there are other forms, or if the server warns.
  ///
  /// A form that the person has just chosen needs no second question.
  private func confirm(_ step: Step) async throws -> Decision {
    let hasAlternatives = !step.wasChosen && step.alternatives.contains { $0.name != .cancel }
    let warns = step.messages.contains { $0.kind == .error || $0.kind == .warning }
    guard hasAlternatives || warns else { return .submit([:]) }
    return try await prompter.choice(at: step) ?? .submit([:])
  }

  private func ask(_ step: Step) async throws -> Decision {
    var questions = FormQuestions(
      step: step, omittedFields: omittedFields, offersSkip: offersSkip)
    var failedReturns = 0
    while let question = questions.next() {
      guard questions.refusals + failedReturns <= Self.maxAttempts else {
        throw FlowError(
          .limitReached,
          "The answers to “\(question.path)” were wrong \(Self.maxAttempts) times in a row.",
          remediation: step.remediation.name)
      }
      switch try await prompter.ask(question) {
      case .answer(let answer): questions.take(answer)
      case .nothing: questions.skip()
      case .returned(let url):
        do { return try step.decision(onReturnTo: url) } catch let error as FlowError {
          failedReturns += 1
          try await prompter.show(.problem(error.message))
        }
      case .instead(let form): return step.decision(toOpen: form)
      case .cancel: return .cancel
      }
    }
    return .submit(questions.answers)
  }
}

extension Remediation.Form {
  /// Whether a required field has no value yet.
  var hasMissingValues: Bool {
    fields.contains { field in
      if field.isFixed { return false }
      return field.form?.hasMissingValues ?? (field.isRequired && !field.hasDefault)
    }
  }
}

/// Waits until the person approves a push, follows a link or scans a code; asks what to do if nothing
/// happens, and lets the person do something else at any time.
private struct WaitingHandler: StepHandler {
  let prompter: any Prompter

  func decide(_ step: Step) async throws -> Decision {
    if step.polls == 0 { try await prompter.show(.step(step)) }
    guard step.isOverdue else {
      if step.polls == 0, let app = AuthenticatorApp(step) {
        try await prompter.show(.authenticatorApp(app))
      }
      return step.decision(on: try await prompter.wait(at: step)) ?? .poll()
    }
    let forms = step.alternatives
    // Without alternatives, the coordinator reports the limit.
    guard !forms.isEmpty else { return .poll() }
    return step.decision(on: try await prompter.choose(forms, at: step)) ?? .poll()
  }

  /// The step's form, until the time to wait is over.
  func poll(for step: Step) -> Remediation? { step.isOverdue ? nil : step.remediation }
}

/// Opens a web page and continues with what the browser brings back; if that is an error or something
/// else, the person sees why and chooses how to continue.
private struct RedirectHandler: StepHandler {
  let prompter: any Prompter

  /// Declines if the prompter has no browser.
  func decide(_ step: Step) async throws -> Decision {
    guard let page = step.remediation.page else { return .decline }
    try await prompter.show(.step(step))
    // The page has failed before, so do not open it again without asking.
    if step.messages.contains(where: \.isError), let other = try await prompter.choice(at: step) {
      return other
    }
    for _ in 0..<FormHandler.maxAttempts {
      switch try await prompter.open(RedirectPage(page, of: step)) {
      case .returned(let url):
        do { return try step.decision(onReturnTo: url) } catch let error as FlowError {
          try await prompter.show(.problem(error.message))
        }
      case .nothing, .answer: return .decline
      case .instead(let form): return step.decision(toOpen: form)
      case .cancel: return .cancel
      }
      if let other = try await prompter.choice(at: step) { return other }
    }
    throw FlowError(
      .limitReached, "The web page failed \(FormHandler.maxAttempts) times in a row.",
      remediation: step.remediation.name)
  }
}

extension Prompter {
  /// Asks how to continue from a step; nil for its own form.
  func choice(at step: Step) async throws -> Decision? {
    let forms = [step.remediation] + step.alternatives
    guard case .instead(let form) = try await choose(forms, at: step) else { return .cancel }
    return form == step.remediation ? nil : step.decision(toOpen: form)
  }
}

extension Step {
  /// The decision for a reply that does not answer a field.
  func decision(on reply: Reply) -> Decision? {
    switch reply {
    case .instead(let form): decision(toOpen: form)
    case .cancel: .cancel
    case .answer, .nothing, .returned: nil
    }
  }
}
