import Foundation
import IDX
import IDXBase
import IDXOAuth

/// The state of a sign-in that only the classic API needs.
struct ClassicState: Sendable {
  /// Whether the client asked for a warning if the password expires soon.
  var warnsBeforeExpiry = false
  /// Whether more setups are offered after an optional one.
  var offersMore = false
  /// The result of the last push; nil while it waits.
  var pushResult: String?
  /// The last part of the address of the QR code.
  var imageToken: String?
}

/// A user who has signed in with the classic API, until the session token is used.
struct ClassicSession: Sendable {
  let account: OrgAccount.Key
  let signIn: CompletedSignIn
  let expiresAt: Date

  /// The number of seconds for which a session token is valid.
  static let lifetime: TimeInterval = 5 * 60
}

// The codes are those of real servers. The texts are our own.
extension Refusal {
  static let unknownToken = api("E0000011", "The token is unknown or expired.", status: 401)
  fileprivate static let authenticationFailed = api(
    "E0000004", "Sign-in failed. Check your username and password.", status: 401)
  fileprivate static let notOffered = api(
    "E0000079", "This request is not available in the current state of the sign-in.", status: 403)
  fileprivate static let locked = api(
    "E0000069", "There were too many wrong answers. The account is locked.", status: 403)

  fileprivate static func missing(_ name: String) -> Refusal {
    invalid(name, [Message.missing(name).text])
  }

  fileprivate static func invalid(_ name: String, _ causes: [String]) -> Refusal {
    api("E0000001", "Api validation failed: \(name)", status: 400, causes: causes)
  }

  fileprivate static func refusedPassword(_ cause: String) -> Refusal {
    api("E0000014", "The password was not changed.", status: 403, causes: [cause])
  }

  /// The refusal if the policy requires authenticators that this API does not support.
  fileprivate static func impossible(_ keys: [IDXAuthenticator.Key], _ what: String) -> Refusal {
    let names = OrgAuthenticator.names(of: keys)
    return api("E0000006", "\(names) is required, but cannot be \(what) here.", status: 403)
  }
}

// Requests to `/api/v1/authn`.
extension OrgCore {
  func classic(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let whole = request.url.absoluteString
    let address = String(whole.prefix { $0 != "?" })
    let path = String(address.dropFirst(settings.classic("").count))
    let remembers = whole.hasSuffix("?rememberDevice=true")
    guard let action = ClassicAction(path: path),
      address == whole || remembers && action == .verify
    else { throw .notFound }
    let types = ["application/json"]
    try request.check(method: "POST", sending: types, accepting: types)
    guard let body = try? JSONValue(parsing: request.body), body.object != nil else {
      throw .api("E0000003", "The body is not a JSON object.", status: 400)
    }
    switch action {
    case .begin:
      try check(body, ["username", "password"], ClassicAction.optionalFields, or: ["stateToken"])
      guard body["username"] == nil else { return try authenticate(body) }
      try resumeClassic(body)
      return recordClassic()
    case .recoverPassword, .unlock, .recoveryToken:
      try check(body, action.body ?? [])
      startClassic()
      if action == .recoveryToken { return try useRecoveryToken(body) }
      return try recover(action == .unlock ? .unlock : .recovery, body)
    default: return try proceed(action, at: address, body, remembersDevice: remembers)
    }
  }

  /// The QR code of a setup; only the client knows its address.
  func classicImage(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    try request.check(method: "GET")
    let token = String(request.url.absoluteString.dropFirst(settings.classicImages.count))
    let found = signIns.values.first { $0.classic.imageToken == token && now < $0.expiresAt }
    guard let text = found?.challenge?.qrCode?.split(separator: ",").last,
      let data = Data(base64Encoded: String(text))
    else { throw .notFound }
    return .image(Array(data))
  }

  func classicQuestions(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    try request.check(method: "GET")
    return .json(
      .array(
        SecurityQuestion.all.map {
          ["question": .string($0.key), "questionText": .string($0.text)]
        }))
  }

  /// The state token of a new sign-in.
  func newStateToken() -> Secret {
    startClassic()
    signIns[signIn.handle] = signIn
    return Secret(signIn.handle)
  }

  /// Starts a sign-in without a user.
  private func startClassic() {
    signIn = SignIn(
      .classic, handle: random.handle("00"), at: now, lifetime: settings.lifetime(of: .identify))
  }

  /// Resumes the sign-in of a state token; ends it if the account was locked.
  private func resumeClassic(_ body: JSONValue, isCancel: Bool = false) throws(Refusal) {
    guard let token = body["stateToken"] else { throw .missing("stateToken") }
    guard resume(token.string ?? "", .classic) else { throw .unknownToken }
    guard isCancel || !isBlocked else {
      signIns[signIn.handle] = nil
      throw .locked
    }
  }

  /// Extends the sign-in, and returns its state.
  private func recordClassic() -> OrgResponse {
    signIn.expiresAt = now.addingTimeInterval(settings.lifetime(of: signIn.step))
    signIns[signIn.handle] = signIn
    return .json(classicDocument)
  }

  private func check(
    _ body: JSONValue, _ required: [String], _ others: [Field] = [], or another: [String]? = nil
  ) throws(Refusal) {
    func fields(_ names: [String]) -> [Field] { names.map { Field($0, isRequired: true) } }
    let bodies = [fields(required) + others] + (another.map { [fields($0)] } ?? [])
    let problems = FormCheck().problems(of: body, answering: bodies.map { $0.map(\.json) })
    if let first = problems.first { throw .invalid(first.path, problems.map { $0.message.text }) }
  }

  // MARK: - Starting

  private func authenticate(_ body: JSONValue) throws(Refusal) -> OrgResponse {
    try require(
      (body["context"]?["deviceToken"]?.string ?? "").count <= 32,
      else: .invalid("deviceToken", ["A device token must have at most 32 characters."]))
    let isBegun = body["stateToken"] != nil
    if isBegun {
      try resumeClassic(body)
      guard case .identify = signIn.step else { throw .notOffered }
    }
    let key = OrgAccount.Key(body["username"]?.string ?? "")
    let account = account(key)
    let isRight = account.isOpen && body["password"]?.string == account.user.password.revealed
    if !isRight { _ = recordFailure(of: key) }
    if accounts[key]?.exists == true, accounts[key]?.user.status == .locked,
      settings.policy.accounts.showsLockouts
    {
      let next = link(.unlock, name: "unlock")
      return .json(["status": "LOCKED_OUT", "_embedded": [:], "_links": ["next": next]])
    }
    guard isRight, account.user.status != .suspended else { throw .authenticationFailed }
    if !isBegun { startClassic() }
    if let options = body["options"] {
      signIn.classic.warnsBeforeExpiry = options["warnBeforePasswordExpired"] == true
      signIn.classic.offersMore = options["multiOptionalFactorEnroll"] == true
    }
    signIn.account = key
    signIn.proved.add(.password(.challenge))
    return try advanceClassic()
  }

  /// Starts a recovery or an unlock with a code to a phone, or with a token by email.
  private func recover(
    _ kind: AccountOperation.Kind, _ body: JSONValue
  ) throws(Refusal) -> OrgResponse {
    let channels = [IDXAuthenticator.Key.phone, .email].flatMap { ClassicFactor.all(of: $0) }
    let channel = channels.first { $0.name.type.uppercased() == body["factorType"]?.string }
    guard let channel else {
      throw .api("E0000034", Message.recoveryNotAllowed.text, status: 403)
    }
    let login = body["username"]?.string ?? ""
    if let rejection = begin(kind, for: login, by: channel.authenticator.key) {
      let code = rejection.message == .unknownUser ? "E0000095" : "E0000034"
      throw .api(code, rejection.message.text, status: 403)
    }
    let user = account.user
    if channel.authenticator.key == .phone {
      var challenge = channel.challenge(for: .challenge)
      challenge.enrollment = user.enrollments.firstIndex { $0.authenticator == .phone }
      return try open(challenge)
    }
    let expiresAt = now.addingTimeInterval(LinkToken.lifetime)
    let token = issueLinkToken(for: user.login, kind, until: expiresAt)?.revealed ?? ""
    let isUnlock = kind == .unlock
    let page = "\(settings.origin)/signin/\(isUnlock ? "unlock" : "reset-password")/\(token)"
    deliver(
      Mailbox.Message(
        method: "email", recipient: user.email, code: token,
        text: language.text(
          isUnlock
            ? "Unlock your account: open \(page)." : "Choose a new password: open \(page).")))
    return .json([
      "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
      "recoveryType": kind.recoveryType ?? .null,
    ])
  }

  /// Continues with the token from an email, which is valid once.
  private func useRecoveryToken(_ body: JSONValue) throws(Refusal) -> OrgResponse {
    let token = body["recoveryToken"]?.string ?? ""
    guard linkToken(token)?.purpose.recoveryType != nil else { throw .unknownToken }
    useLinkToken(token)
    return try continueClassic()
  }

  // MARK: - Continuing

  private func proceed(
    _ action: ClassicAction, at address: String, _ body: JSONValue, remembersDevice: Bool
  ) throws(Refusal) -> OrgResponse {
    try resumeClassic(body, isCancel: action == .cancel)
    signIn.remembersDevice = remembersDevice
    guard Self.offers(address, in: classicDocument) else { throw .notOffered }
    if let names = action.body { try check(body, names) }
    let challenge = signIn.challenge
    switch action {
    case .verify: return try verify(at: address, body)
    case .enroll: return try enroll(body)
    case .previous:
      signIn.step = challenge?.purpose == .enroll ? .selectEnrollment : .selectChallenge
      return recordClassic()
    case .skip:
      signIn.skip()
      return try advanceClassic()
    case .cancel:
      signIns[signIn.handle] = nil
      return .json([:])
    default: break
    }
    guard let challenge else { throw .notOffered }
    switch action {
    case .activate:
      let factor = ClassicFactor(of: challenge, account: account)
      try check(body, factor?.activation ?? [])
      return challenge.proof.isPolled ? try poll(challenge) : try finish(challenge, with: body)
    case .resend, .resendActivation, .resendRecovery: return try open(challenge)
    case .changePassword, .resetPassword: return try replacePassword(challenge, body)
    default: return try finish(challenge, with: body)
    }
  }

  /// Whether a response has a link to an address anywhere.
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
  var requiredFactors: [ClassicFactor] {
    guard case .challenge(let keys) = classicRequirement else { return [] }
    return account.factors(of: keys)
  }

  /// The factors that can be set up, and whether that is optional.
  var offeredSetUps: (factors: [ClassicFactor], isOptional: Bool) {
    guard case .enrollment(let keys, let isOptional) = classicRequirement else {
      return ([], false)
    }
    return (keys.flatMap { ClassicFactor.all(of: $0) }.filter(\.name.canBeSetUp), isOptional)
  }

  /// Starts a challenge, returns its result, or checks its answer.
  private func verify(at address: String, _ body: JSONValue) throws(Refusal) -> OrgResponse {
    let account = account
    let challenge = signIn.challenge
    let begun = challenge.flatMap { ClassicFactor(of: $0, account: account) }
    let chosen = requiredFactors.first {
      settings.classic(ClassicAction.verify.path($0.id(of: account))) == address
    }
    guard let factor = begun ?? chosen else { throw .notOffered }
    try check(body, factor.verification(isBegun: begun != nil))
    let new = factor.challenge(for: .challenge)
    guard let challenge else {
      return factor.method.proof.isBegun ? try open(new) : try finish(new, with: body)
    }
    guard challenge.proof.isPolled else { return try finish(challenge, with: body) }
    if case .failed = challenge.device.stage { return try open(new) }
    return try poll(challenge)
  }

  private func poll(_ challenge: AuthenticatorChallenge) throws(Refusal) -> OrgResponse {
    switch challenge.device.event(by: now) {
    case nil: return recordClassic()
    case .approved: return try finish(challenge, with: nil)
    case .rejected: signIn.classic.pushResult = "REJECTED"
    case .timedOut: signIn.classic.pushResult = "TIMEOUT"
    }
    var challenge = challenge
    challenge.device.stage = .failed
    signIn.step = .challenge(challenge)
    return recordClassic()
  }

  private func enroll(_ body: JSONValue) throws(Refusal) -> OrgResponse {
    let (type, provider) = (body["factorType"]?.string, body["provider"]?.string)
    guard let type else { throw .missing("factorType") }
    guard let provider else { throw .missing("provider") }
    let factor = offeredSetUps.factors.first {
      $0.name.type == type && $0.name.provider == provider
    }
    guard let factor else { throw .notOffered }
    try check(body, ["stateToken", "factorType", "provider"], [factor.profileField])
    let profile = body["profile"] ?? [:]
    var challenge = factor.challenge(for: .enroll)
    switch factor.authenticator.key {
    case .securityQuestion:
      try require(
        SecurityQuestion.all.contains(where: { $0.key == profile["question"]?.string }),
        else: .invalid("question", ["This is not one of the questions."]))
      do throws(Rejection) {
        try verify(profile.adding("questionKey", profile["question"]), of: challenge)
      } catch { throw .invalid("answer", [error.message.text]) }
      return try finishSetUp()
    case .phone: challenge.phoneNumber = profile["phoneNumber"]?.string
    case .email:
      let email = account.user.email.lowercased()
      try require(
        profile["email"]?.string?.lowercased() ?? email == email,
        else: .invalid("email", ["This is not the user's address."]))
    default: break
    }
    return try open(challenge)
  }

  /// Checks an answer, and continues if it is correct; `body` is nil if a device approved.
  private func finish(
    _ challenge: AuthenticatorChallenge, with body: JSONValue?
  ) throws(Refusal) -> OrgResponse {
    guard let key = signIn.account else { throw .notOffered }
    let code = body?["passCode"]
    do throws(Rejection) {
      try verify(body?.adding("passcode", code).adding("totp", code), of: challenge)
    } catch {
      if error.isAttempt, recordFailure(of: key) {
        signIns[signIn.handle] = nil
        throw .locked
      }
      let text = error.message.text
      throw error.message == .nextCode
        ? .api("E0000113", text, status: 403)
        : .api("E0000068", "Invalid Passcode/Answer", status: 403, causes: [text])
    }
    return challenge.purpose == .enroll ? try finishSetUp() : try continueClassic()
  }

  private func finishSetUp() throws(Refusal) -> OrgResponse {
    if !signIn.classic.offersMore { signIn.hasSkipped = true }
    return try continueClassic()
  }

  private func replacePassword(
    _ challenge: AuthenticatorChallenge, _ body: JSONValue
  ) throws(Refusal) -> OrgResponse {
    if let old = body["oldPassword"]?.string, old != account.user.password.revealed {
      throw .refusedPassword("The old password is wrong.")
    }
    do throws(Rejection) {
      try verify(["passcode": body["newPassword"] ?? .null], of: challenge)
    } catch { throw .refusedPassword(error.message.text) }
    let signsIn = settings.policy.accounts.recovery?.signsIn ?? true
    if signIn.operation != nil, !signsIn { return endRecovery() }
    signIn.operation = nil
    return try advanceClassic()
  }

  // MARK: - States

  /// What a sign-in needs next; factors are verified before the password is replaced.
  private var classicRequirement: SignInRequirement {
    guard signIn.account != nil else { return .password }
    let (policy, proved) = (settings.policy, proved)
    var account = account
    if let requirement = SignInRequirement(operationOf: signIn, policy: policy, account: account) {
      return requirement
    }
    guard account.user.status != .suspended else { return .refusal(.accessDenied, status: 403) }
    // The authorization endpoint decides who can use the app.
    if account.user.status == .notAssigned { account.user.status = .active }
    var active = account
    active.user.status = .active
    let first = SignInRequirement(
      policy: policy, account: active, proved: proved, keepsPassword: true, hasSkipped: true)
    if case .challenge = first { return first }
    return SignInRequirement(
      policy: policy, account: account, proved: proved,
      keepsPassword: signIn.keepsPassword || !signIn.classic.warnsBeforeExpiry,
      hasSkipped: signIn.hasSkipped)
  }

  /// Continues after a proof; an unlock is then complete.
  private func continueClassic() throws(Refusal) -> OrgResponse {
    guard signIn.operation?.kind == .unlock else { return try advanceClassic() }
    unlockAccount()
    return endRecovery()
  }

  /// Goes to the next state that the policy requires; if that fails, the sign-in ends.
  private func advanceClassic() throws(Refusal) -> OrgResponse {
    do throws(Refusal) {
      return try nextState()
    } catch {
      signIns[signIn.handle] = nil
      throw error
    }
  }

  private func nextState() throws(Refusal) -> OrgResponse {
    switch classicRequirement {
    case .challenge([.securityQuestion]) where signIn.operation != nil:
      guard let question = OrgAuthenticator[.securityQuestion] else { throw .notOffered }
      return try open(.init(question, .challenge))
    case .challenge(let keys):
      guard !account.factors(of: keys).isEmpty else { throw .impossible(keys, "verified") }
      signIn.step = .selectChallenge
    case .newPassword, .expiringPassword:
      return try open(.password(signIn.operation == nil ? .replace : .reset))
    case .enrollment(let keys, let isOptional):
      let missing = keys.filter { key in
        !ClassicFactor.all(of: key).contains(where: \.name.canBeSetUp)
      }
      if isOptional, missing.count == keys.count {
        signIn.hasSkipped = true
        return try nextState()
      }
      guard isOptional || missing.isEmpty else { throw .impossible(missing, "set up") }
      signIn.step = .selectEnrollment
    case .password, .refusal: throw .authenticationFailed
    case .nothing: return succeed()
    }
    return recordClassic()
  }

  /// Starts a challenge and goes to its state.
  private func open(_ challenge: AuthenticatorChallenge) throws(Refusal) -> OrgResponse {
    var challenge = challenge
    do throws(Rejection) {
      try begin(&challenge)
    } catch {
      let name = error.message == .invalidPhone ? "phoneNumber" : "profile"
      throw .invalid(name, [error.message.text])
    }
    signIn.classic.pushResult = nil
    signIn.classic.imageToken = challenge.qrCode.map { _ in random.handle("qr_") }
    signIn.step = .challenge(challenge)
    return recordClassic()
  }

  /// Ends a sign-in with a session token.
  private func succeed() -> OrgResponse {
    account.failures = 0
    rememberDevice(isAgreed: signIn.remembersDevice)
    signIns[signIn.handle] = nil
    let token = startSession(of: signIn.account, signIn.proved)
    return .json([
      "expiresAt": .string(now.addingTimeInterval(ClassicSession.lifetime).timestamp),
      "status": "SUCCESS", "sessionToken": .string(token), "_embedded": embedded, "_links": [:],
    ])
  }

  /// The token of a new session.
  private func startSession(
    of account: OrgAccount.Key?, _ proved: ProvedAuthenticators
  ) -> String {
    let token = random.handle("20111")
    sessions[token] = account.map {
      ClassicSession(
        account: $0, signIn: CompletedSignIn(proved, at: now),
        expiresAt: now.addingTimeInterval(ClassicSession.lifetime))
    }
    return token
  }

  /// The token of a session that began with the password; nil for an unknown user.
  func newSessionToken(for login: String) -> Secret? {
    let key = OrgAccount.Key(login)
    guard accounts[key]?.exists == true else { return nil }
    var proved = ProvedAuthenticators()
    proved.add(.password(.challenge))
    return Secret(startSession(of: key, proved))
  }

  /// Ends a recovery that does not sign in.
  private func endRecovery() -> OrgResponse {
    signIns[signIn.handle] = nil
    let document: JSONValue = ["status": "SUCCESS", "_embedded": embedded, "_links": [:]]
    return .json(document.adding("recoveryType", signIn.operation?.kind.recoveryType))
  }
}
