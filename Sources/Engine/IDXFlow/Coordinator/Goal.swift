package import IDX
import IDXOAuth

/// What a person wants instead of only signing in.
///
/// A coordinator opens the form for it as soon as the org offers it, and then continues with the sign-in.
public struct Goal: Sendable, Hashable {
  /// The form that leads to the goal.
  package let form: Remediation.Name
  private let words: String

  /// Reset a forgotten password.
  public static let recover = Goal(form: .recover, words: "to reset a password")
  /// Unlock an account.
  public static let unlock = Goal(form: .unlockAccount, words: "to unlock an account")
  /// Create an account.
  public static let register = Goal(form: .selectEnrollProfile, words: "to create an account")

  static let all = [recover, unlock, register]

  /// The form that follows, with which some orgs begin; nil if none does.
  private var next: Remediation.Name? { self == .register ? .enrollProfile : nil }

  /// Whether a form leads to the goal.
  func isReached(at name: Remediation.Name) -> Bool { name == form || name == next }

  /// The form that leads to the goal; nil if the username must be entered first; throws if there is none.
  func form(in state: FlowState) throws -> Remediation? {
    let response = state.response
    if let form = response.allForms.first(where: { $0.name == form }) { return form }
    if let first = response.remediations.first, first.name == next { return first }
    // Some orgs offer to reset a password only when they know the username.
    if self == .recover, response[.identify] != nil { return nil }
    let earlySteps: [Remediation.Name] = [
      .deviceChallengePoll, .deviceAppleSSOExtension, .poll, .userCode,
    ]
    if let first = response.remediations.first, earlySteps.contains(first.name) { return nil }
    throw FlowError(
      .notOffered, "This org does not offer \(words) here.", remediation: form,
      status: state.status, requestID: state.requestID)
  }
}
