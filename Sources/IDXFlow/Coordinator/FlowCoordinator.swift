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
/// It is a loop over ``FlowProgress/next()``: it asks the handlers, and a ``FlowEngine`` makes the moves. It
/// keeps nothing between runs. Canceling the task cancels the current request, tells the server, and throws
/// `CancellationError`.
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
    try await run(engine.begin(configuration, options, goal: goal, limits: limits))
  }

  /// Continues a sign-in from a state, such as one that another process saved.
  ///
  /// If the sign-in starts over, `maximumAge` still applies. A state does not contain the other options.
  /// Throws the same errors as ``run(_:_:goal:)``.
  public func run(from state: FlowState) async throws -> Outcome {
    try await run(FlowProgress(state, limits: limits))
  }

  private func run(_ start: FlowProgress) async throws -> Outcome {
    var progress = start
    progress.customRoutes = handlers.customRoutes
    do {
      await engine.observe(.received(progress.state))
      while true {
        try Task.checkCancellation()
        guard let move = try await move(&progress) else { continue }
        if let outcome = try await engine.make(move, in: &progress) { return outcome }
      }
    } catch {
      guard Task.isCancelled || error is CancellationError else {
        throw progress.answerRedactor.removed(from: error)
      }
      await engine.cancelOnServer(progress)
      throw CancellationError()
    }
  }

  /// The next move, for which the handlers may be asked; nil if a poll has changed what comes next.
  private func move(_ progress: inout FlowProgress) async throws -> FlowMove? {
    switch try progress.next() {
    case .move(let move): return move
    case .ask(let forms): return try await decide(forms, &progress)
    case .failure(let error, let step):
      guard let decision = try await handlers.onFailure?(error, step) else { throw error }
      return .decide(decision, at: step)
    case .end(let state): return .end(try await handlers.atEnd?(state))
    }
  }

  /// Asks the handlers of each form, in this order; nil if a poll brought news meanwhile, or was the last one.
  private func decide(
    _ forms: [Remediation], _ progress: inout FlowProgress
  ) async throws -> FlowMove? {
    for form in forms {
      let step = try progress.nextStep(for: form)
      for handler in handlers.handlers(for: step) {
        let finish: PollRace.Finish
        // When the time for polls is over, the handler decides without them.
        if let polled = handler.poll(for: step), progress.mayPoll(polled) {
          finish = try await PollRace(handler: handler, step: step)
            .run(polling: polled, &progress, poll: { try await engine.poll($0, &$1) })
        } else {
          finish = .decided(try await handler.decide(step))
        }
        switch finish {
        case .decided(.decline): continue
        case .decided(let decision): return .decide(decision, at: step)
        case .news:
          await engine.observeNews(from: step, progress)
          return nil
        case .timedOut: return nil
        }
      }
    }
    throw progress.noHandlerError
  }
}
