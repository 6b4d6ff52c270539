public import IDXBase
public import IDX

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One question of a form.
public struct Question: Sendable {
  /// How it is to be answered.
  public enum Kind: Sendable {
    /// With a line of text.
    case text
    /// With a line of text that nobody may see.
    case secret
    /// With yes or no.
    case confirmation
    /// With one of the options, or one of the forms beside them, which take the place of an answer.
    case choice([Remediation.Field.Option], beside: [Remediation])
  }

  /// The dotted path of the field.
  public let path: String
  /// The field.
  public let field: Remediation.Field
  /// How it is to be answered.
  public let kind: Kind
  /// The step that it belongs to.
  public let step: Step
  /// What an empty line stands for; nil where it stands for no answer.
  public let suggestion: JSONValue?
  /// Why the answer before was not taken; nil where there was none.
  public let problem: InvalidAnswers.Problem?

  /// Whether it asks once more for what was just typed unseen, so that a slip is noticed.
  public let isRepetition: Bool

  /// Whether the sign-in cannot go on without an answer.
  ///
  /// Where the server does not say, it is so for secrets, for the user name, and for what a form
  /// asks alone.
  public let isRequired: Bool

  /// A question of these parts.
  public init(
    path: String, field: Remediation.Field, kind: Kind, step: Step, isRequired: Bool? = nil,
    suggestion: JSONValue? = nil, problem: InvalidAnswers.Problem? = nil, isRepetition: Bool = false
  ) {
    self.path = path
    self.field = field
    self.kind = kind
    self.step = step
    self.isRequired = isRequired ?? field.isRequired
    self.suggestion = suggestion
    self.problem = problem
    self.isRepetition = isRepetition
  }
}

/// What a person replies to a question.
public enum Reply: Sendable {
  /// An answer.
  case answer(Answer)
  /// Nothing: what is optional stays out, a default stays.
  case nothing
  /// Something else than this form: one of the step's ``Step/alternatives``.
  case instead(Remediation)
  /// The address at which a browser came back.
  case returned(URL)
  /// The end of the sign-in.
  case cancel
}

// The address that a browser comes back to holds the code that stands for tokens.
extension Reply: Redacted {
  /// What kind of reply it is, without the answer or the address.
  public var description: String {
    switch self {
    case .answer(let answer): "\(answer)"
    case .nothing: "nothing"
    case .instead(let form): "instead \(form.name)"
    case .returned: "an address"
    case .cancel: "cancel"
    }
  }
}
