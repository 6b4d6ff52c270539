import IDXBase
import IDX
import IDXOAuth

/// What the answer to a form leads to.
enum ClassicMove {
  /// Another page, which takes no request.
  case show(ClassicContext)
  /// A request; the address is a server's link, or one below where sign-ins begin.
  case send(Address, JSONValue)
  /// A question is to be set up, and there is a list of those that may be.
  case fetchQuestions(at: String, ClassicContext)
  /// The sign-in is given up.
  case cancel
  /// The form is none that is offered here.
  case unknown

  enum Address {
    case link(String)
    case path(String)
  }

  /// What the answers `body` to the form `name` lead to.
  init(
    _ name: Remediation.Name, _ body: JSONValue, href: String?, _ context: ClassicContext,
    _ transaction: ClassicTransaction?
  ) {
    let reader = ClassicAnswers(
      name: name, body: body, href: href, context: context, transaction: transaction)
    self = reader.move
  }
}

/// Reads the answers to a form and says what they lead to.
private struct ClassicAnswers {
  let name: Remediation.Name
  let body: JSONValue
  let href: String?
  let context: ClassicContext
  let transaction: ClassicTransaction?

  private var credentials: JSONValue? { body["credentials"] }
  private var picked: String? { body["authenticator"]?["id"]?.string }

  var move: ClassicMove {
    switch name {
    case .identify:
      return .show(ClassicContext(.password, username: body["identifier"]?.string))
    case .selectIdentify: return .show(context.at(.username))
    case .recover: return .show(context.at(.recovery))
    case .unlockAccount: return .show(context.at(.unlock))
    case .cancel: return .cancel
    case .selectAuthenticatorUnlockAccount:
      return recover("unlock", username: body["identifier"]?.string)
    case .selectAuthenticatorAuthenticate where context.place == .recovery:
      return recover("password", username: context.username)
    case .selectAuthenticatorAuthenticate: return pick()
    case .challengeAuthenticator where context.place == .password: return signIn()
    case .challengeAuthenticator
    where transaction?.status == .recoveryChallenge && transaction?.next == nil:
      return .send(
        .path("/recovery/token"),
        ["recoveryToken": .string(Self.token(in: credentials?["passcode"]?.string ?? ""))])
    case .selectAuthenticatorEnroll: return pickEnrollment()
    case .authenticatorEnrollmentData: return enroll()
    case .enrollAuthenticator where context.factor != nil: return enroll()
    default: return answer()
    }
  }

  // MARK: Before the server knows

  private func signIn() -> ClassicMove {
    let sent: JSONValue = [
      "username": .string(context.username ?? ""), "password": credentials?["passcode"] ?? .null,
      "options": ["multiOptionalFactorEnroll": true, "warnBeforePasswordExpired": true],
    ]
    guard transaction?.status == .unauthenticated, let next = transaction?.next else {
      return .send(.path(""), sent)
    }
    return .send(.link(next.href), withState(sent))
  }

  private func recover(_ what: String, username: String?) -> ClassicMove {
    .send(
      .path("/recovery/\(what)"),
      ["username": .string(username ?? ""), "factorType": .string(picked ?? "")])
  }

  /// The token that recovers, from the link in a mail: what it names so, else what stands last in its
  /// path.
  private static func token(in text: String) -> String {
    var link = text.drop { $0.isWhitespace || $0 == "<" }.prefix { !$0.isWhitespace && $0 != ">" }
    // The end of the sentence that a link stands in.
    while let last = link.last, ".,".contains(last) { link.removeLast() }
    let parts = link.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1)
    let named = (parts.count > 1 ? FormURLEncoding.decode(String(parts[1])) : nil)?
      .first { ["recoveryToken", "token"].contains($0.name) }
    return named?.value ?? parts.first?.split(separator: "/").last.map(String.init) ?? text
  }

  // MARK: Factors

  private func pick() -> ClassicMove {
    guard let factor = transaction?.factors.first(where: { $0.pick == picked }) else {
      return .unknown
    }
    guard factor.needsStart else { return .show(context.picking(factor)) }
    let isOpen = transaction?.status == .mfaChallenge
    guard let link = (isOpen ? transaction?.next : nil) ?? transaction?.verify(factor) else {
      return .unknown
    }
    return .send(.link(link.href), withState([:]))
  }

  private func pickEnrollment() -> ClassicMove {
    guard let factor = transaction?.factors.first(where: { $0.pick == picked }),
      let link = factor.enroll
    else { return .unknown }
    guard factor.needsData else { return .send(.link(link.href), set(up: factor, [:])) }
    guard let list = factor.questions else { return .show(context.picking(factor)) }
    return .fetchQuestions(at: list.href, context.picking(factor))
  }

  private func enroll() -> ClassicMove {
    guard let factor = transaction?.factors.first(where: { $0.pick == context.factor }),
      let link = factor.enroll
    else { return .unknown }
    var sent: JSONValue = [:]
    switch factor.type {
    case "question":
      let profile: JSONValue = [
        "question": credentials?["questionKey"] ?? .null,
        "answer": credentials?["answer"] ?? .null,
      ]
      sent = ["profile": profile]
    case "sms", "call":
      sent = ["profile": ["phoneNumber": body["authenticator"]?["phoneNumber"] ?? .null]]
    default:
      if let id = credentials?["credentialId"] { sent = ["profile": ["credentialId": id]] }
      for (ours, theirs) in [("passcode", "passCode"), ("nextPasscode", "nextPassCode")] {
        if let code = credentials?[ours] { sent = sent.adding(theirs, code) }
      }
    }
    return .send(.link(link.href), set(up: factor, sent))
  }

  private func set(up factor: ClassicFactor, _ more: JSONValue) -> JSONValue {
    withState(
      more.adding("factorType", .string(factor.type))
        .adding("provider", .string(factor.provider)))
  }

  // MARK: What the server has asked

  private func answer() -> ClassicMove {
    guard let href, transaction != nil else { return .unknown }
    let names = [
      ("passcode", isNewPassword ? "newPassword" : "passCode"), ("oldPassword", "oldPassword"),
      ("answer", "answer"), ("authenticatorData", "authenticatorData"),
      ("clientData", "clientData"), ("signatureData", "signatureData"),
      ("attestation", "attestation"), ("response", "response"),
    ]
    var sent: JSONValue = [:]
    for (ours, theirs) in names {
      if let value = credentials?[ours] { sent = sent.adding(theirs, value) }
    }
    if let number = body["phoneNumber"] {
      sent = sent.adding("profile", ["phoneNumber": number])
    }
    if let code = body["userCode"] { sent = sent.adding("userCode", code) }
    if name == .consent { sent = sent.adding("consent", consent) }
    return .send(.link(href), withState(sent))
  }

  private var isNewPassword: Bool {
    [.reenrollAuthenticator, .reenrollAuthenticatorWarning, .resetAuthenticator].contains(name)
  }

  private var consent: JSONValue {
    let scopes = (transaction?.embedded?["scopes"]?.array ?? []).compactMap { $0["name"] }
    let consent: JSONValue = ["scopes": .array(scopes)]
    return transaction?.json["expiresAt"].map { consent.adding("expiresAt", $0) } ?? consent
  }

  private func withState(_ sent: JSONValue) -> JSONValue {
    transaction?.naming(sent) ?? sent
  }
}

extension ClassicContext {
  fileprivate func picking(_ factor: ClassicFactor) -> ClassicContext {
    var context = self
    context.factor = factor.pick
    return context
  }
}
