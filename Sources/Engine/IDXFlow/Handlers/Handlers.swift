public import IDX
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The handlers of a sign-in, by remediation and authenticator.
///
/// The handlers of the app are asked first, the most specific one before the others: the one for the remediation
/// and its authenticator, then the one for the remediation. Then the built-in ones (``showing(_:on:now:log:)``), and the
/// fallback last. A handler that declines leaves the step to the next.
///
///     var handlers = Handlers()
///     handlers.on(.identify) { _ in .submit(["identifier": "ada@example.com"]) }
///     handlers.on(.challengeAuthenticator, .password) { _ in
///       .submit(["credentials.passcode": "correct horse"])
///     }
public struct Handlers: Sendable {
  /// The handlers of the app.
  private var own: [Route: any StepHandler] = [:]
  /// The routes of the app's handlers.
  private var routes: Set<Route> = []
  /// The built-in handlers.
  private var builtIn: [StepKind: any StepHandler] = [:]

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

  /// The words of screens, and what the front-end can do.
  public var screens = Screens()

  /// Shows the screens of a ``FlowCoordinator``; nil if nobody is asked, or if the program shows them itself
  /// (``FlowRun``, ``OpenSignIns``).
  public var frontEnd: (any FrontEnd)?

  /// The current time, for the validity of codes and the end of a wait.
  var now: @Sendable () -> Date = { Date() }

  /// Creates an empty set of handlers.
  public init() {}

  /// The built-in handlers, which ask a person about each step.
  ///
  /// If an answer is lost, the person sees what to do (``SignInProblem``) and can answer again. If the server offers
  /// nothing more and the sign-in failed, the person can start over. Handlers that are registered later take precedence.
  ///
  /// - Parameters:
  ///   - screens: The words of the screens, and what the front-end can do.
  ///   - frontEnd: Shows the screens of a ``FlowCoordinator``; ``OpenSignIns`` and a ``SignInModel`` need none.
  ///   - now: The current time, for the validity of codes and the end of a wait.
  ///   - log: Writes down the error of a problem that the person sees, with the reference of the problem; by default
  ///     nothing is written, and the reference leads nowhere.
  public static func showing(
    _ screens: Screens = Screens(), on frontEnd: (any FrontEnd)? = nil,
    now: @escaping @Sendable () -> Date = { Date() },
    log: @escaping @Sendable (SignInProblem, FlowError) -> Void = { _, _ in }
  ) -> Handlers {
    var handlers = Handlers()
    (handlers.screens, handlers.frontEnd, handlers.now) = (screens, frontEnd, now)
    handlers.builtIn = [
      .form(.identify): IdentifyHandler(),
      .form(.challengeAuthenticator): FormHandler(prominent: .recover, .resend),
      .form(.selectAuthenticatorEnroll): FormHandler(prominent: .skip),
      .form(.enrollAuthenticator): FormHandler(prominent: .resend),
      .form(.reenrollAuthenticatorWarning): FormHandler(prominent: .skip),
      .form(.enrollProfile): FormHandler(prominent: .skip),
      .form(.profileUpdate): FormHandler(prominent: .skip),
      .form(.skip): SkipHandler(),
      .passkey: PasskeyHandler(), .oktaVerify: OktaVerifyHandler(),
      .unsupported: UnsupportedHandler(), .page: PageHandler(), .wait: WaitingHandler(),
    ]
    handlers.fallback = FormHandler(prominent: .resend)
    // All handlers of the step are asked again, and the person sees what to do.
    handlers.onFailure = { error, step in
      let problem = SignInProblem(error)
      log(problem, error)
      return .choose(step.remediation, notice: problem.notice(in: screens.words))
    }
    // Without a failure and a way to start over, the sign-in continues elsewhere, such as at the address of a success.
    handlers.atEnd = { state in
      let continues = state.response.successRedirect != nil || state.response.actions.isEmpty
      return state.isRefusal || !continues ? .ask : nil
    }
    return handlers
  }

  /// Registers or replaces the handler for a remediation; nil stands for any authenticator.
  public mutating func register(
    _ handler: any StepHandler, for name: Remediation.Name,
    _ authenticator: IDXAuthenticator.Key? = nil
  ) {
    own[Route(name: name, authenticator)] = handler
    routes = Set(own.keys)
  }

  /// Registers a closure as the handler for a remediation; nil stands for any authenticator.
  public mutating func on(
    _ name: Remediation.Name, _ authenticator: IDXAuthenticator.Key? = nil,
    _ body: @escaping @Sendable (Step) async throws -> Decision
  ) {
    register(ClosureHandler(body: body), for: name, authenticator)
  }

  /// The handlers for a step, in the order in which they are asked.
  package func handlers(for step: Step) -> [any StepHandler] {
    let general = Route(name: step.remediation.name)
    let specific = Route(step) == general ? nil : own[Route(step)]
    let builtIn = builtIn.isEmpty ? nil : builtIn[step.kind]
    return [specific, own[general], builtIn, fallback].compactMap(\.self)
  }

  /// What a step depends on besides the sign-in.
  package func context(_ now: Date) -> StepContext {
    StepContext(screens: screens, routes: routes, now: now)
  }

  /// What the handlers decide about a step; ``Decision/decline`` if all of them decline.
  public func decide(_ step: Step) async throws -> Decision {
    var step = step
    step.context = context(now())
    return try await firstDecision(about: step)
  }

  fileprivate func firstDecision(about step: Step) async throws -> Decision {
    for handler in handlers(for: step) {
      let decision = try await handler.decide(step)
      if case .decline = decision { continue }
      return decision
    }
    return .decline
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
///
/// To ask a person, it decides to: ``Decision/ask(_:then:)``. To change a built-in screen, change what is different:
///
///     handlers.on(.identify) { step in
///       let decision = try await step.builtInDecision()
///       guard case .ask(var screen, _) = decision else { return decision }
///       screen.title = "Welcome back"
///       return .ask(screen)
///     }
///
/// On a web site (``OpenSignIns``), nothing waits between a page and its reply: the sign-in is saved, and the handler is
/// called again for the same step when the reply comes, or when the page is loaded again. So a handler that asks must have
/// no side effects, and must make the same screen each time.
public protocol StepHandler: Sendable {
  /// Decides about one step.
  ///
  /// While the form of ``poll(for:)`` is polled, the task is canceled as soon as there is news. The
  /// step is then over, and the result is ignored.
  func decide(_ step: Step) async throws -> Decision

  /// The form to poll while ``decide(_:)`` runs, such as one that waits until a link in an email is
  /// followed; nil, the default, to poll nothing.
  ///
  /// Polling ends at the ``FlowLimits``. Then the handler is asked again with a step that
  /// ``Step/isOverdue``, and nothing is polled. While a screen is shown, its ``Screen/wait`` says what is polled.
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

extension Step {
  /// What the built-in handlers decide about the step.
  public func builtInDecision() async throws -> Decision {
    try await Handlers.showing(screens).firstDecision(about: self)
  }
}
