import IDXBase
import IDX
import IDXFlow
import IDXPrompt
import IDXOAuth

/// Says how a sign-in ended: results on the output, the rest on the error stream.
struct SignInReport {
  let streams: Streams
  let asJSON: Bool
  let isDemo: Bool

  /// Says how it ended.
  ///
  /// With a goal beside signing in, an end without errors is what the person was after. `keptIn` is
  /// where the tokens are; nil where they are nowhere, so that they are printed.
  func end(_ outcome: Outcome, hadGoal: Bool, keptIn location: String?) throws -> ExitCode {
    switch outcome {
    case .signedIn(let signIn):
      try report(signIn, keptIn: location)
      return .done
    case .ended(let state) where hadGoal && state.endsSuccessfully:
      try reportGoal(at: state)
      return .done
    case .ended(let state):
      let code = exitCode(for: state)
      fail(CommandFailure(code, sentence(for: code)), state, asks: false)
      return code
    case .cancelled:
      fail(CommandFailure(.cancelled, "Cancelled."), nil, asks: false)
      return .cancelled
    }
  }

  func end(_ failure: CommandFailure, at state: FlowState?) -> ExitCode {
    fail(failure, state, asks: failure.exitCode == .inputNeeded)
    return failure.exitCode
  }

  /// Says that the person who was signed in still is.
  func stay(_ credential: Credential) throws -> ExitCode {
    let text = CredentialText(credential)
    try streams.result(
      asJSON ? object("signed_in", text).text : "Still signed in as \(text.user).")
    return .done
  }

  /// Prints what a browser's session can be had for, once.
  func tell(sessionToken token: Secret) throws {
    guard asJSON else { return try streams.result(token.revealed) }
    let object: JSONValue = ["status": "signed_in", "session_token": .string(token.revealed)]
    try streams.result(object.text)
  }

  private func report(_ signIn: SignIn, keptIn location: String?) throws {
    let text = CredentialText(signIn.credential)
    if signIn.credential.id.subject == nil {
      streams.note("The server sent no ID token, so nobody vouches for who signed in.")
    }
    guard asJSON else {
      let isNamed = signIn.credential.username ?? signIn.credential.id.subject != nil
      try streams.result(isNamed ? "Signed in as \(text.user)." : "Signed in.")
      if let location {
        streams.note("Kept in \(location). See: idx-flow status\(isDemo ? " --demo" : "")")
      }
      return
    }
    var result = object("signed_in", text)
    if let location {
      result = result.adding("store", .string(location))
    } else {
      let tokens = signIn.credential.tokens
      result = result.adding("token_type", .string(tokens.tokenType))
      for kind in TokenKind.allCases {
        result = result.adding(
          kind.rawValue, tokens[kind].map { .string($0.revealed) } ?? .null)
      }
    }
    try streams.result(result.text)
  }

  private func object(_ status: String, _ text: CredentialText) -> JSONValue {
    JSONValue.object(
      JSONValue.Object(
        [JSONValue.Object.Member("status", .string(status))] + (text.json.object?.members ?? [])))
  }

  private func reportGoal(at state: FlowState) throws {
    guard asJSON else { return try streams.result("Done. You are not signed in.") }
    var object = JSONValue.Object([JSONValue.Object.Member("status", "done")])
    let summary = ResponseSummary(response: state.response, showsFixedValues: false)
    object["messages"] = summary.json["messages"]
    try streams.result(JSONValue.object(object).text)
  }

  private func fail(_ failure: CommandFailure, _ state: FlowState?, asks: Bool) {
    _ = FailureReport(streams: streams, asJSON: asJSON).tell(failure, at: state, asks: asks)
  }

  private func exitCode(for state: FlowState) -> ExitCode {
    let response = state.response
    if response.isExpired { return .expired }
    return state.status == 429 || response.isRateLimited ? .rateLimited : .refused
  }

  private func sentence(for code: ExitCode) -> String {
    switch code {
    case .expired: "The session expired. Start again."
    case .rateLimited: "There were too many tries. Wait a while before you start again."
    default: "The sign-in ended, and you are not signed in."
    }
  }
}

/// A message of the server on one line.
struct MessageLine {
  let text: String

  init(_ message: IDXMessage) {
    let sanitizer = TextSanitizer(oneLine: true)
    let words = [message.text, message.key?.rawValue].compactMap { $0.map(sanitizer.clean) }
    text = words.first { !$0.isEmpty } ?? "The server sent an empty message."
  }
}
