import IDX
import IDXOAuth

/// What a person wants instead of only signing in.
public struct Goal: Sendable, Hashable {
  /// The form that leads to the goal.
  private let form: Remediation.Name
  private let words: String
  /// Steps that may come before the one that asks for the username.
  private static let earlySteps: Set<Remediation.Name> = [
    .deviceChallengePoll, .deviceAppleSSOExtension, .poll, .userCode,
  ]

  /// Reset a forgotten password.
  public static let recover = Goal(form: .recover, words: "to reset a password")
  /// Unlock an account.
  public static let unlock = Goal(form: .unlockAccount, words: "to unlock an account")
  /// Create an account.
  public static let register = Goal(form: .selectEnrollProfile, words: "to create an account")

  /// The form in a response that leads to the goal; nil if the username must be entered first.
  ///
  /// Throws a ``IDXOAuth/FlowError`` if the org does not offer it.
  func form(in state: FlowState) throws -> Remediation? {
    let response = state.response
    if let form = response.allForms.first(where: { $0.name == form }) { return form }
    // Some orgs offer to reset a password only when they know the username.
    let isFirst = response.remediations.contains { $0.name == .identify }
    if self == .recover, isFirst { return nil }
    if let first = response.remediations.first, Self.earlySteps.contains(first.name) { return nil }
    throw FlowError(
      .notOffered, "This org does not offer \(words) here.", remediation: form,
      status: state.status, requestID: state.requestID)
  }
}
