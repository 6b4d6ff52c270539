public import IDX
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
/// If the server repeats a password or a code in a message or an error, at once or later in the run, it is
/// removed there, also from the states that handlers and the observer get; very long messages are then
/// shortened too. The rest of a response is unchanged.
///
/// It keeps nothing between runs. Canceling the task cancels the current request, tells the server, and
/// throws `CancellationError`.
public struct FlowCoordinator: Sendable {
  private let client: any FlowClient
  private let handlers: Handlers
  private let limits: FlowLimits
  private let sleep: @Sendable (Duration) async throws -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  private let observe: @Sendable (FlowEvent) async -> Void
  /// Waits for ``FlowLimits/cancelTimeout``; a test can say when it is over.
  package var waitForCancel: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

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
    self.client = client
    self.handlers = handlers
    self.limits = limits
    self.sleep = sleep
    self.now = now
    self.observe = observe
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
    try await run(begin(configuration, options, goal: goal), options)
  }

  /// Continues a sign-in from a state, such as one that another process saved.
  ///
  /// If the sign-in starts over, `maximumAge` still applies. A state does not contain the other options.
  /// Throws the same errors as ``run(_:_:goal:)``.
  public func run(from state: FlowState) async throws -> Outcome {
    try await run(FlowProgress(state), StartOptions(again: state))
  }

  private func run(_ start: FlowProgress, _ options: StartOptions) async throws -> Outcome {
    var progress = start
    do {
      if let outcome = try await advance(&progress, options) { return outcome }
      throw FlowError(
        .inputNeeded, "A handler has paused the sign-in, and nobody continues it.")
    } catch {
      guard Task.isCancelled || error is CancellationError else { throw error }
      await cancelOnServer(progress.state)
      throw CancellationError()
    }
  }

  // MARK: One part after the other

  /// Starts a sign-in, which ``advance(_:)`` continues, with the same parameters as ``run(_:_:goal:)``.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if the request failed, or `CancellationError` if the task was canceled.
  public func begin(
    _ configuration: FlowConfiguration, _ options: StartOptions = StartOptions(),
    goal: Goal? = nil
  ) async throws -> FlowProgress {
    FlowProgress(try await client.start(configuration, options), goal: goal)
  }

  /// Continues a sign-in until a handler throws a ``FlowPause``, or to its end; nil if it is paused.
  ///
  /// For a server, which shows a screen in one request and gets the reply in another. After an error, the
  /// progress is where the error occurred. Canceling the task does not cancel the sign-in.
  ///
  ///     var progress = try await coordinator.begin(configuration)
  ///     let outcome = try await coordinator.advance(&progress)
  ///     if outcome == nil { try save(progress.snapshot()) }
  public func advance(_ progress: inout FlowProgress) async throws -> Outcome? {
    try await advance(&progress, StartOptions(again: progress.state))
  }

  private func advance(
    _ progress: inout FlowProgress, _ options: StartOptions
  ) async throws -> Outcome? {
    progress.limits = limits
    progress.customRoutes = handlers.customRoutes
    do { return try await run(&progress, options) } catch is FlowPause { return nil } catch {
      throw progress.answerRedactor.removed(from: error)
    }
  }

  private func run(
    _ progress: inout FlowProgress, _ options: StartOptions
  ) async throws -> Outcome {
    await observe(.received(progress.state))
    while true {
      try Task.checkCancellation()
      if let (step, decision) = progress.takePending() {
        if let outcome = try await carryOut(decision, at: step, &progress) { return outcome }
        continue
      }
      let state = progress.state
      if state.isSignedIn {
        let credential = try await client.redeem(state, username: progress.user?.identifier)
        return .signedIn(progress.signIn(with: credential))
      }
      if state.isAtEnd {
        guard let action = try await handlers.atEnd?(state) else { return .ended(state) }
        try await perform(action, &progress, options)
        continue
      }
      if let form = try progress.goal?.form(in: state) {
        progress.goal = nil
        let step = progress.step(for: form)
        try await apply(step.decision(toOpen: form), to: step, &progress)
        continue
      }
      guard let (step, decision) = try await decide(&progress) else { continue }
      if let outcome = try await carryOut(decision, at: step, &progress) { return outcome }
    }
  }

  /// Does what was decided; returns the outcome if that is to cancel.
  private func carryOut(
    _ decision: Decision, at step: Step, _ progress: inout FlowProgress
  ) async throws -> Outcome? {
    if case .cancel = decision {
      await cancelOnServer(progress.state)
      return .cancelled
    }
    try await apply(decision, to: step, &progress)
    return nil
  }

  // MARK: Decisions

  /// Asks the handlers, in server order; nil if a poll brought news meanwhile, or was the last one.
  private func decide(_ progress: inout FlowProgress) async throws -> (Step, Decision)? {
    let chosen = [progress.chosen].compactMap(\.self)
    for form in chosen + progress.state.response.remediations.filter({ !chosen.contains($0) }) {
      let step = progress.step(for: form)
      try checkLimits(step, progress)
      for handler in handlers.handlers(for: step) {
        let finish: PollRace.Finish
        // When the time for polls is over, the handler decides without them.
        if let polled = handler.poll(for: step), progress.mayPoll(progress.renewed(polled)) {
          finish = try await PollRace(handler: handler, step: step)
            .run(polling: polled, &progress, poll: { try await poll($0, &$1) })
        } else {
          finish = .decided(try await handler.decide(step))
        }
        switch finish {
        case .decided(.decline): continue
        case .decided(let decision): return (step, decision)
        case .news:
          await observeNews(from: step, progress)
          return nil
        case .timedOut: return nil
        }
      }
    }
    let state = progress.state
    let names = state.response.remediations.map { "“\($0.name.rawValue)”" }.joined(separator: ", ")
    throw FlowError(
      .noHandler, "The server asks for \(names), and no handler can answer that.",
      remediation: state.response.remediations.first?.name, status: state.status,
      requestID: state.requestID)
  }

  private func apply(
    _ decision: Decision, to step: Step, _ progress: inout FlowProgress
  ) async throws {
    progress.updateGoal(after: decision, at: step)
    switch decision {
    case .submit(let answers, let form):
      let form = progress.renewed(form ?? step.remediation)
      try await send(Submission(form, answers), &progress)
    case .poll(let form):
      let form = progress.renewed(form ?? step.remediation)
      try checkPolling(form, progress)
      if try await poll(form, &progress) { await observe(.received(progress.state)) }
    case .choose(let form, let notice): progress.choose(progress.renewed(form), notice: notice)
    case .resume(let returned):
      let state = try await client.resume(returned, from: progress.state)
      progress.steps += 1
      try progress.advance(to: state)
      await observeNews(from: step, progress)
    case .decline, .cancel: break
    }
  }

  /// Observes what a poll or a browser has brought.
  private func observeNews(from step: Step, _ progress: FlowProgress) async {
    if progress.didAdvance(from: step) {
      await observe(.accepted(step.remediation, step.authenticator))
    }
    await observe(.received(progress.state))
  }

  private func perform(
    _ action: TerminalAction, _ progress: inout FlowProgress, _ options: StartOptions
  ) async throws {
    switch action {
    case .submit(let submission): try await send(submission, &progress)
    case .restart:
      guard progress.steps < limits.steps else { throw tooManySteps(nil) }
      let state = try await client.start(progress.state.configuration, options.withoutTokens)
      progress.steps += 1
      try progress.restart(at: state)
      await observe(.received(progress.state))
    }
  }

  // MARK: Requests

  private func send(_ submission: Submission, _ progress: inout FlowProgress) async throws {
    let form = submission.remediation
    let step = progress.step(for: form)
    try checkLimits(step, progress)
    progress.steps += 1
    do { try form.check(submission.answers) } catch {
      progress.refuse(submission, because: error)
      return
    }
    progress.answerRedactor.add(submission)
    guard let state = try await state(after: submission, at: step, &progress) else { return }
    let isAccepted = try progress.advance(to: state, after: submission)
    if isAccepted { await observe(.accepted(form, step.authenticator)) }
    await observe(.received(progress.state))
  }

  /// The state after answers; nil if they failed and the handlers continue.
  private func state(
    after submission: Submission, at step: Step, _ progress: inout FlowProgress
  ) async throws -> FlowState? {
    let form = submission.remediation
    // A handler may submit a polled form itself; the same rules apply as to other polls.
    if submission.isPoll {
      while true {
        try checkPolling(form, progress)
        await observe(.submitting(form))
        if let (state, _) = try await reply(to: submission, &progress) { return state }
      }
    }
    if form.isPolled { try await wait(progress.interval(of: form), for: form) }
    await observe(.submitting(form))
    do {
      if progress.isAnswerUnknown {
        let current = try await client.refresh(progress.state)
        progress.isAnswerUnknown = false
        guard current.isUnchanged(since: progress.state, for: form) else {
          try progress.advance(to: current)
          await observe(.received(progress.state))
          return nil
        }
      }
      return try await client.proceed(submission, from: progress.state)
    } catch let error as FlowError where error.mayBeAnsweredAgain {
      if error.leavesUnknown { progress.isAnswerUnknown = true }
      let error = progress.answerRedactor.removed(from: error)
      progress.refuse(submission, because: error)
      await observe(.failed(form, error))
      guard let decision = try await handlers.onFailure?(error, progress.step(for: form)) else {
        throw error
      }
      progress.pending = (step, decision)
      return nil
    }
  }

  /// Polls once; returns whether there is news, which the caller observes after it has ended the handler.
  private func poll(_ form: Remediation, _ progress: inout FlowProgress) async throws -> Bool {
    guard let (state, time) = try await reply(to: Submission(form), &progress) else { return false }
    let isNews = try progress.finishPoll(after: time, at: state)
    if !isNews { await observe(.received(progress.state)) }
    return isNews
  }

  /// The reply to a poll that is sent after its interval, and the time of both; nil if it failed for a
  /// moment.
  ///
  /// The person may approve meanwhile, so trouble of 30 seconds must not end the sign-in: a network that
  /// fails, a server that is too busy, or a page that comes instead of the reply.
  private func reply(
    to poll: Submission, _ progress: inout FlowProgress
  ) async throws -> (FlowState, Duration)? {
    let interval = progress.interval(of: poll.remediation)
    try await wait(interval, for: poll.remediation)
    let start = now()
    do {
      let state = try await client.proceed(poll, from: progress.state)
      let time = now() - start
      let isBusy = state.isAtEnd && state.response.isRateLimited
      guard isBusy, progress.missPoll(after: interval, time, pause: Self.rateLimitPause) else {
        return (state, interval + time)
      }
    } catch let error as FlowError where error.mayBeAnsweredAgain {
      let pause = error.retryAfter ?? (error.code == .rateLimited ? Self.rateLimitPause : .zero)
      guard progress.missPoll(after: interval, now() - start, pause: pause) else { throw error }
    }
    return nil
  }

  /// The pause after a rate limit of unknown length.
  private static let rateLimitPause: Duration = .seconds(60)

  private func wait(_ interval: Duration, for form: Remediation) async throws {
    await observe(.waiting(form, interval))
    try await sleep(interval)
  }

  /// Tells the server that the sign-in is canceled, and ignores errors: the sign-in would expire anyway.
  private func cancelOnServer(_ state: FlowState) async {
    guard state.response.action(.cancel) != nil else { return }
    let (client, timeout, wait) = (client, limits.cancelTimeout, waitForCancel)
    // The current task is cancelled and could send nothing.
    await Task.detached {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = try? await client.cancel(state) }
        group.addTask { await wait(timeout) }
        await group.next()
        group.cancelAll()
      }
    }.value
  }

  // MARK: Limits

  /// Checks the limits before a handler asks the person, so that nothing is typed that cannot be sent.
  private func checkLimits(_ step: Step, _ progress: FlowProgress) throws {
    let form = step.remediation
    guard progress.steps < limits.steps else { throw tooManySteps(form) }
    guard step.attempt <= limits.attempts else {
      let response = progress.state.response
      let words = response.allMessages.last { $0.isError }?.text?.shortened(to: 300).printable
      let cause = progress.lastRefusal?.cause.map { "\($0)" }
      let reason = (cause ?? words).map { " \($0)" } ?? ""
      if response.isRateLimited {
        throw FlowError(
          .rateLimited, "The server accepts no more answers for now.\(reason)",
          remediation: form.name, status: progress.state.status,
          requestID: progress.state.requestID)
      }
      throw limitReached(
        "“\(form.name)” was refused \(limits.attempts) times in a row.\(reason)", form,
        progress.lastRefusal?.cause)
    }
  }

  private func checkPolling(_ form: Remediation, _ progress: FlowProgress) throws {
    guard !progress.mayPoll(form) else { return }
    throw limitReached(
      "Nothing happened within \(progress.pollingLimit.components.seconds) s.", form)
  }

  private func tooManySteps(_ form: Remediation?) -> FlowError {
    limitReached("The sign-in takes more than \(limits.steps) steps.", form)
  }

  private func limitReached(
    _ message: String, _ form: Remediation?, _ cause: (any Error)? = nil
  ) -> FlowError {
    FlowError(
      .limitReached, message + " Start again.", remediation: form?.name, underlying: cause)
  }
}

/// The limits of a coordinator, so that nothing runs forever.
public struct FlowLimits: Sendable, Hashable {
  /// How many steps a sign-in may take: answers (sent or not), choices of another form, and returns of a
  /// browser; by default 100.
  ///
  /// Polls that a handler leaves to the coordinator (``Decision/poll(_:)``) do not count.
  public var steps = 100
  /// How many answers to one form may be refused in a row, by the server or by the form's rules; by
  /// default 10.
  public var attempts = 10
  /// How long one step is polled; by default 5 minutes.
  public var polling: Duration = .seconds(300)
  /// How long one sign-in polls in total; by default 30 minutes.
  public var totalPolling: Duration = .seconds(1800)
  /// How long to wait for the server to accept a cancel; by default 2 seconds.
  public var cancelTimeout: Duration = .seconds(2)

  /// Creates the default limits.
  public init() {}
}

/// A handler throws it to pause the sign-in, because nobody can answer now; nothing is sent.
///
/// ``FlowCoordinator/advance(_:)`` then returns. The handler is asked again when the sign-in continues.
public struct FlowPause: Error, Sendable, Hashable {
  /// Creates the pause.
  public init() {}
}

/// An event of a running coordinator, for a front-end that shows or logs it.
///
/// A later version may add an event: a `switch` over all of them then needs a new case.
public indirect enum FlowEvent: Sendable {
  /// The server answered, also to a poll without news.
  case received(FlowState)
  /// The answers to a form are about to be sent.
  case submitting(Remediation)
  /// The answers to a form could not be sent, or nobody knows whether they arrived; the handlers decide
  /// whether the sign-in continues.
  case failed(Remediation, FlowError)
  /// The server accepted the answers to a form about an authenticator, or what the person did elsewhere.
  case accepted(Remediation, IDXAuthenticator?)
  /// The form is polled next after this time.
  case waiting(Remediation, Duration)
}
