public import IDX
import IDXBase
public import IDXOAuth

/// Makes the moves of a sign-in: it sends what was decided, and asks nobody.
///
/// A ``FlowCoordinator`` asks handlers and runs a sign-in to its end. A server, which shows a screen in one
/// request and gets the reply in another, drives the engine itself:
///
///     let engine = FlowEngine(client: client)
///     var progress = try await engine.begin(configuration)
///     while case .move(let move) = try progress.next() {
///       if let outcome = try await engine.make(move, in: &progress) { show(outcome) }
///     }
///     try save(progress.snapshot())
///
/// After ``FlowNext/failure(_:_:)``, it decides first, as a failure is not saved.
///
/// If the server repeats a password or a code in a message or an error, at once or later, it is removed there;
/// very long messages are then shortened too. The rest of a response is unchanged.
public struct FlowEngine: Sendable {
  private let client: any FlowClient
  private let sleep: @Sendable (Duration) async throws -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  let observe: @Sendable (FlowEvent) async -> Void
  /// Waits for ``FlowLimits/cancelTimeout``; a test can say when it is over.
  package var waitForCancel: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - client: Speaks the protocol of the org.
  ///   - sleep: Waits between polls; a test can return at once.
  ///   - now: Measures how long a poll takes.
  ///   - observe: Receives every event, in order; the sign-in continues when it returns.
  public init(
    client: any FlowClient,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    observe: @escaping @Sendable (FlowEvent) async -> Void = { _ in }
  ) {
    self.client = client
    self.sleep = sleep
    self.now = now
    self.observe = observe
  }

  /// Starts a sign-in.
  ///
  /// - Parameters:
  ///   - configuration: The org and the app.
  ///   - options: What to ask of the server.
  ///   - goal: What the person does first, such as resetting a password; nil to only sign in.
  ///   - limits: End a sign-in that takes too many steps, attempts or polls.
  /// - Throws: A ``/IDXOAuth/FlowError`` if the request failed; `CancellationError` if the task was canceled.
  public func begin(
    _ configuration: FlowConfiguration, _ options: StartOptions = StartOptions(),
    goal: Goal? = nil, limits: FlowLimits = FlowLimits()
  ) async throws -> FlowProgress {
    var progress = FlowProgress(
      try await client.start(configuration, options), goal: goal, limits: limits)
    progress.options = options.withoutTokens
    return progress
  }

  /// Makes a move; returns the outcome if the sign-in has ended with it.
  ///
  /// A refusal by the server, and answers that do not fit the form or may not have arrived, are no errors:
  /// ``FlowProgress/next()`` says how to continue. A decision to poll waits for the interval and asks once.
  /// After an error, the progress is where the error occurred. Canceling the task does not cancel the sign-in.
  ///
  /// - Throws: A ``/IDXOAuth/FlowError`` if a request failed or a limit was reached; `CancellationError` if
  ///   the task was canceled.
  public func make(
    _ move: FlowMove, in progress: inout FlowProgress
  ) async throws -> Outcome? {
    do {
      switch move {
      case .redeem:
        let credential = try await client.redeem(
          progress.state, username: progress.user?.identifier)
        return .signedIn(progress.signIn(with: credential))
      case .cancel, .decide(.cancel, at: _):
        await cancelOnServer(progress)
        return .cancelled
      case .decide(.end, at: _): return .ended(progress.state)
      case .decide(let decision, let step): try await apply(decision, to: step, &progress)
      case .end(.submit(let submission)?): try await send(submission, &progress)
      case .end(.restart?): try await restart(&progress)
      // Whoever asks makes the move that follows from the reply.
      case .end(.ask?), .end(nil): return .ended(progress.state)
      }
      return nil
    } catch { throw progress.answerRedactor.removed(from: error) }
  }

  private func apply(
    _ decision: Decision, to step: Step, _ progress: inout FlowProgress
  ) async throws {
    progress.failure = nil
    // Usually there is none.
    if progress.goal != nil { progress.updateGoal(after: decision, at: step) }
    if step.hasReply { progress.takeReply() }
    switch decision {
    case .submit(let answers, let form):
      let form = progress.renewed(form ?? step.remediation)
      var submission = Submission(form, answers)
      if let checked = step.checked, checked == submission { submission = checked }
      try await send(submission, at: step, &progress)
    case .poll(let form):
      let form = progress.renewed(form ?? step.remediation)
      try progress.limits.checkPolling(form, progress)
      if try await poll(form, &progress) { await observeNews(from: step, progress) }
    case .choose(let form, let notice): progress.choose(progress.renewed(form), notice: notice)
    case .resume(let returned):
      let state = try await client.resume(returned, from: progress.state)
      progress.steps += 1
      try progress.resume(at: state, from: step)
      await observeNews(from: step, progress)
    case .ask, .decline, .end, .cancel: break
    }
  }

  /// Observes what a poll or a browser has brought.
  func observeNews(from step: Step, _ progress: FlowProgress) async {
    if progress.didAdvance(from: step) {
      await observe(.accepted(step.remediation, step.authenticator))
    }
    await observe(.received(progress.state))
  }

  private func restart(_ progress: inout FlowProgress) async throws {
    try progress.limits.checkSteps(progress)
    let options = progress.options ?? StartOptions(again: progress.state)
    let state = try await client.start(progress.state.configuration, options)
    progress.steps += 1
    try progress.restart(at: state)
    await observe(.received(progress.state))
  }

  // MARK: Requests

  /// Sends answers; `decided` is the step at which that was decided, nil at the end of a sign-in.
  private func send(
    _ submission: Submission, at decided: Step? = nil, _ progress: inout FlowProgress
  ) async throws {
    let step: Step
    if let decided, decided.remediation == submission.remediation {
      step = decided
      try progress.limits.check(step, progress)
    } else {
      var other = try progress.nextStep(for: submission.remediation)
      other.hasReply = decided?.hasReply ?? false
      step = other
    }
    progress.steps += 1
    let checked: Submission
    do { checked = try submission.checked() } catch {
      progress.refuse(submission, because: error)
      return
    }
    progress.answerRedactor.add(submission)
    guard let state = try await state(after: checked, &progress) else { return }
    let isAccepted = try progress.advance(to: state, after: submission, at: step)
    if isAccepted { await observe(.accepted(step.remediation, step.authenticator)) }
    await observe(.received(progress.state))
  }

  /// The state after answers; nil if they failed, which ``FlowProgress/next()`` then says.
  private func state(
    after submission: Submission, _ progress: inout FlowProgress
  ) async throws -> FlowState? {
    let form = submission.remediation
    // A handler may submit a polled form itself; the same rules apply as to other polls.
    if submission.isPoll {
      while true {
        try progress.limits.checkPolling(form, progress)
        await observe(.submitting(form))
        if let (state, _) = try await response(to: submission, &progress) { return state }
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
      progress.fail(submission, because: error)
      await observe(.failed(form, error))
      return nil
    }
  }

  /// Polls once; returns whether there is news, which the caller observes after it has ended the handler.
  func poll(_ form: Remediation, _ progress: inout FlowProgress) async throws -> Bool {
    guard let (state, time) = try await response(to: Submission(form), &progress) else {
      return false
    }
    let isNews = try progress.finishPoll(of: form, after: time, at: state)
    if !isNews { await observe(.received(progress.state)) }
    return isNews
  }

  /// The response to a poll that is sent after its interval, and the time of both; nil if it failed for a
  /// moment.
  ///
  /// The person may approve meanwhile, so trouble of 30 seconds must not end the sign-in: a network that
  /// fails, a server that is too busy, or a page that comes instead of the response.
  private func response(
    to poll: Submission, _ progress: inout FlowProgress
  ) async throws -> (FlowState, Duration)? {
    let interval = progress.interval(of: poll.remediation)
    let waiting = now()
    do {
      try await wait(max(.zero, interval - progress.polling.interrupted), for: poll.remediation)
    } catch {
      // A reply that cannot be used must not put off the poll: the person may send many.
      progress.polling.interrupted += now() - waiting
      throw error
    }
    progress.polling.interrupted = .zero
    let start = now()
    do {
      let state = try await client.proceed(poll, from: progress.state)
      let time = now() - start
      let isBusy = state.isAtEnd && state.response.isRateLimited
      guard isBusy, progress.polling.miss(after: interval, time, pause: Self.rateLimitPause) else {
        return (state, interval + time)
      }
    } catch let error as FlowError where error.mayBeAnsweredAgain {
      let pause = error.retryAfter ?? (error.code == .rateLimited ? Self.rateLimitPause : .zero)
      guard progress.polling.miss(after: interval, now() - start, pause: pause) else { throw error }
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
  func cancelOnServer(_ progress: FlowProgress) async {
    let state = progress.state
    guard state.response.action(.cancel) != nil else { return }
    let (client, timeout, wait) = (client, progress.limits.cancelTimeout, waitForCancel)
    // The current task is cancelled and could send nothing.
    await Task.detached {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = try? await client.startOver(state) }
        group.addTask { await wait(timeout) }
        await group.next()
        group.cancelAll()
      }
    }.value
  }
}

/// An event of a sign-in, for a front-end that shows or logs it.
///
/// A later version may add an event: a `switch` over all of them then needs a new case.
public indirect enum FlowEvent: Sendable {
  /// A response came, also to a poll without news.
  case received(FlowState)
  /// The answers to a form are about to be sent.
  case submitting(Remediation)
  /// The answers to a form could not be sent, or nobody knows whether they arrived; somebody has to decide how to
  /// continue.
  case failed(Remediation, FlowError)
  /// The server accepted the answers to a form about an authenticator, or what the person did elsewhere.
  case accepted(Remediation, IDXAuthenticator?)
  /// The form is polled next after this time.
  case waiting(Remediation, Duration)
}
