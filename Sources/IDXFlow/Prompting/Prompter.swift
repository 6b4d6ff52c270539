public import IDX

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
///       func choose(_ forms: [Remediation], at step: Step) async throws -> Reply { .cancel }
///     }
public protocol Prompter: Sendable {
  /// Shows what a step is about, before its questions are asked.
  func show(_ notice: Notice) async throws
  /// Asks one question and waits for the reply.
  ///
  /// Where a link, such as that of a mail, has led a browser back to the app meanwhile,
  /// ``Reply/returned(_:)`` is a reply too: the sign-in goes on with what it brought.
  func ask(_ question: Question) async throws -> Reply
  /// Lets the person pick one of several forms, none of which has been answered: the way on where a
  /// step has nothing to fill in, has taken too long, or cannot be done here.
  ///
  /// The reply is ``Reply/instead(_:)`` with one of the forms, or ``Reply/cancel``.
  func choose(_ forms: [Remediation], at step: Step) async throws -> Reply
  /// Shows that something is waited for that the person does elsewhere, for as long as the task is
  /// not cancelled: the wait is over then.
  ///
  /// It returns before only where the person wants something else: ``Reply/instead(_:)`` with one of
  /// the step's ``Step/alternatives``, or ``Reply/cancel``. By default nothing is shown.
  func wait(at step: Step) async throws -> Reply
  /// Asks, where the server offers nothing more and there are no tokens, whether to start over.
  ///
  /// By default not.
  func startsOver(after state: FlowState) async throws -> Bool
  /// Takes the person to a page in a browser, and replies ``Reply/returned(_:)`` with the address at
  /// which the browser came back.
  ///
  /// ``Reply/instead(_:)`` and ``Reply/cancel`` are replies too; ``Reply/nothing``, the default, says
  /// that there is no browser to be had.
  func visit(_ page: RedirectPage) async throws -> Reply
}

extension Prompter {
  /// Waits and shows nothing.
  public func wait(at step: Step) async throws -> Reply {
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  /// Does not start over.
  public func startsOver(after state: FlowState) async throws -> Bool { false }

  /// Says that there is no browser to be had.
  public func visit(_ page: RedirectPage) async throws -> Reply { .nothing }
}

/// Something to show to the person.
public enum Notice: Sendable {
  /// A step begins or, after the first attempt, is put again: its title and the server's messages.
  case step(Step)
  /// What an authenticator app needs in order to compute codes.
  case authenticatorApp(AuthenticatorApp)
  /// What keeps the person from doing the step here.
  case unsupported(UnsupportedStep)
  /// Something could not be done, in a sentence; the sign-in goes on.
  case problem(String)
}
