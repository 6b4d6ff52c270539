import IDXOAuth

/// A sign-in that goes from one screen to the next, for a program that shows the screens itself.
///
///     var run = try await coordinator.begin(configuration)
///     var end: Outcome?
///     while end == nil {
///       switch try await run.next() {
///       case .show(let pending):
///         // Nil if the server has moved on, such as after a push: another screen follows.
///         guard let reply = try await run.reply(to: pending, on: frontEnd) else { continue }
///         run.take(reply, to: pending)
///       case .end(let outcome): end = outcome
///       }
///     }
///
/// That is what ``FlowCoordinator/run(_:_:goal:)`` does. Canceling the task in ``next()`` or ``reply(to:on:)`` cancels the
/// current request, tells the server, and throws `CancellationError`. It cannot be copied, because two copies could send the
/// same answer.
public struct FlowRun: ~Copyable, Sendable {
  /// What comes next; a later version may add a case.
  public indirect enum Next: Sendable {
    /// The person has to reply to a screen.
    case show(PendingScreen)
    /// The sign-in has ended.
    case end(Outcome)
  }

  private static let maximumReplies = 100

  private let engine: FlowEngine
  private let handlers: Handlers
  private var progress: FlowProgress
  /// The move that was decided, and is not made yet.
  private var due: FlowMove?
  /// What follows a reply that cannot be used: the same screen, or the error that ends the sign-in.
  private var afterReply: Result<PendingScreen, any Error>?
  /// How many screens were shown.
  private var count = 0

  init(_ progress: FlowProgress, _ engine: FlowEngine, _ handlers: Handlers) {
    (self.progress, self.engine, self.handlers) = (progress, engine, handlers)
  }

  /// Continues until the person has to reply to a screen, or until the end.
  ///
  /// Throws the same errors as ``FlowCoordinator/run(_:_:goal:)``.
  public mutating func next() async throws -> Next {
    try await cancelingOnServer { run in
      while true {
        if let move = run.due {
          run.due = nil
          if let outcome = try await run.engine.make(move, in: &run.progress) {
            return .end(outcome)
          }
        }
        try Task.checkCancellation()
        if let pending = run.afterReply {
          run.afterReply = nil
          return .show(run.numbered(try pending.get()))
        }
        switch try await run.decide() {
        case .move(let move)?: run.due = move
        case .show(let pending)?: return .show(run.numbered(pending))
        case nil: continue
        }
      }
    }
  }

  /// Shows a screen and waits for the reply, while the server is polled; nil if a poll shows that the server has moved
  /// on, or if the time for polls is over.
  public mutating func reply(
    to pending: PendingScreen, on frontEnd: any FrontEnd
  ) async throws -> Reply? {
    try await cancelingOnServer { run in
      let screen = pending.screen
      guard let polled = pending.polled, let step = pending.step else {
        return try await frontEnd.reply(to: screen)
      }
      let race = PollRace<Reply>(step: step, isCancel: { $0.isCancel }) {
        try await frontEnd.reply(to: screen)
      }
      return try await Self.value(of: race, polling: polled, run.engine, &run.progress)
    }
  }

  /// Takes the reply to a screen: ``next()`` sends it, or shows the screen again if it cannot be used.
  public mutating func take(_ reply: Reply, to pending: PendingScreen) {
    do { due = try pending.move(on: reply) } catch let refusal as InvalidReply {
      let isLast = pending.refusals + 1 >= Self.maximumReplies
      afterReply =
        isLast
        ? .failure(
          FlowError(
            .limitReached,
            "The answers to “\(pending.screen.title)” were wrong \(Self.maximumReplies) times.",
            remediation: pending.step?.remediation.name))
        : .success(pending.refused(reply, because: refusal))
    } catch { afterReply = .failure(error) }
  }

  /// Asks the handlers; nil if a poll has changed what comes next.
  private mutating func decide() async throws -> ScreenNext? {
    let (engine, handlers) = (engine, handlers)
    return try await handlers.next(in: &progress, now: handlers.now()) { handler, step, progress in
      // When the time for polls is over, the handler decides without them.
      guard let polled = handler.poll(for: step), progress.mayPoll(polled) else {
        return try await handler.decide(step)
      }
      let race = PollRace<Decision>(step: step, isCancel: { $0.isCancel }) {
        try await handler.decide(step)
      }
      return try await Self.value(of: race, polling: polled, engine, &progress)
    }
  }

  /// The value that was decided; nil if there is news, or if the time for polls is over.
  private static func value<Value>(
    of race: PollRace<Value>, polling form: Remediation, _ engine: FlowEngine,
    _ progress: inout FlowProgress
  ) async throws -> Value? {
    switch try await race.run(polling: form, &progress, poll: { try await engine.poll($0, &$1) }) {
    case .decided(let value): return value
    case .news:
      await engine.observeNews(from: race.step, progress)
      return nil
    case .timedOut: return nil
    }
  }

  private mutating func numbered(_ pending: PendingScreen) -> PendingScreen {
    var pending = pending
    count += 1
    pending.screen.number = count
    return pending
  }

  /// Runs a part of the sign-in; if its task is canceled, the server is told.
  private mutating func cancelingOnServer<Value>(
    _ body: (inout FlowRun) async throws -> Value
  ) async throws -> Value {
    do { return try await body(&self) } catch {
      guard Task.isCancelled || error is CancellationError else {
        throw progress.answerRedactor.removed(from: error)
      }
      await engine.cancelOnServer(progress)
      throw CancellationError()
    }
  }
}

extension Decision {
  fileprivate var isCancel: Bool { if case .cancel = self { true } else { false } }
}
