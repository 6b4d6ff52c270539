public import IDX
public import IDXOAuth

/// The handlers of a sign-in, by remediation and authenticator.
///
/// The most specific handler is asked first: the one for the remediation and its authenticator, then the
/// one for the remediation, then the fallback. A handler that declines leaves the step to the next.
///
///     var handlers = Handlers()
///     handlers.on(.identify) { _ in .submit(["identifier": "ada@example.com"]) }
///     handlers.on(.challengeAuthenticator, .password) { _ in
///       .submit(["credentials.passcode": "correct horse"])
///     }
public struct Handlers: Sendable {
  private var routes: [Route: any StepHandler] = [:]

  /// The handler for steps that no other handler takes.
  public var fallback: (any StepHandler)?

  /// Decides what to do when the server offers no step and the sign-in has not succeeded.
  ///
  /// Without it, or if it returns nil, the sign-in ends (``Outcome/ended(_:)``).
  public var atEnd: (@Sendable (FlowState) async throws -> EndDecision?)?

  /// Decides how to continue after the answers to a step could not be sent, or if nobody knows whether
  /// they arrived (``IDXOAuth/FlowError/Code/answerUnconfirmed``).
  ///
  /// Without it, or if it returns nil, the sign-in ends with the error. The step has the answers as
  /// ``Step/previous``. ``Decision/choose(_:notice:)`` with its form asks for them again.
  public var onFailure: (@Sendable (FlowError, Step) async throws -> Decision?)?

  /// Creates an empty set of handlers.
  public init() {}

  /// Registers or replaces the handler for a remediation; nil stands for any authenticator.
  public mutating func register(
    _ handler: any StepHandler, for name: Remediation.Name,
    _ authenticator: IDXAuthenticator.Key? = nil
  ) {
    routes[Route(name: name, authenticator)] = handler
  }

  /// Registers a closure as the handler for a remediation; nil stands for any authenticator.
  public mutating func on(
    _ name: Remediation.Name, _ authenticator: IDXAuthenticator.Key? = nil,
    _ body: @escaping @Sendable (Step) async throws -> Decision
  ) {
    register(ClosureHandler(body: body), for: name, authenticator)
  }

  /// The steps with a handler of their own, which may do more than a person at a form.
  var customRoutes: Set<Route> { Set(routes.keys) }

  /// The handlers for a step, in the order in which they are asked.
  func handlers(for step: Step) -> [any StepHandler] {
    let general = Route(name: step.remediation.name)
    let specific = Route(step) == general ? nil : routes[Route(step)]
    return [specific, routes[general], fallback].compactMap(\.self)
  }
}

/// Decides what to do about the steps that it is registered for.
///
/// A conforming type returns a decision for every step, which may be ``Decision/decline``. It may take
/// its time. An error that it throws ends the sign-in and reaches the caller unchanged.
///
///     struct AdaIdentifies: StepHandler {
///       func decide(_ step: Step) async throws -> Decision {
///         .submit(["identifier": "ada@example.com"])
///       }
///     }
public protocol StepHandler: Sendable {
  /// Decides about one step.
  ///
  /// While the form of ``poll(for:)`` is polled, the task is canceled as soon as there is news. The
  /// step is then over, and the result is ignored.
  func decide(_ step: Step) async throws -> Decision

  /// The form to poll while ``decide(_:)`` runs, such as one that waits until a link in an email is
  /// followed; nil, the default, to poll nothing.
  ///
  /// Polling ends at the ``FlowLimits``. Then ``decide(_:)`` is called with a step that
  /// ``Step/isOverdue``, and nothing is polled.
  func poll(for step: Step) -> Remediation?
}

extension StepHandler {
  /// Returns nil, so that nothing is polled.
  public func poll(for step: Step) -> Remediation? { nil }
}

private struct ClosureHandler: StepHandler {
  let body: @Sendable (Step) async throws -> Decision

  func decide(_ step: Step) async throws -> Decision { try await body(step) }
}
