import IDX
import IDXOAuth

/// A screen that needs a reply, and what a reply leads to: a value that nobody waits for.
public struct PendingScreen: Sendable {
  /// What the person sees; it may be changed before it is shown.
  public var screen: Screen
  /// The form that is polled until there is a reply; nil if the screen waits for nothing.
  let polled: Remediation?
  /// How often a reply was refused.
  private(set) var refusals = 0
  private let subject: Subject

  /// What the screen is about.
  private indirect enum Subject: Sendable {
    /// A step, and what a reply means if the screen does not say that.
    case step(Step, (@Sendable (Reply) throws -> Decision?)?)
    case end(FlowState)
    /// A move that is due.
    case move(FlowMove)
  }

  /// The error if nobody can be shown the screen.
  package var noFrontEndError: FlowError {
    FlowError(
      .noHandler, "“\(screen.title)” asks a person, and there is no front-end.",
      remediation: step?.remediation.name)
  }

  /// The step of the screen; nil at the end of a sign-in.
  var step: Step? { if case .step(let step, _) = subject { step } else { nil } }

  /// The move that asks the server once whether there is news; nil if the screen waits for nothing.
  public var polling: FlowMove? {
    guard let polled, let step else { return nil }
    return .decide(.poll(polled), at: step)
  }

  /// The move that a reply leads to.
  ///
  /// Throws an ``InvalidReply`` if the person must correct it: nothing of it is sent.
  public func move(on reply: Reply) throws -> FlowMove {
    switch subject {
    case .step(let step, let then):
      var step = step
      step.hasReply = true
      switch try then?(reply) ?? screen.decision(on: reply) {
      case .decline: throw screen.notOffered
      case .ask:
        throw FlowError(
          .noHandler,
          "The reply to “\(screen.title)” led to another screen. To ask again, throw an InvalidReply.",
          remediation: step.remediation.name)
      case let decision: return .decide(decision, at: step)
      }
    case .end(let state):
      guard screen.isMain(reply) else { return .end(nil) }
      let cancel = state.response.isExpired ? nil : state.response.action(.cancel)
      return .end(cancel.map { .submit(Submission($0)) } ?? .restart)
    case .move(let move):
      if screen.isMain(reply) { return move }
      guard reply.isCancel else { throw screen.notOffered }
      return .cancel
    }
  }

  /// The same screen after a reply that cannot be used.
  func refused(_ reply: Reply, because refusal: InvalidReply) -> PendingScreen {
    var next = self
    next.screen = screen.refused(reply, because: refusal)
    next.refusals += 1
    return next
  }

  /// The screen with which a handler asks at a step; `then` says what a reply means, nil if the screen says that.
  init(
    _ screen: Screen, at step: Step, in progress: FlowProgress,
    then: (@Sendable (Reply) throws -> Decision?)? = nil
  ) {
    var screen = screen
    if let interval = screen.wait?.interval {
      screen.wait?.interval = max(interval, progress.pause)
    }
    polled = screen.wait.flatMap { $0.form ?? step.waitingForm }
      .flatMap { progress.mayPoll($0) ? $0 : nil }
    self.screen = screen
    subject = .step(step, then)
  }

  /// The screen at the end of a sign-in without tokens.
  init(end state: FlowState, words: Words) {
    screen = Screen(end: state, words: words)
    polled = nil
    subject = .end(state)
  }

  /// The screen that asks whether to make a move that is due.
  ///
  /// A request that was interrupted may leave such a sign-in. Loading the page again must not continue it:
  /// whoever only knows the ID would get the tokens.
  init(due move: FlowMove, of state: FlowState, words: Words) {
    screen = Screen(interrupted: state, words: words)
    polled = nil
    subject = .move(move)
  }
}

extension Step {
  /// The form to poll while the step is shown: its own if it is polled and nothing is missing in it, or the poll of its
  /// authenticator, which may bring news before a code is typed.
  fileprivate var waitingForm: Remediation? {
    remediation.isPolled && !remediation.form.hasMissingValues ? remediation : authenticatorPoll
  }
}
