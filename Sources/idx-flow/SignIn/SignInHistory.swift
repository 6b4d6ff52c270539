import IDX
import IDXFlow
import IDXOAuth

/// What has happened in a sign-in, as far as it explains a failure or the next event.
struct SignInHistory {
  /// The last state; nil before the first response.
  private(set) var last: FlowState?
  /// Whether the org lets people unlock their account.
  private(set) var offersUnlock = false
  /// The form that is polled at the moment; nil if none is.
  private(set) var polled: Remediation.Name?

  mutating func add(_ event: FlowEvent) {
    switch event {
    case .received(let state):
      last = state
      if state.response.allForms.contains(where: { $0.name == .unlockAccount }) {
        offersUnlock = true
      }
    case .waiting(let form, _): polled = form.name
    case .submitting: polled = nil
    case .accepted, .failed: break
    }
  }

  /// The failure with what the person can do, if the server accepts no more answers or has locked the account.
  func explaining(_ failure: CommandFailure) -> CommandFailure {
    let isRefused = failure.cause?.code == .rateLimited && failure.cause?.remediation != nil
    let isUsedUp = failure.cause?.code == .limitReached && last?.isRefusal == true
    let isLocked = last.map { $0.isAtEnd && $0.response.isLocked } ?? false
    guard failure.setup == nil, isRefused || isUsedUp || isLocked else { return failure }
    return failure.adding(remedy: offersUnlock ? Self.unlock : Self.administrator)
  }

  static let unlock: Sentence =
    "Wait before you try again. If the account is locked, unlock it: run idx-flow signin --unlock with the same "
    + "options, or ask an administrator of the org."
  static let administrator: Sentence =
    "Wait before you try again. If the account is locked, it may open after some time, or an administrator of the "
    + "org can unlock it."
}
