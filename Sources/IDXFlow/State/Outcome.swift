public import IDX
public import IDXOAuth

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
  /// Who signed in, and the tokens; an ID token among them has passed every check.
  public let credential: Credential
  /// Who signed in, as the server named them on the way; nil where it never did.
  public let user: IDXResponse.User?
  /// The sign-in at its end.
  public let state: FlowState
}
