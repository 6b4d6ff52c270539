import IDX
import IDXBase
import IDXOAuth

/// What the client does when a form was answered.
indirect enum ClassicAction {
  /// Show another step, without a request.
  case show(ClassicClientState)
  /// Send a body to an address.
  case send(Address, JSONValue)
  /// Fetch the security questions that can be chosen, then show the step.
  case fetchQuestions(at: String, ClassicClientState)
  /// Cancel the sign-in.
  case cancel
  /// The form is not offered.
  case notOffered

  enum Address {
    /// A link of the server.
    case link(String)
    /// A path below ``ClassicSender/path``.
    case path(String)
  }
}

/// Reads the answers to a form.
struct ClassicAnswerReader {
  let name: Remediation.Name
  let body: JSONValue
  let href: String?
  let clientState: ClassicClientState
  let transaction: ClassicTransaction?

  private var credentials: JSONValue? { body["credentials"] }
  private var chosenID: String? { body["authenticator"]?["id"]?.string }

  var action: ClassicAction {
    switch name {
    case .identify:
      return .show(ClassicClientState(.password, username: body["identifier"]?.string))
    case .selectIdentify: return .show(clientState.at(.username))
    case .recover: return .show(clientState.at(.recovery))
    case .unlockAccount: return .show(clientState.at(.unlock))
    case .cancel: return .cancel
    case .selectAuthenticatorUnlockAccount:
      return recover("unlock", username: body["identifier"]?.string)
    case .selectAuthenticatorAuthenticate where clientState.step == .recovery:
      return recover("password", username: clientState.username)
    case .selectAuthenticatorAuthenticate: return chooseFactor()
    case .challengeAuthenticator where clientState.step == .password: return signIn()
    case .challengeAuthenticator
    where transaction?.status == .recoveryChallenge && transaction?.next == nil:
      return .send(
        .path("/recovery/token"),
        ["recoveryToken": .string(Self.token(in: credentials?["passcode"]?.string ?? ""))])
    case .selectAuthenticatorEnroll: return chooseEnrollment()
    case .authenticatorEnrollmentData: return enroll()
    case .enrollAuthenticator where clientState.factor != nil: return enroll()
    default: return answer()
    }
  }

  // MARK: Username, password and recovery

  private func signIn() -> ClassicAction {
    let sent: JSONValue = [
      "username": .string(clientState.username ?? ""),
      "password": credentials?["passcode"] ?? .null,
      "options": ["multiOptionalFactorEnroll": true, "warnBeforePasswordExpired": true],
    ]
    guard transaction?.status == .unauthenticated, let next = transaction?.next else {
      return .send(.path(""), sent)
    }
    return .send(.link(next.href), addingStateToken(to: sent))
  }

  private func recover(_ what: String, username: String?) -> ClassicAction {
    .send(
      .path("/recovery/\(what)"),
      ["username": .string(username ?? ""), "factorType": .string(chosenID ?? "")])
  }

  /// The recovery token in the link of an email: a query parameter, or the last part of the path.
  private static func token(in text: String) -> String {
    var link = text.drop { $0.isWhitespace || $0 == "<" }.prefix { !$0.isWhitespace && $0 != ">" }
    // A link at the end of a sentence may be pasted with the punctuation.
    while let last = link.last, ".,".contains(last) { link.removeLast() }
    let parts = link.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1)
    let named = (parts.count > 1 ? FormURLEncoding.decode(String(parts[1])) : nil)?
      .first { ["recoveryToken", "token"].contains($0.name) }
    return named?.value ?? parts.first?.split(separator: "/").last.map(String.init) ?? text
  }

  // MARK: Factors

  private func chooseFactor() -> ClassicAction {
    guard let factor = transaction?.factors.first(where: { $0.id == chosenID }) else {
      return .notOffered
    }
    guard factor.needsStart else { return .show(clientState.choosing(factor)) }
    let isStarted = transaction?.status == .mfaChallenge
    guard let link = (isStarted ? transaction?.next : nil) ?? transaction?.verify(factor) else {
      return .notOffered
    }
    return .send(.link(link.href), addingStateToken(to: [:]))
  }

  private func chooseEnrollment() -> ClassicAction {
    guard let factor = transaction?.factors.first(where: { $0.id == chosenID }),
      let link = factor.enroll
    else { return .notOffered }
    guard factor.needsData else { return .send(.link(link.href), enrollment(of: factor, [:])) }
    guard let list = factor.questions else { return .show(clientState.choosing(factor)) }
    return .fetchQuestions(at: list.href, clientState.choosing(factor))
  }

  private func enroll() -> ClassicAction {
    guard let factor = transaction?.factors.first(where: { $0.id == clientState.factor }),
      let link = factor.enroll
    else { return .notOffered }
    var data: JSONValue = [:]
    switch factor.type {
    case "question":
      data = [
        "profile": [
          "question": credentials?["questionKey"] ?? .null,
          "answer": credentials?["answer"] ?? .null,
        ]
      ]
    case "sms", "call":
      data = ["profile": ["phoneNumber": body["authenticator"]?["phoneNumber"] ?? .null]]
    default:
      data =
        data
        .adding("profile", credentials?["credentialId"].map { ["credentialId": $0] })
        .adding("passCode", credentials?["passcode"])
        .adding("nextPassCode", credentials?["nextPasscode"])
    }
    return .send(.link(link.href), enrollment(of: factor, data))
  }

  private func enrollment(of factor: ClassicFactor, _ data: JSONValue) -> JSONValue {
    addingStateToken(
      to: data.adding("factorType", .string(factor.type))
        .adding("provider", .string(factor.provider)))
  }

  // MARK: Other forms

  private func answer() -> ClassicAction {
    guard let href, transaction != nil else { return .notOffered }
    let names = [
      ("passcode", isNewPassword ? "newPassword" : "passCode"), ("oldPassword", "oldPassword"),
      ("answer", "answer"), ("authenticatorData", "authenticatorData"),
      ("clientData", "clientData"), ("signatureData", "signatureData"),
      ("attestation", "attestation"), ("response", "response"),
    ]
    var sent: JSONValue = [:]
    for (field, member) in names { sent = sent.adding(member, credentials?[field]) }
    sent = sent.adding("profile", body["phoneNumber"].map { ["phoneNumber": $0] })
      .adding("userCode", body["userCode"]).adding("consent", consent, if: name == .consent)
    let separator = href.contains("?") ? "&" : "?"
    let query = body["rememberDevice"] == true ? "\(separator)rememberDevice=true" : ""
    return .send(.link(href + query), addingStateToken(to: sent))
  }

  private var isNewPassword: Bool {
    [.reenrollAuthenticator, .reenrollAuthenticatorWarning, .resetAuthenticator].contains(name)
  }

  private var consent: JSONValue {
    let scopes = (transaction?.embedded?["scopes"]?.array ?? []).compactMap { $0["name"] }
    let consent: JSONValue = ["scopes": .array(scopes)]
    return consent.adding("expiresAt", transaction?.json["expiresAt"])
  }

  private func addingStateToken(to body: JSONValue) -> JSONValue {
    transaction?.addingStateToken(to: body) ?? body
  }
}
