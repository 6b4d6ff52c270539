import IDXBase
import IDX

// Passwords that are replaced, and accounts that are recovered, by the classic API.
extension OrgCore {
  /// Begins a recovery: by a code to a phone, or by a mail with a token.
  mutating func recover(
    _ kind: OrgErrand.Kind, _ body: JSONValue
  ) throws(ClassicRefusal) -> OrgReply {
    var transaction = beginClassic()
    let way = ClassicFactor.Kind.all.first { $0.type.uppercased() == body["factorType"]?.string }
    guard let way, [.phone, .email].contains(way.authenticator) else {
      throw Self.notRecoverable(.recoveryNotAllowed)
    }
    let refusal = take(
      kind, for: body["username"]?.string ?? "", by: way.authenticator, &transaction)
    guard refusal == nil, let key = transaction.account, let account = accounts[key] else {
      let message = refusal?.messages.first ?? .recoveryNotAllowed
      guard message != .unknownUser else {
        throw ClassicRefusal("E0000095", message.text, status: 403)
      }
      throw Self.notRecoverable(message)
    }
    if way.authenticator == .email { return mailRecovery(kind, to: account) }
    var ceremony = Ceremony(authenticator: .phone, purpose: .challenge)
    ceremony.method = way.method
    ceremony.enrollment = account.user.enrollments.firstIndex { $0.authenticator == .phone }
    return try open(ceremony, &transaction)
  }

  /// Goes on with the token of a mail, which is good once.
  mutating func followRecovery(_ body: JSONValue) throws(ClassicRefusal) -> OrgReply {
    let text = body["recoveryToken"]?.string ?? ""
    guard let token = linkToken(text), token.purpose.recoveryType != nil else {
      throw ClassicRefusal.unknownToken
    }
    linkTokens[text] = nil
    var transaction = beginClassic()
    transaction.account = token.account
    transaction.errand = OrgErrand(kind: token.purpose, isProved: true)
    return try advanceRecovery(&transaction)
  }

  /// Takes the code that was sent, or the answer to the question.
  mutating func proveRecovery(
    _ body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let ceremony = transaction.ceremony else { throw ClassicRefusal.notOffered }
    return try prove(ceremony, by: body, &transaction)
  }

  /// Goes on with what was proved: an account is unlocked at once, a password has to be chosen.
  mutating func advanceRecovery(
    _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard transaction.errand?.kind == .unlock, let key = transaction.account else {
      return try advanceClassic(&transaction)
    }
    unlockAccount(key)
    return endRecovery(transaction)
  }

  /// Puts a new password in the place of the old one.
  mutating func replacePassword(
    _ body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let ceremony = transaction.ceremony, let key = transaction.account,
      let account = accounts[key]
    else { throw ClassicRefusal.notOffered }
    if let old = body["oldPassword"]?.string, old != account.user.password.revealed {
      throw ClassicRefusal.refusedPassword("The old password is not right.")
    }
    let credentials: JSONValue = ["passcode": body["newPassword"] ?? .null]
    let rejection = PasswordAuthenticator()
      .judge(credentials, of: ceremony, by: account, in: self)
    if let rejection { throw ClassicRefusal.refusedPassword(rejection.message.text) }
    accept(ceremony, with: credentials, by: key, in: &transaction)
    let signsIn = settings.policy.accounts.recovery?.signsIn ?? true
    if transaction.errand != nil, !signsIn { return endRecovery(transaction) }
    transaction.errand = nil
    return try advanceClassic(&transaction)
  }

  /// Ends a recovery that does not sign in.
  private mutating func endRecovery(_ transaction: OrgTransaction) -> OrgReply {
    transactions[transaction.stateHandle] = nil
    let document: JSONValue = ["status": "SUCCESS"]
    return .oauth(
      document.adding("recoveryType", recoveryType(of: transaction))
        .adding("_embedded", embedded(transaction)).adding("_links", [:]))
  }

  private mutating func mailRecovery(_ kind: OrgErrand.Kind, to account: OrgAccount) -> OrgReply {
    let expiresAt = now.addingTimeInterval(OrgLinkToken.lifetime)
    let token = issueToken(for: account.user.login, purpose: kind, until: expiresAt)
    let text = token?.revealed ?? ""
    let what = kind == .unlock ? "Unlock your account" : "Choose a new password"
    let page = kind == .unlock ? "unlock" : "reset-password"
    deliver(
      Mailbox.Message(
        method: "email", recipient: account.user.email, code: text,
        text: "\(what): open \(settings.origin)/signin/\(page)/\(text)."))
    let document: JSONValue = [
      "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
    ]
    return .oauth(document.adding("recoveryType", kind.recoveryType.map(JSONValue.string)))
  }

  private static func notRecoverable(_ message: OrgMessage) -> ClassicRefusal {
    ClassicRefusal("E0000034", message.text, status: 403)
  }
}
