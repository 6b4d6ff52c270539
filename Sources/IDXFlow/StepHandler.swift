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
  func decide(_ step: Step) async throws -> Decision
}

/// A handler made of a closure.
struct ClosureHandler: StepHandler {
  let body: @Sendable (Step) async throws -> Decision

  func decide(_ step: Step) async throws -> Decision { try await body(step) }
}
