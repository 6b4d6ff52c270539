public import IDX
public import IDXOAuth

/// How a sign-in ended.
///
/// A later version may add an end: a `switch` over all of them then needs a new case.
public indirect enum Outcome: Sendable {
  /// The person is signed in.
  case signedIn(SignIn)
  /// There are no tokens: what the person wanted is done, it failed, or a handler has stopped (``Decision/end``), and
  /// then the state can be continued. The messages of the response say why.
  case ended(FlowState)
  /// A handler canceled the sign-in, and the server was told.
  case cancelled
}

/// The result of a successful sign-in.
public struct SignIn: Sendable {
  /// The person and the tokens; an ID token among them has passed every check.
  public let credential: Credential
  /// The user as named by the server during the sign-in; nil if it named none.
  public let user: IDXResponse.User?
  /// The last state, whose cookies can start the next sign-in of the person (``StartOptions/cookies``).
  public let state: FlowState
  /// The name under which a web site has kept it (``OpenSignIns``); nil elsewhere.
  public let keptAs: String?

  /// Creates a result, for a preview or a test.
  public init(
    credential: Credential, user: IDXResponse.User?, state: FlowState, keptAs: String? = nil
  ) {
    self.credential = credential
    self.user = user
    self.state = state
    self.keptAs = keptAs
  }
}
