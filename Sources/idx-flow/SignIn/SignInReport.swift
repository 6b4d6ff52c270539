import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// Writes how a sign-in ended: results to standard output, the rest to standard error.
struct SignInReport {
  let streams: Streams
  let asJSON: Bool
  let isDemo: Bool

  /// Writes the outcome and returns the exit status.
  ///
  /// - Parameters:
  ///   - hadGoal: Whether the goal was other than to sign in, so that an end without tokens can be a
  ///     success.
  ///   - location: Where the tokens are saved; nil to print them.
  func write(_ outcome: Outcome, hadGoal: Bool, savedIn location: String?) throws -> ExitCode {
    switch outcome {
    case .signedIn(let signIn):
      try write(signIn, savedIn: location)
      return .done
    case .ended(let state) where hadGoal && state.endsSuccessfully:
      try writeGoalReached(at: state)
      return .done
    case .ended(let state):
      let code = exitCode(for: state)
      return write(CommandFailure(code, sentence(for: code)), at: state)
    case .cancelled:
      return write(CommandFailure(CancellationError()), at: nil)
    }
  }

  /// Writes a failure; `state` is the last state of the sign-in.
  func write(_ failure: CommandFailure, at state: FlowState?) -> ExitCode {
    FailureReport(streams: streams, asJSON: asJSON)
      .write(failure, at: state, listsForms: failure.exitCode == .inputNeeded)
  }

  /// Writes that the person did not sign in again and is still signed in.
  func write(stillSignedIn credential: Credential) throws -> ExitCode {
    let text = CredentialText(credential)
    try streams.result(
      asJSON ? object("signed_in", text).text : "Still signed in as \(text.user).")
    return .done
  }

  /// Writes a one-time session token.
  func write(sessionToken token: Secret) throws {
    guard asJSON else { return try streams.result(token.revealed) }
    let object: JSONValue = ["status": "signed_in", "session_token": .string(token.revealed)]
    try streams.result(object.text)
  }

  private func write(_ signIn: SignIn, savedIn location: String?) throws {
    let credential = signIn.credential
    let text = CredentialText(credential)
    if credential.id.subject == nil {
      streams.note("The server sent no ID token, so the user is not confirmed.")
    }
    guard asJSON else {
      let isNamed = credential.username ?? credential.id.subject != nil
      try streams.result(isNamed ? "Signed in as \(text.user)." : "Signed in.")
      if let location {
        streams.note("Saved in \(location). See: idx-flow status\(isDemo ? " --demo" : "")")
      }
      return
    }
    var result = object("signed_in", text)
    if let location {
      result = result.adding("store", .string(location))
    } else {
      result = result.adding("token_type", .string(credential.tokens.tokenType))
      for kind in TokenKind.allCases {
        result = result.adding(
          kind.rawValue, credential.tokens[kind].map { .string($0.revealed) } ?? .null)
      }
    }
    try streams.result(result.text)
  }

  private func object(_ status: String, _ text: CredentialText) -> JSONValue {
    JSONValue.object(
      JSONValue.Object(
        [JSONValue.Object.Member("status", .string(status))] + (text.json.object?.members ?? [])))
  }

  private func writeGoalReached(at state: FlowState) throws {
    guard asJSON else { return try streams.result("Done. You are not signed in.") }
    var object = JSONValue.Object([JSONValue.Object.Member("status", "done")])
    let summary = ResponseSummary(response: state.response, showsFixedValues: false)
    object["messages"] = summary.json["messages"]
    try streams.result(JSONValue.object(object).text)
  }

  private func exitCode(for state: FlowState) -> ExitCode {
    let response = state.response
    if response.isExpired { return .expired }
    return state.status == 429 || response.isRateLimited ? .rateLimited : .refused
  }

  private func sentence(for code: ExitCode) -> String {
    switch code {
    case .expired: "The session expired. Start again."
    case .rateLimited: "There were too many attempts. Wait before you try again."
    default: "The sign-in ended, and you are not signed in."
    }
  }
}

/// A server message on one line.
struct MessageLine {
  let text: String

  init(_ message: IDXMessage) {
    let sanitizer = TextSanitizer(oneLine: true)
    let texts = [message.text, message.key?.rawValue].compactMap { $0.map(sanitizer.clean) }
    text = texts.first { !$0.isEmpty } ?? "The server sent an empty message."
  }
}
