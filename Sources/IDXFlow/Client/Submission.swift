import IDXOAuth
public import IDXBase
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

  /// What is to be sent; throws a ``FlowError`` where the answers are not what the form wants.
  public func body() throws -> JSONValue {
    do { return try remediation.body(answering: answers) } catch {
      throw FlowError(
        .invalidAnswers, error.description, remediation: remediation.name, underlying: error)
    }
  }
}
