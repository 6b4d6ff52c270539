public import IDX
public import IDXOAuth

/// How a sign-in ended.
public enum Outcome: Sendable {
  /// The person is signed in.
  case signedIn(SignIn)
  /// The server offers nothing more, and there are no tokens. The messages of the response say why.
  case ended(FlowState)
  /// A handler cancelled the sign-in, and the server was told.
  case cancelled
}

/// The result of a successful sign-in.
public struct SignIn: Sendable {
  /// The person and the tokens.
  ///
  /// An ID token among them has passed every check.
  public let credential: Credential
  /// The user as named by the server during the sign-in; nil if it named none.
  public let user: IDXResponse.User?
  /// The last state.
  public let state: FlowState
}

/// An event of a running coordinator, for a front-end that shows or logs it.
public enum FlowEvent: Sendable {
  /// The server answered, also to a poll without news.
  case received(FlowState)
  /// The answers to a form are about to be sent.
  case submitting(Remediation)
  /// The server accepted the answers to a form, or what the person did elsewhere.
  ///
  /// The second value is the authenticator that the form was about.
  case accepted(Remediation, IDXAuthenticator?)
  /// The form is polled again after this time.
  case waiting(Remediation, Duration)
}
