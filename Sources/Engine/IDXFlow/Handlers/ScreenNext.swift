import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What comes next in a sign-in, after the handlers were asked.
///
/// A later version may add a case: a `switch` over all of them then needs a new one.
public indirect enum ScreenNext: Sendable {
  /// The person has to reply to a screen.
  case show(PendingScreen)
  /// Nobody has to be asked: ``FlowEngine/make(_:in:)`` makes this move.
  case move(FlowMove)
}

extension Handlers {
  /// What comes next: the screen with which the first handler asks that does not decline, or a move.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if a limit is reached, or if no handler takes a step, and the error of a handler.
  ///
  /// `now` is the current time; nil for that of the handlers.
  public func next(in progress: FlowProgress, now: Date? = nil) async throws -> ScreenNext {
    var progress = progress
    let next = try await next(in: &progress, now: now ?? self.now()) { handler, step, _ in
      try await handler.decide(step)
    }
    guard let next else { throw progress.noHandlerError() }
    return next
  }

  /// What comes next; nil if the progress has changed meanwhile.
  ///
  /// `decide` asks one handler, and may poll while that takes its time; nil if there is news.
  func next(
    in progress: inout FlowProgress, now: Date,
    _ decide: (any StepHandler, Step, inout FlowProgress) async throws -> Decision?
  ) async throws -> ScreenNext? {
    progress.context = context(now)
    switch try progress.next() {
    case .move(let move): return .move(move)
    case .failure(let error, let step):
      guard let decision = try await onFailure?(error, step) else { throw error }
      return next(decision, at: step, in: progress)
    case .end(let state):
      let decision = try await atEnd?(state)
      guard case .ask? = decision else { return .move(.end(decision)) }
      return .show(PendingScreen(end: state, words: screens.words))
    case .ask(let forms):
      var refusal: InvalidAnswers?
      for form in forms {
        var step = try progress.nextStep(for: form)
        for handler in handlers(for: step) {
          guard let decision = try await decide(handler, step, &progress) else { return nil }
          if case .decline = decision { continue }
          do { try step.check(decision) } catch {
            refusal = refusal ?? error
            continue
          }
          return next(decision, at: step, in: progress)
        }
      }
      throw progress.noHandlerError(after: refusal)
    }
  }

  private func next(
    _ decision: Decision, at step: Step, in progress: FlowProgress
  ) -> ScreenNext {
    guard case .ask(let screen, let then) = decision else {
      return .move(.decide(decision, at: step))
    }
    return .show(PendingScreen(screen, at: step, in: progress, then: then))
  }
}

extension Step {
  /// Checks the answers that a handler has decided; throws if the form has no such field or option.
  ///
  /// The step then knows why. Answers with another problem, such as a code that is too short, are an attempt, and the
  /// handler is asked again.
  fileprivate mutating func check(_ decision: Decision) throws(InvalidAnswers) {
    guard case .submit(let answers, let form) = decision else { return }
    do { checked = try Submission(form ?? remediation, answers).checked() } catch {
      guard error.problems.contains(where: \.isAboutForm) else { return }
      if form == nil || form == remediation { (previous, problems) = (answers, error.problems) }
      throw error
    }
  }
}

extension InvalidAnswers.Problem {
  /// Whether the answer is for another form than the one that the server sent.
  fileprivate var isAboutForm: Bool {
    switch reason {
    case .unknown, .notAnOption, .notChangeable: true
    default: false
    }
  }
}
