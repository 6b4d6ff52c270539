public import IDX
public import IDXBase
public import IDXOAuth

/// Speaks one protocol with a server and takes a sign-in from one state to the next.
///
/// ``FlowCoordinator``, handlers and front-ends do not depend on the protocol. A client describes what the
/// server asks for as an ``/IDX/IDXResponse``, with the names of Identity Engine (``/IDX/Remediation/Name``,
/// ``/IDX/IDXAuthenticator/Key``). It keeps nothing about a sign-in between calls: everything it needs is
/// in the state. A conforming type must:
/// - return a state for every response to an answer, also for a refusal such as a wrong code;
/// - throw a ``/IDXOAuth/FlowError`` if a request failed, and `CancellationError` if the task was
///   canceled;
/// - send nothing twice: if it is unknown whether an answer arrived, ask the server, where that is
///   possible;
/// - call ``FlowState/check(for:)`` first, because a state may belong to another client.
///
/// <doc:AddAProtocol> shows how to write one.
public protocol FlowClient: Sendable {
  /// Starts a sign-in and returns its first state, which usually asks for the username.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if the request failed or the server refused it. The clients of this
  /// package throw an error for an option that their protocol does not have, apart from a `loginHint`.
  func start(_ configuration: FlowConfiguration, _ options: StartOptions) async throws -> FlowState

  /// Answers a form of the state's response, also a form that is polled.
  ///
  /// Throws ``IDXOAuth/FlowError/Code/answerUnconfirmed`` if nobody knows whether the answer arrived, and the
  /// server still asks for it.
  func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState

  /// Asks the server for the current state and changes nothing there.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if the request failed. A sign-in that has expired is no error: the
  /// returned state ``FlowState/isAtEnd``.
  func refresh(_ state: FlowState) async throws -> FlowState

  /// Continues after a browser returned from a page that the server sent the person to.
  ///
  /// The default implementation, for a protocol without pages, throws an error.
  func resume(_ returned: RedirectReturn, from state: FlowState) async throws -> FlowState

  /// A client that sends its requests for a person, with their context.
  ///
  /// The default implementation, for a protocol that knows no context, returns this client.
  func acting(for context: PersonContext) -> Self

  /// The credential of a successful sign-in, after its tokens were checked.
  ///
  /// If the tokens contain no username, the credential has `username`, or the one in the response if that is
  /// nil. Throws ``IDXOAuth/FlowError/Code/notOffered`` before the sign-in has succeeded.
  func redeem(_ state: FlowState, username: String?) async throws -> Credential
}

extension FlowClient {
  /// Returns this client, because the protocol knows no context.
  public func acting(for context: PersonContext) -> Self { self }

  /// Starts a sign-in without options.
  public func start(_ configuration: FlowConfiguration) async throws -> FlowState {
    try await start(configuration, StartOptions())
  }

  /// Throws ``IDXOAuth/FlowError/Code/notOffered``, because the protocol has no pages.
  public func resume(_ returned: RedirectReturn, from state: FlowState) async throws -> FlowState {
    throw FlowError(.notOffered, "This sign-in does not use a browser.")
  }

  /// Answers the form with a name: a remediation, an action of the response, or an action of an
  /// authenticator.
  ///
  /// If several forms have the name, the first one is answered. If there is none, the error is
  /// ``IDXOAuth/FlowError/Code/notOffered``.
  public func proceed(
    _ name: Remediation.Name, _ answers: Answers = [:], from state: FlowState
  ) async throws -> FlowState {
    guard let form = state.response.allForms.first(where: { $0.name == name }) else {
      throw state.notOffered(name)
    }
    return try await proceed(Submission(form, answers), from: state)
  }

  /// Answers the step that asks for a code with that of an email, from the link in it.
  package func proceed(withCodeOfEmail code: Secret, from state: FlowState) async throws
    -> FlowState
  {
    try await proceed(
      state.response[.challengeAuthenticator] == nil
        ? .enrollAuthenticator : .challengeAuthenticator,
      ["credentials.passcode": .text(code)], from: state)
  }

  /// Asks once whether the person has acted elsewhere: approved a push, or followed a link.
  ///
  /// Wait for the ``IDX/Remediation/pollInterval`` of the form before each call; each response may change it.
  /// If the response is lost and there is no news, the state is returned unchanged. Throws if no form of the
  /// response is polled.
  public func poll(_ state: FlowState) async throws -> FlowState {
    guard let form = state.response.allForms.first(where: \.isPolled) else {
      throw state.notOffered(.poll)
    }
    do { return try await proceed(Submission(form), from: state) } catch let error as FlowError {
      // The server was asked instead, and there is no news.
      guard error.code == .answerUnconfirmed else { throw error }
      return state
    }
  }

  /// Starts the sign-in over: the new state asks for the username again.
  ///
  /// The server's form for it is named `cancel`. Throws if the response does not have it.
  public func startOver(_ state: FlowState) async throws -> FlowState {
    guard let form = state.response.action(.cancel) else { throw state.notOffered(.cancel) }
    return try await proceed(Submission(form), from: state)
  }

  /// The credential of a successful sign-in, with the username in the response.
  public func redeem(_ state: FlowState) async throws -> Credential {
    try await redeem(state, username: nil)
  }

  /// Sends an answer; if the response is lost or cannot be used, asks the server for the current state, and
  /// sends nothing twice.
  ///
  /// Every ``proceed(_:from:)`` should send its answer in this way. If `isKnown` is false, the server does not know
  /// the sign-in yet and cannot be asked. Throws ``IDXOAuth/FlowError/Code/answerUnconfirmed`` if the server still asks
  /// for the same: a wrong answer leaves the same step too, so this does not say whether the answer arrived.
  ///
  ///     let next = try await client.confirming(submission.remediation, from: state) {
  ///       try await send(submission)
  ///     }
  public func confirming(
    _ form: Remediation, from state: FlowState, isKnown: Bool = true,
    _ send: () async throws -> FlowState
  ) async throws -> FlowState {
    do { return try await send() } catch let error as FlowError {
      guard error.leavesUnknown, isKnown else { throw error }
      let current: FlowState
      do { current = try await refresh(state) } catch is FlowError { throw error }
      guard current.isUnchanged(since: state, for: form) else { return current }
      throw FlowError(
        .answerUnconfirmed,
        "\(error.message) The server still asks for the same, so the answer may not have arrived.",
        remediation: form.name, status: error.status, requestID: error.requestID,
        retryAfter: error.retryAfter, underlying: error)
    }
  }
}

extension FlowState {
  /// Whether the server still asks for the same as before a form was sent, and refuses nothing new.
  func isUnchanged(since earlier: FlowState, for form: Remediation) -> Bool {
    if self == earlier { return true }
    if form.isPolled { return !isNews(after: earlier) }
    guard let asked = earlier.response.remediations.first else { return false }
    return !isRefusal && asksAgain(asked, after: earlier)
  }

  /// The error for a form that the response does not offer; its message lists the forms that it does offer.
  public func notOffered(_ name: Remediation.Name) -> FlowError {
    let offered = response.allForms.map(\.name.rawValue).joined(separator: ", ")
    return FlowError(
      .notOffered,
      "The server does not offer “\(name)” here. It offers \(offered.isEmpty ? "nothing" : offered).",
      remediation: name, status: status, requestID: requestID)
  }
}

extension FlowError.Code {
  /// The answers do not fit the form; `underlying` is an `InvalidAnswers` that lists all problems.
  public static let invalidAnswers: Self = "invalid_answers"
  /// The response does not offer what was asked for.
  public static let notOffered: Self = "not_offered"
  /// The browser returned to another address, or with the data of another sign-in.
  public static let redirectMismatch: Self = "redirect_mismatch"
  /// The response to an answer was lost or could not be used, and the server still asks for the same;
  /// `underlying` is the error of the lost request.
  public static let answerUnconfirmed: Self = "answer_unconfirmed"
  /// No handler took any of the offered steps.
  public static let noHandler: Self = "no_handler"
  /// A step needs input, and there is nobody to ask.
  public static let inputNeeded: Self = "input_needed"
  /// A script does not fit what the server asks for.
  public static let scriptMismatch: Self = "script_mismatch"
  /// The limit on steps, attempts or waiting was reached.
  public static let limitReached: Self = "limit_reached"
  /// A saved state is damaged, made by a newer version, of another app or protocol, or gone.
  public static let unreadableState: Self = "unreadable_state"
  /// The sign-in succeeded, and ``OpenSignIns`` could not keep it; `underlying` is the error of `keep`.
  public static let notKept: Self = "not_kept"
}

extension FlowError {
  /// Creates an error about a remediation.
  public init(
    _ code: Code, _ message: String, remediation: Remediation.Name?, status: Int? = nil,
    requestID: String? = nil, retryAfter: Duration? = nil, underlying: (any Error)? = nil
  ) {
    self.init(
      code, message, stepName: remediation?.rawValue, status: status, requestID: requestID,
      retryAfter: retryAfter, underlying: underlying)
  }

  /// Whether the sign-in is still where it was, so that the same answer, or another one, may succeed.
  package var mayBeAnsweredAgain: Bool {
    isTemporary || code == .unexpectedResponse || code == .answerUnconfirmed
  }

  /// The remediation that was being answered; nil if the error is about none.
  public var remediation: Remediation.Name? { stepName.map(Remediation.Name.init(rawValue:)) }
}

/// Options for the start of a sign-in.
public struct StartOptions: Sendable, Hashable {
  /// The greatest age of an earlier sign-in, in seconds (`max_age`); nil for any age.
  public var maximumAge: Int?
  /// How strong the sign-in must be (`acr_values`); empty if the org decides.
  public var acrValues: [String] = []
  /// The username that is probably used (`login_hint`); nil for none.
  public var loginHint: String?
  /// The token of a link that recovers an account (`recovery_token`); nil without such a link.
  public var recoveryToken: Secret?
  /// The token of a link that activates an account (`activation_token`); nil without such a link.
  public var activationToken: Secret?
  /// The cookies of an earlier sign-in of the same person (``FlowState/cookies``), so that the server
  /// recognizes the device; nil for none.
  ///
  /// Those of another origin are not used.
  public var cookies: CookieJar?

  /// Creates options that ask for nothing special.
  public init() {}

  /// The options that also apply when a sign-in starts over.
  package init(again state: FlowState) {
    maximumAge = state.maximumAge
    cookies = state.cookies
  }

  /// The options without the tokens, which work only once.
  var withoutTokens: StartOptions {
    var options = self
    options.recoveryToken = nil
    options.activationToken = nil
    return options
  }

  /// The parameters of a request that starts a sign-in.
  package var parameters: [(String, String)] {
    let optional: [(String, String?)] = [
      ("max_age", maximumAge.map(String.init)),
      ("acr_values", acrValues.isEmpty ? nil : acrValues.joined(separator: " ")),
      ("login_hint", loginHint), ("recovery_token", recoveryToken?.revealed),
      ("activation_token", activationToken?.revealed),
    ]
    return optional.compactMap { name, value in value.map { (name, $0) } }
  }
}

/// Answers and the form that they belong to.
public struct Submission: Sendable, Hashable {
  /// The form that is answered.
  public let remediation: Remediation
  /// The answers, by the paths of the fields.
  public let answers: Answers
  /// The body, if it was encoded already.
  private var encoded: EncodedAnswers?

  /// Creates a submission; a form without choices needs no answers.
  public init(_ remediation: Remediation, _ answers: Answers = [:]) {
    self.remediation = remediation
    self.answers = answers
  }

  /// Whether the form is polled, with no answers or only with settings that are on or off.
  ///
  /// A server may poll a form that asks for a password too, and such an answer must not be repeated.
  var isPoll: Bool {
    remediation.isPolled
      && answers.entries.values.allSatisfy { answer in
        if case .value(let value) = answer { value.bool != nil } else { false }
      }
  }

  /// The body to send.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `invalidAnswers` if the answers do not fit the form; its
  /// `underlying` is an ``/IDX/InvalidAnswers`` that lists all problems.
  public func body() throws -> JSONValue { try encoding().json }

  /// The same body as UTF-8 JSON.
  func bytes() throws -> [UInt8] { try encoding().bytes }

  private func encoding() throws -> EncodedAnswers {
    if let encoded { return encoded }
    do { return try remediation.encoding(answers) } catch {
      throw FlowError(
        .invalidAnswers, error.description, remediation: remediation.name, underlying: error)
    }
  }

  /// The submission with its body, which is then not encoded again; throws all problems with the answers.
  func checked() throws(InvalidAnswers) -> Submission {
    guard encoded == nil else { return self }
    var checked = self
    checked.encoded = try remediation.encoding(answers)
    return checked
  }

  /// Whether the form and the answers are equal.
  public static func == (one: Submission, other: Submission) -> Bool {
    one.remediation == other.remediation && one.answers == other.answers
  }

  /// Hashes the form and the answers.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(remediation)
    hasher.combine(answers)
  }
}
