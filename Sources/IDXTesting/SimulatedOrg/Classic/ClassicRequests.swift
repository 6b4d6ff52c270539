import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a sign-in by the classic API has beside what every sign-in has (protocol section 8).
struct ClassicState: Sendable {
  /// Whether the client wants to know that a password expires soon.
  var warnsBeforeExpiry = false
  /// Whether more set-ups are offered after an optional one.
  var offersMore = false
  /// What came of the last push; nil while it waits.
  var pushResult: String?
  /// The last part of the address of the QR code.
  var imageToken: String?

  init(_ options: JSONValue?) {
    warnsBeforeExpiry = options?["warnBeforePasswordExpired"] == true
    offersMore = options?["multiOptionalFactorEnroll"] == true
  }
}

/// Someone who is signed in by the classic API, until the authorization endpoint is told.
struct ClassicSession: Sendable {
  let account: OrgAccount.Key
  let signIn: CompletedSignIn
  let expiresAt: Date

  /// For how many seconds a session token is valid.
  static let lifetime: TimeInterval = 5 * 60
}

// The codes are those of real servers, the wording is our own.
extension Refusal {
  static let unknownToken = api("E0000011", "The token is unknown or expired.", status: 401)
  fileprivate static let authenticationFailed = api(
    "E0000004", "These credentials do not sign anyone in.", status: 401)
  fileprivate static let notOffered = api(
    "E0000079", "The state of this sign-in offers no such request.", status: 403)
  fileprivate static let locked = api(
    "E0000069", "The answer was wrong too often. The account is locked.", status: 403)

  fileprivate static func invalid(_ problems: [FormCheck.Problem]) -> Refusal {
    invalid(problems.first?.path ?? "body", problems.map { $0.message.text })
  }

  fileprivate static func invalid(_ name: String, _ causes: [String]) -> Refusal {
    api("E0000001", "Api validation failed: \(name)", status: 400, causes: causes)
  }

  fileprivate static func refusedPassword(_ cause: String) -> Refusal {
    api("E0000014", "The password is not changed.", status: 403, causes: [cause])
  }

  fileprivate static func notAllowed(_ message: IDXMessage.Draft) -> Refusal {
    api("E0000034", message.text, status: 403)
  }

  /// Something that the policy requires and this API cannot do.
  fileprivate static func impossible(_ summary: String) -> Refusal {
    api("E0000006", summary, status: 403)
  }
}

// Requests to `/api/v1/authn`.
extension OrgCore {
  mutating func classic(_ request: TransportRequest) throws(Refusal) -> OrgReply {
    let address = request.url.absoluteString
    let path = String(address.dropFirst(settings.classic("").count))
    guard let action = ClassicAction(path: path) else { throw .notFound }
    let types = ["application/json"]
    try request.check(method: "POST", sending: types, accepting: types)
    guard let body = try? JSONValue(parsing: request.body), body.object != nil else {
      throw .api("E0000003", "The body is not a JSON object.", status: 400)
    }
    return action.isBeginning ? try begin(action, body) : try proceed(action, at: address, body)
  }

  /// The QR code of a set-up; only the client knows its address.
  func classicImage(_ request: TransportRequest) throws(Refusal) -> OrgReply {
    try request.check(method: "GET")
    let token = String(request.url.absoluteString.dropFirst(settings.classicImages.count))
    let transaction = transactions.values.first {
      $0.classic?.imageToken == token && now < $0.expiresAt
    }
    guard let text = transaction?.challenge?.qrCode?.split(separator: ",").last,
      let data = Data(base64Encoded: String(text))
    else { throw .notFound }
    return .image(Array(data))
  }

  func classicQuestions(_ request: TransportRequest) throws(Refusal) -> OrgReply {
    try request.check(method: "GET")
    return .json(
      .array(
        SecurityQuestion.all.map {
          ["question": .string($0.key), "questionText": .string($0.text)]
        }))
  }

  /// The state token of a new sign-in.
  mutating func newStateToken() -> Secret {
    let transaction = newClassicTransaction()
    transactions[transaction.stateHandle] = transaction
    return Secret(transaction.stateHandle)
  }

  // MARK: - Beginning

  private mutating func begin(
    _ action: ClassicAction, _ body: JSONValue
  ) throws(Refusal) -> OrgReply {
    try check(body, against: action.bodies ?? [])
    switch action {
    case .recoverPassword: return try recover(.recovery, body)
    case .unlock: return try recover(.unlock, body)
    case .recoveryToken: return try useRecoveryToken(body)
    default:
      return body["username"] == nil
        ? recordClassic(try classicTransaction(body)) : try authenticate(body)
    }
  }

  /// Begins a sign-in that knows nobody yet.
  private mutating func newClassicTransaction(_ options: JSONValue? = nil) -> OrgTransaction {
    let expiresAt = now.addingTimeInterval(settings.lifetime(of: .identify))
    var transaction = OrgTransaction(
      interaction: "", stateHandle: random.handle("00"), expiresAt: expiresAt, at: now)
    transaction.classic = ClassicState(options)
    return transaction
  }

  private mutating func authenticate(_ body: JSONValue) throws(Refusal) -> OrgReply {
    guard (body["context"]?["deviceToken"]?.string ?? "").count <= 32 else {
      throw .invalid("deviceToken", ["A device token has 32 characters at most."])
    }
    var begun: OrgTransaction?
    if body["stateToken"] != nil {
      begun = try classicTransaction(body)
      guard case .identify? = begun?.step else { throw .notOffered }
    }
    let key = OrgAccount.Key(body["username"]?.string ?? "")
    let challenge = AuthenticatorChallenge.password(.challenge)
    var isRight = true
    do throws(Rejection) {
      try verify(["passcode": body["password"] ?? .null], of: challenge, by: key)
    } catch {
      isRight = false
      _ = recordFailure(of: key)
    }
    let account = account(key)
    if account.exists, account.user.status == .locked, settings.policy.accounts.showsLockouts {
      return .json([
        "status": "LOCKED_OUT", "_embedded": [:],
        "_links": ["next": link(.unlock, name: "unlock")],
      ])
    }
    guard isRight, account.user.status != .suspended else { throw .authenticationFailed }
    var transaction = begun ?? newClassicTransaction(body["options"])
    if begun != nil, body["options"] != nil { transaction.classic = ClassicState(body["options"]) }
    transaction.account = key
    transaction.proved.add(challenge)
    return try advanceClassic(&transaction)
  }

  /// Begins a recovery by a code to a phone, or by a mail with a token.
  private mutating func recover(
    _ kind: AccountOperation.Kind, _ body: JSONValue
  ) throws(Refusal) -> OrgReply {
    var transaction = newClassicTransaction()
    let channels = [IDXAuthenticator.Key.phone, .email].flatMap(ClassicFactor.all)
    let channel = channels.first { $0.name.type.uppercased() == body["factorType"]?.string }
    guard let channel else { throw .notAllowed(.recoveryNotAllowed) }
    let refusal = begin(
      kind, for: body["username"]?.string ?? "", by: channel.authenticator.key, &transaction)
    guard refusal == nil, let key = transaction.account else {
      let message = refusal?.messages.first ?? .recoveryNotAllowed
      throw message == .unknownUser
        ? .api("E0000095", message.text, status: 403) : .notAllowed(message)
    }
    let user = account(key).user
    if channel.authenticator.key == .email { return mailRecovery(kind, to: user) }
    var challenge = channel.challenge(for: .challenge)
    challenge.enrollment = user.enrollments.firstIndex { $0.authenticator == .phone }
    return try open(challenge, &transaction)
  }

  private mutating func mailRecovery(
    _ kind: AccountOperation.Kind, to user: SimulatedUser
  ) -> OrgReply {
    let token = issueLinkToken(
      for: user.login, purpose: kind, until: now.addingTimeInterval(LinkToken.lifetime))
    let text = token?.revealed ?? ""
    let what = kind == .unlock ? "Unlock your account" : "Choose a new password"
    let page = kind == .unlock ? "unlock" : "reset-password"
    deliver(
      Mailbox.Message(
        method: "email", recipient: user.email, code: text,
        text: "\(what): open \(settings.origin)/signin/\(page)/\(text)."))
    let document: JSONValue = [
      "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
    ]
    return .json(document.adding("recoveryType", kind.recoveryType))
  }

  /// Continues with the token of a mail, which is valid once.
  private mutating func useRecoveryToken(_ body: JSONValue) throws(Refusal) -> OrgReply {
    let text = body["recoveryToken"]?.string ?? ""
    guard let token = linkToken(text), token.purpose.recoveryType != nil else {
      throw .unknownToken
    }
    linkTokens[text] = nil
    var transaction = newClassicTransaction()
    transaction.account = token.account
    transaction.operation = AccountOperation(kind: token.purpose, isProvedByLink: true)
    return try continueClassic(&transaction)
  }

  // MARK: - Continuing

  private mutating func proceed(
    _ action: ClassicAction, at address: String, _ body: JSONValue
  ) throws(Refusal) -> OrgReply {
    var transaction = try classicTransaction(body, isCancel: action == .cancel)
    guard Self.offers(address, in: classicDocument(transaction)) else { throw .notOffered }
    if let bodies = action.bodies { try check(body, against: bodies) }
    switch action {
    case .verify:
      let account = account(transaction.account ?? OrgAccount.Key(""))
      let begun = transaction.challenge.flatMap { ClassicFactor(of: $0, account: account) }
      let chosen = requiredFactors(transaction).first {
        settings.classic(action.path($0.id(of: account))) == address
      }
      guard let factor = begun ?? chosen else { throw .notOffered }
      try check(body, against: [factor.verification(isBegun: begun != nil)])
      return try verify(factor, body, &transaction)
    case .enroll: return try enroll(body, &transaction)
    case .activate:
      guard let challenge = transaction.challenge, let account = transaction.account,
        let factor = ClassicFactor(of: challenge, account: self.account(account))
      else { throw .notOffered }
      try check(body, against: [factor.activation])
      return challenge.proof.isPolled
        ? try poll(challenge, &transaction) : try prove(challenge, by: body, &transaction)
    case .previous:
      let isSetUp = transaction.challenge?.purpose == .enroll
      transaction.step = isSetUp ? .selectEnrollment : .selectChallenge
      return recordClassic(transaction)
    case .skip:
      transaction.skip()
      return try advanceClassic(&transaction)
    case .resend, .resendActivation, .resendRecovery:
      guard let challenge = transaction.challenge else { throw .notOffered }
      return try open(challenge, &transaction)
    case .changePassword, .resetPassword: return try replacePassword(body, &transaction)
    case .recoveryAnswer, .verifyRecovery:
      guard let challenge = transaction.challenge else { throw .notOffered }
      return try prove(challenge, by: body, &transaction)
    default:
      transactions[transaction.stateHandle] = nil
      return .json([:])
    }
  }

  private func check(_ body: JSONValue, against bodies: [[JSONValue]]) throws(Refusal) {
    let problems = FormCheck.problems(of: body, answering: bodies)
    guard problems.isEmpty else { throw .invalid(problems) }
  }

  /// The sign-in of a state token; it ends if the account has been locked.
  private mutating func classicTransaction(
    _ body: JSONValue, isCancel: Bool = false
  ) throws(Refusal) -> OrgTransaction {
    guard let token = body["stateToken"] else {
      throw .invalid([FormCheck.Problem(path: "stateToken", kind: .missing)])
    }
    guard let transaction = transaction(token.string ?? "", isClassic: true) else {
      throw .unknownToken
    }
    guard isCancel || !isBlocked(transaction) else {
      transactions[transaction.stateHandle] = nil
      throw .locked
    }
    return transaction
  }

  /// Remembers where a sign-in is, and tells it. Its time begins again.
  private mutating func recordClassic(_ transaction: OrgTransaction) -> OrgReply {
    var transaction = transaction
    transaction.expiresAt = now.addingTimeInterval(settings.lifetime(of: transaction.step))
    transactions[transaction.stateHandle] = transaction
    return .json(classicDocument(transaction))
  }

  /// Whether a response has a link to an address, wherever it is.
  private static func offers(_ address: String, in response: JSONValue) -> Bool {
    switch response {
    case .array(let elements): elements.contains { offers(address, in: $0) }
    case .object(let object):
      object["href"]?.string == address && object["hints"]?["allow"] == ["POST"]
        || object.members.contains { offers(address, in: $0.value) }
    default: false
    }
  }

  // MARK: - Factors

  /// The factors of which one must be verified.
  func requiredFactors(_ transaction: OrgTransaction) -> [ClassicFactor] {
    guard case .challenge(let keys) = classicRequirement(transaction),
      let account = transaction.account.flatMap({ accounts[$0] })
    else { return [] }
    return account.factors(of: keys)
  }

  /// The factors that can be set up, and whether that is optional.
  func offeredSetUps(
    _ transaction: OrgTransaction
  ) -> (factors: [ClassicFactor], isOptional: Bool) {
    guard case .enrollment(let keys, let isOptional) = classicRequirement(transaction) else {
      return ([], false)
    }
    return (keys.flatMap(ClassicFactor.all).filter(\.name.canBeSetUp), isOptional)
  }

  /// Begins a challenge, tells what came of it, or takes its answer.
  private mutating func verify(
    _ factor: ClassicFactor, _ body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    let new = factor.challenge(for: .challenge)
    guard let challenge = transaction.challenge else {
      return factor.method.proof.isBegun
        ? try open(new, &transaction) : try prove(new, by: body, &transaction)
    }
    guard challenge.proof.isPolled else { return try prove(challenge, by: body, &transaction) }
    if case .failed = challenge.device.stage { return try open(new, &transaction) }
    return try poll(challenge, &transaction)
  }

  private mutating func poll(
    _ challenge: AuthenticatorChallenge, _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    switch challenge.device.event(by: now) {
    case nil: return recordClassic(transaction)
    case .approved: return try finish(challenge, with: nil, &transaction)
    case .rejected: transaction.classic?.pushResult = "REJECTED"
    case .timedOut: transaction.classic?.pushResult = "TIMEOUT"
    }
    var challenge = challenge
    challenge.device.stage = .failed
    transaction.step = .challenge(challenge)
    return recordClassic(transaction)
  }

  private mutating func enroll(
    _ body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    for name in ["factorType", "provider"] where body[name]?.string == nil {
      throw .invalid([FormCheck.Problem(path: name, kind: .missing)])
    }
    let factor = offeredSetUps(transaction).factors.first {
      $0.name.type == body["factorType"]?.string && $0.name.provider == body["provider"]?.string
    }
    guard let factor, let key = transaction.account else { throw .notOffered }
    try check(body, against: [factor.setUp])
    let profile = body["profile"] ?? [:]
    var challenge = factor.challenge(for: .enroll)
    switch factor.authenticator.key {
    case .securityQuestion:
      guard SecurityQuestion.all.contains(where: { $0.key == profile["question"]?.string }) else {
        throw .invalid("question", ["That is not one of the questions."])
      }
      let answer = profile.adding("questionKey", profile["question"])
      do throws(Rejection) {
        try verify(answer, of: challenge, by: key)
      } catch { throw .invalid("answer", [error.message.text]) }
      return try proved(challenge, &transaction)
    case .phone: challenge.phoneNumber = profile["phoneNumber"]?.string
    case .email:
      let email = account(key).user.email
      guard profile["email"]?.string?.lowercased() ?? email.lowercased() == email.lowercased()
      else { throw .invalid("email", ["That is not the user's address."]) }
    default: break
    }
    return try open(challenge, &transaction)
  }

  /// Takes an answer, and continues if it is right.
  private mutating func prove(
    _ challenge: AuthenticatorChallenge, by body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    let code = body["passCode"]
    let answer = body.adding("passcode", code).adding("totp", code)
    return try finish(challenge, with: answer, &transaction)
  }

  /// Checks an answer, and continues; nil if a device has approved.
  private mutating func finish(
    _ challenge: AuthenticatorChallenge, with answer: JSONValue?,
    _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    guard let key = transaction.account else { throw .notOffered }
    do throws(Rejection) {
      try verify(answer, of: challenge, by: key)
    } catch {
      if error.isAttempt, recordFailure(of: key) {
        transactions[transaction.stateHandle] = nil
        throw .locked
      }
      throw error.message == .nextCode
        ? .api("E0000113", error.message.text, status: 403)
        : .api(
          "E0000068", "Invalid Passcode/Answer", status: 403, causes: [error.message.text])
    }
    return try proved(challenge, &transaction)
  }

  private mutating func proved(
    _ challenge: AuthenticatorChallenge, _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    transaction.proved.add(challenge)
    if challenge.purpose == .enroll, transaction.classic?.offersMore != true {
      transaction.hasSkipped = true
    }
    return try continueClassic(&transaction)
  }

  private mutating func replacePassword(
    _ body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    guard let challenge = transaction.challenge, let key = transaction.account else {
      throw .notOffered
    }
    if let old = body["oldPassword"]?.string, old != account(key).user.password.revealed {
      throw .refusedPassword("The old password is wrong.")
    }
    do throws(Rejection) {
      try verify(["passcode": body["newPassword"] ?? .null], of: challenge, by: key)
    } catch { throw .refusedPassword(error.message.text) }
    transaction.proved.add(challenge)
    let signsIn = settings.policy.accounts.recovery?.signsIn ?? true
    if transaction.operation != nil, !signsIn { return endRecovery(transaction) }
    transaction.operation = nil
    return try advanceClassic(&transaction)
  }

  // MARK: - States

  /// What a sign-in needs next: factors are verified before the password is replaced.
  private func classicRequirement(_ transaction: OrgTransaction) -> SignInRequirement {
    guard var account = transaction.account.flatMap({ accounts[$0] }) else { return .password }
    let policy = settings.policy
    if let requirement = SignInRequirement(
      operationOf: transaction, policy: policy, account: account)
    {
      return requirement
    }
    guard account.user.status != .suspended else { return .refusal(.accessDenied, status: 403) }
    // The authorization endpoint decides who can use the app.
    if account.user.status == .notAssigned { account.user.status = .active }
    var active = account
    active.user.status = .active
    let first = SignInRequirement(
      policy: policy, account: active, proved: transaction.proved.keys, keepsPassword: true,
      hasSkipped: true)
    if case .challenge = first { return first }
    let warns = transaction.classic?.warnsBeforeExpiry == true
    return SignInRequirement(
      policy: policy, account: account, proved: transaction.proved.keys,
      keepsPassword: transaction.keepsPassword || !warns, hasSkipped: transaction.hasSkipped)
  }

  /// Continues after something was proved: an account is unlocked at once.
  private mutating func continueClassic(
    _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    guard transaction.operation?.kind == .unlock, let key = transaction.account else {
      return try advanceClassic(&transaction)
    }
    unlockAccount(key)
    return endRecovery(transaction)
  }

  /// Goes to the state that the policy requires next; if there is none, the sign-in ends.
  private mutating func advanceClassic(
    _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    do throws(Refusal) {
      return try nextState(&transaction)
    } catch {
      transactions[transaction.stateHandle] = nil
      throw error
    }
  }

  private mutating func nextState(
    _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    guard let key = transaction.account else { throw .authenticationFailed }
    switch classicRequirement(transaction) {
    case .challenge([.securityQuestion]) where transaction.operation != nil:
      let question = ClassicFactor.all(of: .securityQuestion).first
      guard let challenge = question?.authenticator else { throw .notOffered }
      return try open(AuthenticatorChallenge(challenge, .challenge), &transaction)
    case .challenge(let keys):
      guard !account(key).factors(of: keys).isEmpty else {
        throw .impossible(
          "\(OrgAuthenticator.names(of: keys)) is required, and cannot be verified in this way.")
      }
      transaction.step = .selectChallenge
    case .newPassword, .expiringPassword:
      return try open(.password(transaction.operation == nil ? .replace : .reset), &transaction)
    case .enrollment(let keys, let isOptional):
      let missing = keys.filter { key in
        !ClassicFactor.all(of: key).contains(where: \.name.canBeSetUp)
      }
      if isOptional, missing.count == keys.count {
        transaction.hasSkipped = true
        return try nextState(&transaction)
      }
      guard isOptional || missing.isEmpty else {
        throw .impossible(
          "\(OrgAuthenticator.names(of: missing)) is required, and cannot be set up in this way.")
      }
      transaction.step = .selectEnrollment
    case .password, .refusal: throw .authenticationFailed
    case .nothing: return succeed(transaction, key)
    }
    return recordClassic(transaction)
  }

  /// Begins a challenge and goes to it.
  private mutating func open(
    _ challenge: AuthenticatorChallenge, _ transaction: inout OrgTransaction
  ) throws(Refusal) -> OrgReply {
    guard let account = transaction.account.flatMap({ accounts[$0] }) else { throw .notOffered }
    var challenge = challenge
    do throws(Rejection) {
      try begin(&challenge, for: account.user, &transaction)
    } catch {
      let name = error.message == .invalidPhone ? "phoneNumber" : "profile"
      throw .invalid(name, [error.message.text])
    }
    transaction.classic?.pushResult = nil
    transaction.classic?.imageToken = challenge.qrCode.map { _ in random.handle("qr_") }
    transaction.step = .challenge(challenge)
    return recordClassic(transaction)
  }

  /// Ends a sign-in with a session token.
  private mutating func succeed(_ transaction: OrgTransaction, _ key: OrgAccount.Key) -> OrgReply {
    accounts[key]?.failures = 0
    transactions[transaction.stateHandle] = nil
    let expiresAt = now.addingTimeInterval(ClassicSession.lifetime)
    let token = random.handle("20111")
    sessions[token] = ClassicSession(
      account: key, signIn: CompletedSignIn(transaction.proved, at: now), expiresAt: expiresAt)
    return .json([
      "expiresAt": expiresAt.timestamp, "status": "SUCCESS", "sessionToken": .string(token),
      "_embedded": embedded(transaction), "_links": [:],
    ])
  }

  /// Ends a recovery that does not sign in.
  private mutating func endRecovery(_ transaction: OrgTransaction) -> OrgReply {
    transactions[transaction.stateHandle] = nil
    let document: JSONValue = [
      "status": "SUCCESS", "_embedded": embedded(transaction), "_links": [:],
    ]
    return .json(document.adding("recoveryType", transaction.operation?.kind.recoveryType))
  }
}
