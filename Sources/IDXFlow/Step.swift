public import IDX

/// One form that has to be answered, with what is known about it.
public struct Step: Sendable {
  /// The form.
  public let remediation: Remediation
  /// The sign-in as it stands; it can be saved and taken up elsewhere.
  public let state: FlowState
  /// How often this form has been put in a row, from 1: more than 1 means that the last answers were
  /// refused.
  public let attempt: Int
  /// How often it was asked in a row whether there is news about this step.
  public let polls: Int
  /// The answers that were refused; nil at the first attempt.
  public let previous: Answers?
  /// What kept the last answers from being sent; empty where nothing did.
  public let problems: [InvalidAnswers.Problem]

  /// A step of these parts.
  public init(
    _ remediation: Remediation, state: FlowState, attempt: Int = 1, polls: Int = 0,
    previous: Answers? = nil,
    problems: [InvalidAnswers.Problem] = []
  ) {
    self.remediation = remediation
    self.state = state
    self.attempt = attempt
    self.polls = polls
    self.previous = previous
    self.problems = problems
  }

  /// What the server said last.
  public var response: Response { state.response }

  /// What the server says about this step: about the whole, then about the remediation.
  ///
  /// What it says about one field stands with the field.
  public var messages: [Message] { response.messages + remediation.messages }

  /// The authenticator that the step is about: the one it relates to, else the current one.
  public var authenticator: Authenticator? {
    remediation.authenticators.first ?? response.currentAuthenticator
  }

  /// What else can be sent from here: other remediations, what can be done with the authenticator,
  /// and starting over.
  ///
  /// Polls, and what only a browser or a device can do,
  /// are left out.
  public var alternatives: [Remediation] {
    response.everyForm.filter { form in
      form != remediation && !form.isPolled && form.canBeSent && form.form.canBeTyped
        && form.name != .issue
        && form.name != "context"
    }
  }
}

extension Remediation {
  /// Whether it can be sent from here: it has an address, and is not for a browser.
  public var canBeSent: Bool { href != nil && method?.uppercased() ?? "POST" == "POST" }
}

/// What a handler wants done about a step.
public enum Decision: Sendable {
  /// Send answers to the step's form, or to another form of the same response.
  case submit(Answers, to: Remediation? = nil)
  /// Let the handlers of another form of the same response decide.
  case choose(Remediation)
  /// Wait for the form's `refresh`, then ask whether there is news.
  case poll(Remediation? = nil)
  /// Leave the step to the next handler.
  case decline
  /// Give the sign-in up.
  case cancel
}

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
