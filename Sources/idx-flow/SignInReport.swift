import IDX
import IDXFlow
import IDXPrompt
import OAuth

/// Says how a sign-in ended: results on the output, the rest on the error stream.
struct SignInReport {
  let streams: Streams
  let asJSON: Bool
  let showsTokens: Bool

  /// Says how it ended.
  ///
  /// With a goal beside signing in, an end without errors is what the person was after.
  func end(_ outcome: Outcome, hadGoal: Bool = false) throws -> ExitCode {
    switch outcome {
    case .signedIn(let signIn):
      try report(signIn)
      return .done
    case .ended(let state) where hadGoal && state.reachesGoal:
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

  private func report(_ signIn: SignIn) throws {
    let name = signIn.user?.identifier
    guard asJSON else {
      let who = name.map { " as \(TextSanitizer(oneLine: true).clean($0))" } ?? ""
      try streams.result("Signed in\(who).")
      return
    }
    let tokens = signIn.tokens
    var object: JSON.Object = JSON.Object([
      JSON.Object.Member("status", "signed in"),
      JSON.Object.Member("user", name.map(JSON.string) ?? .null),
      JSON.Object.Member("scopes", .array(tokens.scopes.map(JSON.string))),
      JSON.Object.Member(
        "expires_in", tokens.expiresIn.map { .number(JSON.Number($0)) } ?? .null),
    ])
    if showsTokens {
      func text(_ secret: Secret?) -> JSON { secret.map { .string($0.revealed) } ?? .null }
      object["token_type"] = .string(tokens.tokenType)
      object["access_token"] = text(tokens.accessToken)
      object["refresh_token"] = text(tokens.refreshToken)
      object["id_token"] = text(tokens.idToken)
    }
    try streams.result(JSON.object(object).text)
  }

  private func reportGoal(at state: FlowState) throws {
    guard asJSON else { return try streams.result("Done. You are not signed in.") }
    var object = JSON.Object([JSON.Object.Member("status", "done")])
    let summary = ResponseSummary(response: state.response, showsFixedValues: false)
    object["messages"] = summary.json["messages"]
    try streams.result(JSON.object(object).text)
  }

  private func fail(_ failure: CommandFailure, _ state: FlowState?, asks: Bool) {
    streams.note("idx-flow: \(failure.message)")
    guard asJSON else { return }
    var object = JSON.Object([
      JSON.Object.Member("status", "failed"),
      JSON.Object.Member("exit_status", .number(JSON.Number(Int(failure.exitCode.rawValue)))),
      JSON.Object.Member("message", .string(failure.message)),
    ])
    if let error = failure.cause {
      object["code"] = .string(error.code.description)
      object["step"] = error.remediation.map { .string($0.rawValue) }
      object["http_status"] = error.status.map { .number(JSON.Number($0)) }
      object["request_id"] = error.requestID.map(JSON.string)
      object["retry_after"] = error.retryAfter.map {
        .number(JSON.Number(Int($0.components.seconds)))
      }
    }
    if let response = state?.response {
      let summary = ResponseSummary(response: response, showsFixedValues: false)
      object["messages"] = summary.json["messages"]
      if asks { object["asks"] = summary.json["remediations"] }
    }
    // The exit status tells it all the same where this cannot be written.
    try? streams.result(JSON.object(object).text)
  }

  private func exitCode(for state: FlowState) -> ExitCode {
    let response = state.response
    if response.saysExpired { return .expired }
    return state.status == 429 || response.saysTooManyRequests ? .rateLimited : .refused
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

  init(_ message: Message) {
    let sanitizer = TextSanitizer(oneLine: true)
    let words = [message.text, message.key?.rawValue].compactMap { $0.map(sanitizer.clean) }
    text = words.first { !$0.isEmpty } ?? "The server sent an empty message."
  }
}

extension FlowState {
  /// Whether an end is what the person was after, and the server says so: an end without a word
  /// tells nothing.
  fileprivate var reachesGoal: Bool { !isRefusal && !response.everyMessage.isEmpty }
}
