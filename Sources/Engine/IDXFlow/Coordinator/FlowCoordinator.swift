import IDX
import IDXBase
public import IDXOAuth

/// Runs a sign-in: passes each step to the handlers and sends what they decide, until there are tokens,
/// nothing more to do, or a cancel.
///
///     let coordinator = FlowCoordinator(client: client, handlers: handlers)
///     switch try await coordinator.run(configuration) {
///     case .signedIn(let signIn): keep(signIn.credential)
///     case .ended(let state): show(state.response.allMessages.compactMap(\.text))
///     case .cancelled: break
///     }
///
/// It is a loop over a ``FlowRun``, which asks the handlers and makes the moves. ``Handlers/frontEnd`` shows the screens.
/// ``FlowLimits`` end a sign-in that repeats or goes in a circle. It keeps nothing between runs. Canceling the task cancels
/// the current request, tells the server, and throws `CancellationError`.
public struct FlowCoordinator: Sendable {
  /// Makes the moves.
  package var engine: FlowEngine
  private let handlers: Handlers
  private let limits: FlowLimits

  /// Creates a coordinator.
  ///
  /// - Parameters:
  ///   - client: Speaks the protocol of the org.
  ///   - handlers: Decide about the steps.
  ///   - limits: End a sign-in that takes too many steps, attempts or polls.
  ///   - sleep: Waits between polls; a test can return at once.
  ///   - now: Measures how long a poll takes.
  ///   - observe: Receives every event, in order; the sign-in continues when it returns.
  public init(
    client: any FlowClient, handlers: Handlers, limits: FlowLimits = FlowLimits(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    observe: @escaping @Sendable (FlowEvent) async -> Void = { _ in }
  ) {
    engine = FlowEngine(client: client, sleep: sleep, now: now, observe: observe)
    self.handlers = handlers
    self.limits = limits
  }

  /// Starts a sign-in and runs it to its end.
  ///
  /// - Parameters:
  ///   - configuration: The org and the app.
  ///   - options: What to ask of the server.
  ///   - goal: What the person does first, such as resetting a password; nil to only sign in.
  /// - Throws: The error of a handler; a ``/IDXOAuth/FlowError`` if a request failed, no handler took a step,
  ///   a limit was reached, or the org does not offer the goal; `CancellationError` if the task was
  ///   canceled.
  public func run(
    _ configuration: FlowConfiguration, _ options: StartOptions = StartOptions(),
    goal: Goal? = nil
  ) async throws -> Outcome {
    try await run(begin(configuration, options, goal: goal))
  }

  /// Continues a sign-in from a state, such as one that another process saved.
  ///
  /// If the sign-in starts over, `maximumAge` still applies. A state does not contain the other options.
  /// Throws the same errors as ``run(_:_:goal:)``.
  public func run(from state: FlowState) async throws -> Outcome {
    try await run(begin(from: state))
  }

  /// Starts a sign-in, for a program that shows the screens itself.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if the request failed; `CancellationError` if the task was canceled.
  public func begin(
    _ configuration: FlowConfiguration, _ options: StartOptions = StartOptions(),
    goal: Goal? = nil
  ) async throws -> FlowRun {
    await begin(try await engine.begin(configuration, options, goal: goal, limits: limits))
  }

  /// Continues a sign-in from a state, for a program that shows the screens itself.
  public func begin(from state: FlowState) async -> FlowRun {
    await begin(FlowProgress(state, limits: limits))
  }

  private func begin(_ progress: FlowProgress) async -> FlowRun {
    await engine.observe(.received(progress.state))
    return FlowRun(progress, engine, handlers)
  }

  private func run(_ start: consuming FlowRun) async throws -> Outcome {
    var run = start
    while true {
      switch try await run.next() {
      case .end(let outcome): return outcome
      case .show(let pending):
        guard let frontEnd = handlers.frontEnd else { throw pending.noFrontEndError }
        guard let reply = try await run.reply(to: pending, on: frontEnd) else { continue }
        run.take(reply, to: pending)
      }
    }
  }
}
