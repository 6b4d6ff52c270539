public import IDX

/// Waits for what the person does elsewhere: a push, a link in a mail, a code that is scanned.
///
/// It polls for as long as the coordinator allows, lets the person do something else at any time, and
/// asks what to do when nothing has happened.
public struct WaitingHandler: StepHandler {
  private let prompter: any Prompter

  /// A handler that shows and asks through a prompter.
  public init(prompter: any Prompter) { self.prompter = prompter }

  /// Shows what is waited for, until there is news or the person wants something else.
  public func decide(_ step: Step) async throws -> Decision {
    if step.polls == 0 { try await prompter.show(.step(step)) }
    guard step.isOverdue else {
      if step.polls == 0, let app = AuthenticatorApp(step) {
        try await prompter.show(.authenticatorApp(app))
      }
      return step.decision(on: try await prompter.wait(at: step)) ?? .poll()
    }
    let forms = step.alternatives
    // The limit that was reached says it all where there is nothing else.
    guard !forms.isEmpty else { return .poll() }
    return step.decision(on: try await prompter.choose(forms, at: step)) ?? .poll()
  }

  /// The step's form, as long as it may be waited for.
  public func poll(for step: Step) -> Remediation? { step.isOverdue ? nil : step.remediation }
}

extension Prompter {
  /// Where the person goes on from a step: by its own form (nil), or by another.
  func choice(at step: Step) async throws -> Decision? {
    let forms = [step.remediation] + step.alternatives
    guard case .instead(let form) = try await choose(forms, at: step) else { return .cancel }
    return form == step.remediation ? nil : step.turning(to: form)
  }
}

extension Step {
  /// What follows from a reply that is no answer to a field; nil where nothing does.
  func decision(on reply: Reply) -> Decision? {
    switch reply {
    case .instead(let form): turning(to: form)
    case .cancel: .cancel
    case .answer, .nothing, .returned: nil
    }
  }
}
