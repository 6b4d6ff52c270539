/// Shows screens to a person, and receives the replies: a terminal, a window, a web page, or a script.
///
/// A conforming type must:
/// - show the screen, and reply after any time;
/// - end the screen and throw `CancellationError` when its task is canceled, because there is news and
///   another screen follows, or because the sign-in ends; a function that blocks, such as `readLine()`, must
///   not run in the task itself;
/// - show texts only as text, whatever they contain.
///
/// A front-end that knows one answer and cancels otherwise:
///
///     struct AdaAnswers: FrontEnd {
///       func reply(to screen: Screen) async throws -> Reply {
///         screen.inputs.first?.id == "identifier" ? .submit(["identifier": "ada@example.com"]) : .cancel
///       }
///     }
public protocol FrontEnd: Sendable {
  /// Shows a screen and waits for the reply.
  func reply(to screen: Screen) async throws -> Reply
}
