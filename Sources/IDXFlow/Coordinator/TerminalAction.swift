/// What to do where the server offers nothing more and there are no tokens.
public enum TerminalAction: Sendable {
  /// Send this, such as the `cancel` action that starts the sign-in over.
  case submit(Submission)
  /// Start a new sign-in of the same kind.
  case restart
}
