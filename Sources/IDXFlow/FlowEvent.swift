public import IDX
public import OAuth

/// What happens while a coordinator runs, for a front-end that wants to show or log it.
public enum FlowEvent: Sendable {
  /// The server answered; the messages of the response are news to the person.
  case received(FlowState)
  /// Answers to a form are about to be sent.
  case submitting(Remediation)
  /// The server took the answers to a form, which was about this authenticator, or about none.
  case accepted(Remediation, Authenticator?)
  /// The form is asked about again after this time.
  case waiting(Remediation, Duration)
}

/// How a sign-in ended.
public enum Outcome: Sendable {
  /// The person is signed in.
  case signedIn(SignIn)
  /// The server offers nothing more, and there are no tokens: the response's messages say why.
  case ended(FlowState)
  /// A handler gave the sign-in up, and the server was told.
  case cancelled
}

/// What a sign-in that succeeded leads to.
public struct SignIn: Sendable {
  /// The tokens, not yet validated.
  public let tokens: Tokens
  /// Who signed in, as the server named them on the way; nil where it never did.
  public let user: Response.User?
  /// The sign-in at its end.
  public let state: FlowState
}

/// How far a coordinator goes before it gives up, so that nothing loops for ever.
public struct FlowLimits: Sendable, Hashable {
  /// How many steps a sign-in may take: answers, sent or not, and choices of another form.
  ///
  /// Default 100; polls are not counted.
  public var steps = 100
  /// How many answers to one form may be refused in a row, by the server or by the form's own rules.
  ///
  /// Default 10.
  public var attempts = 10
  /// How long to poll one step.
  ///
  /// Default 5 minutes.
  public var polling: Duration = .seconds(300)
  /// How long to wait for the server to take a cancel when the task is cancelled.
  ///
  /// Default 2 seconds.
  public var farewell: Duration = .seconds(2)

  /// The defaults.
  public init() {}
}
