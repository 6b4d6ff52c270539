import IDX
import IDXBase
import IDXOAuth

/// Removes the secrets that were sent during a run of a coordinator from messages and errors.
///
/// A server may repeat a password or a code in a message or an error, at once or steps later, and
/// messages are shown and logged.
struct AnswerRedactor {
  // Most sign-ins have no message, so the secrets are found when they are needed.
  private var submissions: [Submission] = []

  mutating func add(_ submission: Submission) { submissions.append(submission) }

  /// The answers to secret fields and to visible fields of `credentials`.
  ///
  /// Servers do not mark codes as secret. The hidden fields take the signatures of passkeys.
  private var secrets: Set<Secret> {
    var secrets: Set<Secret> = []
    for submission in submissions {
      for case (let path, .value(.string(let text))) in submission.answers.entries {
        let field = submission.remediation[path]
        let isTyped = path.hasPrefix("credentials.") && field?.isVisible != false
        if field?.isSecret == true || isTyped, !Self.isOrdinaryWord(text) {
          secrets.insert(Secret(text))
        }
      }
    }
    return secrets
  }

  /// Whether an answer may be a word of ordinary messages, such as “wrong”.
  private static func isOrdinaryWord(_ text: String) -> Bool {
    text.count <= 12 && text.allSatisfy(\.isLetter)
  }

  /// The state without the secrets in the messages of its response, which is otherwise as received.
  func removed(from state: FlowState) throws -> FlowState {
    guard !submissions.isEmpty, !state.response.allMessages.isEmpty else { return state }
    let received = state.response.raw.json
    let redactor = redactor
    let cleaned = received.replacingMessages(with: redactor.removed)
    guard cleaned != received else { return state }
    do {
      return state.advanced(
        to: try IDXResponse(parsing: cleaned.bytes), status: state.status,
        requestID: state.requestID, success: state.success, clientState: state.clientState)
    } catch {
      throw FlowError(
        .unexpectedResponse, "The server's messages cannot be shown. \(error)",
        status: state.status, requestID: state.requestID, underlying: error)
    }
  }

  /// The error without the secrets in its message.
  func removed(from error: any Error) -> any Error {
    (error as? FlowError).map { removed(from: $0) } ?? error
  }

  /// The error without the secrets in its message.
  func removed(from error: FlowError) -> FlowError {
    let message = redactor.removed(from: error.message)
    guard message != error.message else { return error }
    let cause = error.underlying
    return FlowError(
      error.code, message, step: error.step, status: error.status, requestID: error.requestID,
      retryAfter: error.retryAfter,
      underlying: (cause as? OAuthError).map { redactor.removed(from: $0) } ?? cause)
  }

  /// A PIN has four digits; answers that are shorter would hide parts of ordinary words.
  private var redactor: SecretRedactor { SecretRedactor(Array(secrets), minimumLength: 4) }
}

extension JSONValue {
  /// The value with other texts in its messages (protocol section 2.7), except their severity and keys,
  /// which decide what is done.
  fileprivate func replacingMessages(
    with replacement: (String) -> String, isMessage: Bool = false
  ) -> JSONValue {
    switch self {
    case .string(let text): isMessage ? .string(replacement(text)) : self
    case .array(let elements):
      .array(elements.map { $0.replacingMessages(with: replacement, isMessage: isMessage) })
    case .object(let object):
      .object(
        Object(
          object.members.map { member in
            guard member.name != "class", member.name != "key" else { return member }
            return Object.Member(
              member.name,
              member.value.replacingMessages(
                with: replacement, isMessage: isMessage || member.name == "messages"))
          }))
    default: self
    }
  }
}
