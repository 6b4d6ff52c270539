public import IDX

/// Answers, and the form that they answer.
public struct Submission: Sendable, Hashable {
  /// The form.
  public let remediation: Remediation
  /// The answers.
  public let answers: Answers

  /// Answers to a form; none where nothing is to be chosen.
  public init(_ remediation: Remediation, _ answers: Answers = [:]) {
    self.remediation = remediation
    self.answers = answers
  }
}
