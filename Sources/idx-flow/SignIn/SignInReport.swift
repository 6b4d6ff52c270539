import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// Writes how a sign-in ended: results to standard output, the rest to standard error.
struct SignInReport {
  let streams: Streams
  let asJSON: Bool
  let isDemo: Bool

  init(_ call: CommandCall) {
    streams = call.streams
    asJSON = call.asJSON || streams.program != nil || call.has(SignInOptions.noStore)
    isDemo = call.has(SignInOptions.demo)
  }

  /// Writes the outcome and returns the exit status.
  ///
  /// After another goal than to sign in, an end without tokens can be a success. Without a `store` where the tokens
  /// are saved, they are printed.
  func write(
    _ outcome: Outcome, hadGoal: Bool, savedIn store: (any CredentialStore)?,
    _ history: SignInHistory
  ) async throws -> ExitCode {
    switch outcome {
    case .signedIn(let signIn):
      try await write(signIn.credential, savedIn: store)
      return .done
    case .ended(let state) where hadGoal && state.endsSuccessfully:
      try result("Done. You are not signed in.") {
        let summary = ResponseSummary(reporting: state)
        return (["status": "done"] as JSONValue).adding("messages", summary.json["messages"])
      }
      return .done
    case .ended(let state): return write(history.explaining(failure(at: state)), at: state)
    case .cancelled: return write(CommandFailure(CancellationError()), at: nil)
    }
  }

  /// Writes a failure; `state` is the last state of the sign-in.
  func write(_ failure: CommandFailure, at state: FlowState?) -> ExitCode {
    streams.report(failure, asJSON: asJSON, at: state)
  }

  /// Writes that the person did not sign in again and is still signed in.
  func write(stillSignedIn credential: Credential, in store: (any CredentialStore)?) async throws {
    let text = CredentialText(credential)
    let name = await text.name(in: store)
    try result("Still signed in as \(name).") { signedIn(text) }
  }

  /// Writes a one-time session token.
  func write(sessionToken token: Secret) throws {
    try result(Sentence(text: token.revealed)) {
      ["status": "signed_in", "session_token": .string(token.revealed)]
    }
  }

  private func write(_ credential: Credential, savedIn store: (any CredentialStore)?) async throws {
    let text = CredentialText(credential)
    let name = await text.name(in: store)
    if credential.id.subject == nil {
      streams.note("The server sent no ID token, so the user is not confirmed.")
    }
    let isNamed = credential.username ?? credential.id.subject != nil
    let sentence: Sentence = isNamed ? "Signed in as \(name)." : "Signed in."
    try result(sentence, until: text) {
      if let store { return store.adding(to: signedIn(text)) }
      let tokens = credential.tokens
      return TokenKind.allCases.reduce(
        signedIn(text).adding("token_type", .string(tokens.tokenType))
      ) { $0.adding($1.rawValue, JSONValue(tokens[$1]?.revealed)) }
      .adding("dpop_key", tokens.key?.json)
    }
    if let store, !asJSON {
      streams.note("Saved in \(store.place).", isFaint: true)
      streams.note("See: idx-flow status\(isDemo ? " --demo" : "")", isFaint: true)
    }
  }

  /// Writes the sentence or the object; at a terminal with colors, a sentence about tokens stands out, and says how long
  /// they are valid.
  private func result(
    _ sentence: Sentence, until credential: CredentialText? = nil, _ json: () -> JSONValue
  ) throws {
    let style = streams.resultStyle
    let text = streams.words.text(of: sentence)
    try streams.result(
      asJSON: asJSON,
      {
        guard let credential, style.usesColor else { return text }
        let lifetime = credential.lifetime.map { "  " + streams.words.text(of: $0) } ?? ""
        return "\n" + style.green(style.check) + " " + style.bold(text) + style.dim(lifetime)
      }, json)
  }

  private func signedIn(_ text: CredentialText) -> JSONValue {
    let status = JSONValue.Object.Member("status", "signed_in")
    return .object(JSONValue.Object([status] + (text.json.object?.members ?? [])))
  }

  private func failure(at state: FlowState) -> CommandFailure {
    let response = state.response
    if response.isExpired { return CommandFailure(.expired, "The sign-in expired. Start again.") }
    if state.status == 429 || response.isRateLimited {
      return CommandFailure(
        .rateLimited, "There were too many attempts. Wait before you try again.")
    }
    // What was done instead can be what the person wanted, such as to unlock the account.
    return state.endsSuccessfully
      ? CommandFailure(
        .refused, "You are not signed in yet.",
        remedy: "Read the message above, then sign in again.")
      : CommandFailure(.refused, "The sign-in ended, and you are not signed in.")
  }
}
