import IDXOAuth
import IDX

/// What a person is after, where that is not simply to sign in.
public struct Goal: Sendable, Hashable {
  /// The form that leads there.
  let form: Remediation.Name
  private let words: String
  /// What may stand before the user name.
  private static let comesBefore: Set<Remediation.Name> = [
    .deviceChallengePoll, .deviceAppleSSOExtension, .poll, .userCode,
  ]

  /// Choose a new password in place of a forgotten one.
  public static let recover = Goal(form: .recover, words: "to recover a password")
  /// Unlock the account.
  public static let unlock = Goal(form: .unlockAccount, words: "to unlock an account")
  /// Sign up.
  public static let register = Goal(form: .selectEnrollProfile, words: "to sign up")

  /// The form that leads there from a response; nil where the way there is to say who one is first.
  ///
  /// Throws a ``FlowError`` where the org does not let people do it.
  func form(in state: FlowState) throws -> Remediation? {
    let response = state.response
    if let form = response.allForms.first(where: { $0.name == form }) { return form }
    // Some orgs offer to recover a password only once they know whose.
    let isFirst = response.remediations.contains { $0.name == .identify }
    if self == .recover, isFirst { return nil }
    if let first = response.remediations.first, Self.comesBefore.contains(first.name) { return nil }
    throw FlowError(
      .notOffered, "This org does not offer \(words) here.", remediation: form,
      status: state.status, requestID: state.requestID)
  }
}
