public import IDX

/// What a handler wants done about a step.
public enum Decision: Sendable {
  /// Send answers to the step's form, or to another form of the same response.
  case submit(Answers, to: Remediation? = nil)
  /// Let the handlers of another form of the same response decide.
  case choose(Remediation)
  /// Wait for the form's `refresh`, then ask whether there is news.
  case poll(Remediation? = nil)
  /// Go on with what a browser brought back.
  case resume(RedirectReturn)
  /// Leave the step to the next handler.
  case decline
  /// Give the sign-in up.
  case cancel
}
