import IDX

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What comes next in a sign-in whose steps are shown as screens.
///
/// A later version may add a case: a `switch` over all of them then needs a new one.
public indirect enum ScreenNext: Sendable {
  /// The person has to reply to a screen.
  case show(PendingScreen)
  /// Nobody has to be asked: ``FlowEngine/make(_:in:)`` makes this move.
  case move(FlowMove)
}

/// A screen that needs a reply, and what a reply leads to: a value that nobody waits for.
public struct PendingScreen: Sendable {
  /// What the person sees.
  public let screen: Screen
  /// The move that asks the server once whether there is news; nil if the screen waits for nothing.
  public let polling: FlowMove?
  private let moveForReply: @Sendable (Reply) throws -> FlowMove

  /// The move that a reply leads to.
  ///
  /// Throws an ``InvalidReply`` if the person must correct it: nothing of it is sent.
  public func move(on reply: Reply) throws -> FlowMove { try moveForReply(reply) }

  /// The screen of a step.
  init(
    _ screen: Screen, at step: Step, _ handler: any ScreenHandler, in progress: FlowProgress
  ) {
    var screen = screen
    if let interval = screen.wait?.interval {
      screen.wait?.interval = max(interval, progress.pause)
    }
    let polled =
      screen.wait == nil
      ? nil : handler.poll(for: step).flatMap { progress.mayPoll($0) ? $0 : nil }
    polling = polled.map { .decide(.poll($0), at: step) }
    self.screen = screen
    moveForReply = { [screen] reply in
      switch try handler.decide(reply, to: screen) {
      case .decline: throw screen.notOffered
      case let decision: .decide(decision, at: step)
      }
    }
  }

  /// The screen at the end of a sign-in without tokens.
  init(end state: FlowState, words: Words) {
    screen = Screen(end: state, words: words)
    polling = nil
    moveForReply = { [screen] in .end(screen.decision(on: $0, atEnd: state)) }
  }

  /// The screen that asks whether to make a move that is due.
  ///
  /// A request that was interrupted may leave such a sign-in. Loading the page again must not continue it:
  /// whoever only knows the ID would get the tokens.
  init(due move: FlowMove, of state: FlowState, words: Words) {
    screen = Screen(interrupted: state, words: words)
    polling = nil
    moveForReply = { [screen] reply in
      if screen.isMain(reply) { return move }
      guard reply.isCancel else { throw screen.notOffered }
      return .cancel
    }
  }
}

extension Screens {
  /// What comes next: the first screen that a handler has for what the server asks for, or a move.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if a limit is reached, or if no handler has a screen.
  public func next(in progress: FlowProgress, now: Date = Date()) throws -> ScreenNext {
    var progress = progress
    progress.customRoutes = routes
    switch try progress.next() {
    case .move(let move): return .move(move)
    case .failure(let error, let step):
      return .move(.decide(Self.decision(after: error, at: step), at: step))
    case .end(let state):
      return state.canStartOver ? .show(PendingScreen(end: state, words: words)) : .move(.end(nil))
    case .ask(let forms):
      for form in forms {
        let step = try progress.nextStep(for: form)
        for handler in handlers(for: step) {
          switch try handler.plan(step, context(now)) {
          case .decide(.decline): continue
          case .decide(let decision): return .move(.decide(decision, at: step))
          case .show(let screen):
            return .show(PendingScreen(screen, at: step, handler, in: progress))
          }
        }
      }
      throw progress.noHandlerError
    }
  }

  /// After a failure, the handlers of the step decide again, with the reason, also those of the app.
  static func decision(after error: FlowError, at step: Step) -> Decision {
    .choose(step.remediation, notice: error.message)
  }
}

extension FlowState {
  /// Whether a person can do something at the end: without a failure and a way to start over, the sign-in
  /// continues elsewhere.
  var canStartOver: Bool { isRefusal || !response.actions.isEmpty }
}

extension Screen {
  /// What a reply at the end of a sign-in means; nil to end the sign-in.
  func decision(on reply: Reply, atEnd state: FlowState) -> EndDecision? {
    guard isMain(reply) else { return nil }
    let cancel = state.response.isExpired ? nil : state.response.action(.cancel)
    return cancel.map { .submit(Submission($0)) } ?? .restart
  }
}
