public import IDX

/// Decides what to do about the steps that it is registered for.
///
/// A conformer owes the coordinator a decision for every step that it is asked about, `decline` among
/// them; it may take its time. What it throws ends the sign-in and reaches the caller untouched.
///
///     struct AdaIdentifies: StepHandler {
///       func decide(_ step: Step) async throws -> Decision {
///         .submit(["identifier": "ada@example.com"])
///       }
///     }
public protocol StepHandler: Sendable {
  /// Decides about one step.
  ///
  /// While the form of ``poll(for:)`` is polled, the task is cancelled as soon as there is news: the
  /// step is over then, and what is returned or thrown does not count.
  func decide(_ step: Step) async throws -> Decision
  /// The form to poll at the pace of the server while ``decide(_:)`` is at work, such as one that
  /// waits for a link in a mail to be followed; nil, the default, for none.
  ///
  /// It is polled within the ``FlowLimits`` alone: once they are reached, ``decide(_:)`` is asked with
  /// a step that ``Step/isOverdue``, and nothing is polled beside it.
  func poll(for step: Step) -> Remediation?
}

extension StepHandler {
  /// Polls nothing.
  public func poll(for step: Step) -> Remediation? { nil }
}

/// A handler made of a closure.
struct ClosureHandler: StepHandler {
  let body: @Sendable (Step) async throws -> Decision

  func decide(_ step: Step) async throws -> Decision { try await body(step) }
}
