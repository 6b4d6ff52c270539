public import IDX
public import IDXOAuth

/// Speaks one protocol with a server: takes a sign-in from one state to the next.
///
/// ``FlowCoordinator``, handlers and prompters know of no protocol: a client tells in a ``IDXResponse`` what
/// may be done next, and in the words of Identity Engine (``Remediation/Name``,
/// ``IDXAuthenticator/Key``), whatever the server's own are. It keeps nothing about a sign-in between
/// calls: what it needs is in the state. A conformer owes:
/// - a state for whatever the server says to an answer, a refusal such as a wrong code included;
/// - a ``FlowError`` for what could not be done, and `CancellationError` where the task was cancelled;
/// - nothing sent twice: where the fate of an answer is unknown, it is asked for;
/// - ``FlowState/check(for:)`` before it goes on with a state, which may be another client's.
public protocol FlowClient: Sendable {
  /// Starts a sign-in.
  func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState

  /// Answers a form of the state's response; polls are answered forms too.
  func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState

  /// Asks where the sign-in stands, which changes nothing.
  func refresh(_ state: FlowState) async throws -> FlowState

  /// Goes on with what a browser brought back from a page that the server sent the person to.
  ///
  /// Throws where the protocol sends nobody to a page, which needs no code of the conformer's.
  func resume(_ returned: RedirectReturn, from state: FlowState) async throws -> FlowState

  /// The credential of a sign-in that has succeeded, its tokens checked.
  ///
  /// `username` is what the person is called where the tokens do not say; nil for what the response
  /// says.
  func redeem(_ state: FlowState, username: String?) async throws -> Credential
}

extension FlowClient {
  /// Starts a sign-in about which nothing in particular is to be said.
  public func start(_ configuration: FlowConfiguration) async throws -> FlowState {
    try await start(configuration, StartOptions())
  }

  /// Throws: what a protocol without pages has to say.
  public func resume(
    _ returned: RedirectReturn, from state: FlowState
  ) async throws -> FlowState {
    throw FlowError(.notOffered, "This sign-in sends nobody to a browser.")
  }

  /// Answers the form of a name: a remediation, an action beside them, or one of an authenticator.
  public func proceed(
    _ name: Remediation.Name, _ answers: Answers = [:], from state: FlowState
  ) async throws -> FlowState {
    guard let form = state.response.allForms.first(where: { $0.name == name }) else {
      throw state.notOffered(name)
    }
    return try await proceed(Submission(form, answers), from: state)
  }

  /// Asks once whether there is news of what the person does elsewhere: a push, a link in a mail.
  ///
  /// Wait for the form's `refresh` before each call; each response may change it.
  public func poll(_ state: FlowState) async throws -> FlowState {
    guard let form = state.response.allForms.first(where: \.isPolled) else {
      throw state.notOffered(.poll)
    }
    return try await proceed(Submission(form), from: state)
  }

  /// Gives the sign-in up, which starts it over: the new state asks again who signs in.
  public func cancel(_ state: FlowState) async throws -> FlowState {
    guard let form = state.response.action(.cancel) else { throw state.notOffered(.cancel) }
    return try await proceed(Submission(form), from: state)
  }

  /// The credential of a sign-in that has succeeded, for whom the response names.
  public func redeem(_ state: FlowState) async throws -> Credential {
    try await redeem(state, username: nil)
  }
}

extension FlowClient {
  /// What comes of an answer; where its reply got lost after it may have arrived, the server is asked
  /// where the sign-in stands, and nothing is sent twice.
  ///
  /// `isKnown` tells whether the server knows the sign-in, so that it can be asked.
  package func recoveringLostReply(
    from state: FlowState, isKnown: Bool = true, _ send: () async throws -> FlowState
  ) async throws -> FlowState {
    do { return try await send() } catch let error as FlowError {
      guard error.mayHaveArrived, isKnown else { throw error }
      do { return try await refresh(state) } catch is FlowError { throw error }
    }
  }
}

extension FlowState {
  /// The error where something is asked for that is not there.
  public func notOffered(_ name: Remediation.Name) -> FlowError {
    let offered = response.allForms.map(\.name.rawValue).joined(separator: ", ")
    return FlowError(
      .notOffered,
      "The server does not offer “\(name)” here, but \(offered.isEmpty ? "nothing" : offered).",
      remediation: name, status: status, requestID: requestID)
  }
}
