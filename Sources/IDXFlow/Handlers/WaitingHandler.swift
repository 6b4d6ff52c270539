public import IDX

/// Waits for what the person does elsewhere: approves a push, follows a link, or scans a code.
///
/// It polls as long as the coordinator allows. The person can do something else at any time, and is asked
/// what to do if nothing happens.
public struct WaitingHandler: StepHandler {
  private let prompter: any Prompter

  /// Creates a handler that shows and asks through a prompter.
  public init(prompter: any Prompter) { self.prompter = prompter }

  /// Shows what the server waits for, until there is news or the person wants something else.
  public func decide(_ step: Step) async throws -> Decision {
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
  public func poll(for step: Step) -> Remediation? { step.isOverdue ? nil : step.remediation }
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
