public import IDX

/// Which handler is asked about which step.
///
/// The most specific is asked first: the one for the remediation and its authenticator, then the one
/// for the remediation, then the fallback. One that declines leaves the step to the next.
///
///     var handlers = Handlers()
///     handlers.on(.identify) { _ in .submit(["identifier": "ada@example.com"]) }
///     handlers.on(.challengeAuthenticator, .password) { _ in
///       .submit(["credentials.passcode": "correct horse"])
///     }
public struct Handlers: Sendable {
  private var routes: [Route: any StepHandler] = [:]

  /// Asked about every step that no other handler takes; nil where there is none.
  public var fallback: (any StepHandler)?

  /// Asked when the server offers no step any more and the sign-in has not succeeded; nil ends it.
  public var atEnd: (@Sendable (FlowState) async throws -> TerminalAction?)?

  /// No handlers.
  public init() {}

  /// Registers a handler for a remediation, of one authenticator or of any (nil).
  ///
  /// A later registration for the same replaces it.
  public mutating func register(
    _ handler: any StepHandler, for name: Remediation.Name,
    _ authenticator: IDXAuthenticator.Key? = nil
  ) {
    routes[Route(name: name, authenticator: authenticator)] = handler
  }

  /// Registers a closure for a remediation, of one authenticator or of any (nil).
  public mutating func on(
    _ name: Remediation.Name, _ authenticator: IDXAuthenticator.Key? = nil,
    _ body: @escaping @Sendable (Step) async throws -> Decision
  ) {
    register(ClosureHandler(body: body), for: name, authenticator)
  }

  /// The routes whose handlers do more than to ask what a form wants.
  var ownRoutes: Set<Route> { Set(routes.filter { !($0.value is any FormAsking) }.keys) }

  /// The handlers to ask about a step, in order.
  func handlers(for step: Step) -> [any StepHandler] {
    let name = step.remediation.name
    let specific = step.authenticator?.key.flatMap { key in
      routes[Route(name: name, authenticator: key)]
    }
    let general = routes[Route(name: name, authenticator: nil)]
    return [specific, general, fallback].compactMap(\.self)
  }
}

/// The steps that a handler is registered for: those of a remediation, of one authenticator or of any
/// (nil).
struct Route: Hashable, Sendable {
  let name: Remediation.Name
  let authenticator: IDXAuthenticator.Key?
}

extension Set<Route> {
  /// Whether a step is on one of the routes.
  func lead(to step: Step) -> Bool {
    let name = step.remediation.name
    return contains(Route(name: name, authenticator: step.authenticator?.key))
      || contains(Route(name: name, authenticator: nil))
  }
}
