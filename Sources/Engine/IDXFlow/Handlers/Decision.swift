public import IDX

/// What a handler decides about a step; a later version may add a case.
public enum Decision: Sendable {
  /// Submit answers to the step's form, or to another form of the same response.
  ///
  /// Answers that do not fit the form are not sent. If the form has no such field or option, the next handler decides. For
  /// any other problem, such as a code that is too short, the same handler is asked again. ``Step/problems`` say why.
  case submit(Answers, to: Remediation? = nil)
  /// Ask the person: the front-end shows the screen, and the reply decides, by default as
  /// ``Screen/decision(on:)`` says.
  ///
  /// `then` returns another decision, or nil to keep that one, such as for a cancel. It throws an ``InvalidReply`` if
  /// the person must correct the reply: the screen is shown again. It cannot ask with another screen. If the screen has
  /// a ``Screen/wait``, the server is polled meanwhile.
  indirect case ask(Screen, then: (@Sendable (Reply) throws -> Decision?)? = nil)
  /// Let the handlers of another form of the same response decide; a notice tells the person why.
  case choose(Remediation, notice: String? = nil)
  /// Wait for the ``IDX/Remediation/pollInterval`` of a form, by default the step's, then ask the server for
  /// news.
  case poll(Remediation? = nil)
  /// Continue with what a browser brought back.
  case resume(RedirectReturn)
  /// Leave the step to the next handler.
  case decline
  /// Stop here (``Outcome/ended(_:)``), such as after a refusal: the state has the server's messages.
  ///
  /// The server is not told, so the state can be continued later.
  case end
  /// Cancel the sign-in, and tell the server.
  case cancel
}

/// What to do when the server offers nothing more and there are no tokens; a later version may add a case.
public enum EndDecision: Sendable {
  /// Submit a form, such as the `cancel` action that starts the sign-in over.
  case submit(Submission)
  /// Start a new sign-in with the same options.
  case restart
  /// Ask the person whether to start over.
  case ask
}
