import IDX
import IDXBase
import IDXOAuth

/// Removes the secrets that were sent during a sign-in from messages and errors.
///
/// A server may repeat a password or a code in a message or an error, at once or steps later, and
/// messages are shown and logged.
struct AnswerRedactor {
  // Most sign-ins have no message, so the secrets are found when they are needed.
  private var submissions: [Submission] = []

  mutating func add(_ submission: Submission) { submissions.append(submission) }

  /// The answers to secret fields, to fields of `credentials`, and to others whose name says it.
  ///
  /// Servers do not mark codes as secret.
  private var secrets: Set<Secret> {
    var secrets: Set<Secret> = []
    for submission in submissions {
      for (path, answer) in submission.answers.entries {
        guard let value = answer.json else { continue }
        let isSecret = submission.isSecret(path)
        for text in value.texts(below: Submission.isSecretName, isBelow: isSecret)
        where !Self.isOrdinaryWord(text) {
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
    let secrets = secrets
    let cleaned = received.replacingMessages(
      with: redactor(of: secrets).removed, names: nameRedactor(of: secrets).removed)
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

  /// The error without the secrets in its texts.
  func removed(from error: any Error) -> any Error {
    (error as? FlowError).map { removed(from: $0) } ?? error
  }

  /// The error without the secrets in its texts.
  func removed(from error: FlowError) -> FlowError {
    guard !submissions.isEmpty else { return error }
    let redactor = redactor(of: secrets)
    var cause = error.underlying
    if let refusal = cause as? OAuthError { cause = redactor.removed(from: refusal) }
    if let failure = cause as? FlowError { cause = removed(from: failure) }
    return FlowError(
      error.code, redactor.removed(from: error.message),
      stepName: error.stepName.map(redactor.removed), status: error.status,
      requestID: error.requestID.map(redactor.cleanedID), retryAfter: error.retryAfter,
      underlying: cause)
  }

  /// A PIN has four digits; answers that are shorter would hide parts of ordinary words.
  private func redactor(of secrets: Set<Secret>) -> SecretRedactor {
    SecretRedactor(Array(secrets), minimumLength: 4)
  }

  /// For keys and severities of messages, which decide what is done.
  ///
  /// A word or a short code can be a part of them by chance, and is kept.
  private func nameRedactor(of secrets: Set<Secret>) -> SecretRedactor {
    SecretRedactor(
      secrets.filter { $0.revealed.count >= 6 && !$0.revealed.allSatisfy(\.isLetter) })
  }
}

extension Submission {
  /// The answers that are texts and no secrets, by their paths.
  var plainTexts: [String: String] {
    answers.entries.compactMapValues { $0.json?.string }
      .filter { !isSecret($0.key) }
  }

  /// Whether the answer at a path is a secret.
  fileprivate func isSecret(_ path: String) -> Bool {
    remediation[path]?.isSecret == true
      || path.split(separator: ".").contains { Self.isSecretName(String($0)) }
  }

  /// Whether the answers to a field of this name are secret even if the server does not say so.
  fileprivate static func isSecretName(_ name: String) -> Bool {
    ["credentials", "passcode", "password", "answer", "pin"].contains(name.lowercased())
  }
}

extension JSONValue {
  /// The strings and the numbers, as written, in the value: all, or those below members with such names.
  fileprivate func texts(below isWanted: (String) -> Bool, isBelow: Bool) -> [String] {
    switch self {
    case .string(let text): isBelow ? [text] : []
    case .number(let number): isBelow ? [number.literal] : []
    case .array(let elements): elements.flatMap { $0.texts(below: isWanted, isBelow: isBelow) }
    case .object(let object):
      object.members.flatMap {
        $0.value.texts(below: isWanted, isBelow: isBelow || isWanted($0.name))
      }
    default: []
    }
  }

  /// The value with other texts in its messages; `names` is for their severity and
  /// keys, which decide what is done.
  fileprivate func replacingMessages(
    with replacement: (String) -> String, names: (String) -> String, isMessage: Bool = false
  ) -> JSONValue {
    switch self {
    case .string(let text): isMessage ? .string(replacement(text)) : self
    case .array(let elements):
      .array(
        elements.map {
          $0.replacingMessages(with: replacement, names: names, isMessage: isMessage)
        })
    case .object(let object):
      .object(
        Object(
          object.members.map { member in
            let isName = member.name == "class" || member.name == "key"
            return Object.Member(
              member.name,
              member.value.replacingMessages(
                with: isName ? names : replacement, names: names,
                isMessage: isMessage || member.name == "messages"))
          }))
    default: self
    }
  }
}
