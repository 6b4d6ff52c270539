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
