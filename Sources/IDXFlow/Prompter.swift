public import IDX
public import OAuth

/// Asks a person, in whatever way: a terminal, a window, a script for a test.
///
/// The handlers that ask are written against it, so that one set of them serves every front-end. A
/// conformer owes them:
/// - a reply to each question, in its own time; it may check an answer and ask again by itself;
/// - `CancellationError` when the task is cancelled or the person gives up, with nothing left half
///   done;
/// - care with server text: it is shown as text, whatever it holds.
///
/// A conformer that knows one answer and gives up at anything else:
///
///     struct AdaAnswers: Prompter {
///       func show(_ notice: Notice) async throws {}
///       func ask(_ question: Question) async throws -> Reply {
///         question.path == "identifier" ? .answer("ada@example.com") : .cancel
///       }
///     }
public protocol Prompter: Sendable {
  /// Shows what a step is about, before its questions are asked.
  func show(_ notice: Notice) async throws
  /// Asks one question and waits for the reply.
  func ask(_ question: Question) async throws -> Reply
}

/// Something to show to the person.
public enum Notice: Sendable {
  /// A step begins or, after the first attempt, is put again: its title and the server's messages.
  case step(Step)
  /// What an authenticator app needs in order to compute codes.
  case authenticatorApp(AuthenticatorApp)
}

/// What to type or scan into an authenticator app.
public struct AuthenticatorApp: Sendable {
  /// What the app is called.
  public let name: String
  /// The key and its parameters, as a URI for a QR code; nil where the server sends an image alone.
  public let uri: OTPAuthURI?
  /// The QR code as the server drew it; nil where it sends none.
  public let image: Authenticator.Image?

  /// What to type or scan.
  public init(name: String, uri: OTPAuthURI?, image: Authenticator.Image?) {
    self.name = name
    self.uri = uri
    self.image = image
  }
}

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
    case choice([Field.Option], beside: [Remediation])
  }

  /// The dotted path of the field.
  public let path: String
  /// The field.
  public let field: Field
  /// How it is to be answered.
  public let kind: Kind
  /// The step that it belongs to.
  public let step: Step
  /// What an empty line stands for; nil where it stands for no answer.
  public let suggestion: JSON?
  /// Why the answer before was not taken; nil where there was none.
  public let problem: InvalidAnswers.Problem?

  /// Whether the sign-in cannot go on without an answer.
  public var isRequired: Bool { field.isRequired }

  /// A question of these parts.
  public init(
    path: String, field: Field, kind: Kind, step: Step, suggestion: JSON? = nil,
    problem: InvalidAnswers.Problem? = nil
  ) {
    self.path = path
    self.field = field
    self.kind = kind
    self.step = step
    self.suggestion = suggestion
    self.problem = problem
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
  /// The end of the sign-in.
  case cancel
}
