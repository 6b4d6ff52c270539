import Foundation
import IDX
import IDXBase
import IDXOAuth

// The classic API: the addresses under `/api/v1/authn`, and what its responses link to.
extension OrgEndpoint {
  static let classic = ofActions + linked

  private static let ofActions = ClassicPath.allCases.map { action in
    OrgEndpoint(
      "POST", at: .origin, "/api/v1/authn" + action.rawValue,
      .json(else: .api("E0000003", "The body is not a JSON object.", status: 400)), as: json
    ) { (request, org) throws(Refusal) in try org.respond(to: request, action) }
  }

  private static let linked = [
    OrgEndpoint("GET", at: .origin, "/api/v1/factors/questions") { _, _ in
      .json(.array(SecurityQuestion.all.map(\.classicJSON)))
    },
    // The QR code of a setup; only the client knows its address.
    OrgEndpoint("GET", at: .origin, "/api/v1/factors/qr/*") { (request, org) throws(Refusal) in
      let token = String(request.address.dropFirst(org.settings.classicImages.count))
      let found = org.unfinishedSignIns().first { $0.classic.imageToken == token }
      guard let text = found?.challenge?.qrCode?.split(separator: ",").last,
        let data = Data(base64Encoded: String(text))
      else { throw .notFound }
      return .image(Array(data))
    },
  ]
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

extension OrgRequestRules {
  /// Throws unless a body has these members, or only `another`; if the rules are strict, it must have no others.
  fileprivate func check(
    _ body: JSONValue, _ required: [String], _ others: [Field] = [], or another: [String]? = nil
  ) throws(Refusal) {
    func fields(_ names: [String]) -> [Field] { names.map { Field($0, isRequired: true) } }
    let bodies = [fields(required) + others] + (another.map { [fields($0)] } ?? [])
    let problems = FormCheck(ignoresUnknown: !isStrict).problems(
      of: body, answering: bodies.map { $0.map(\.json) })
    if let first = problems.first { throw .invalid(first.path, problems.map { $0.message.text }) }
  }
}

extension OrgState {
  /// The state token of a new sign-in, without a request.
  mutating func newStateToken() -> Secret {
    let signIn = newClassicSignIn(by: OrgRequest.Sender())
    save(signIn)
    return Secret(signIn.handle)
  }

  private mutating func newClassicSignIn(by sender: OrgRequest.Sender) -> SignIn {
    newSignIn(
      .classic, handle: random.handle("00"), by: sender, lifetime: SignIn.Step.identify.lifetime)
  }

  fileprivate mutating func respond(
    to request: OrgRequest, _ action: ClassicPath
  ) throws(Refusal) -> OrgResponse {
    let body = JSONValue.object(request.body)
    switch action {
    case .begin:
      try requestRules.check(
        body, ["username", "password"], ClassicPath.optionalFields, or: ["stateToken"])
      guard body["username"] == nil else { return try authenticate(request) }
      var signIn = try resumeClassic(request)
      return signIn.recordClassic(in: &self)
    case .recoverPassword, .unlock, .recoveryToken:
      try requestRules.check(body, action.body ?? [])
      var signIn = newClassicSignIn(by: request.sender)
      if action != .recoveryToken {
        return try signIn.recover(action == .unlock ? .unlock : .recovery, body, in: &self)
      }
      let token = body["recoveryToken"]?.string ?? ""
      guard linkToken(token)?.purpose.recoveryType != nil else { throw .unknownToken }
      signIn.use(linkToken: token, in: &self)
      return try signIn.continueClassic(in: &self)
    default:
      var signIn = try resumeClassic(request, isCancel: action == .cancel)
      let query = FormURLEncoding.decode(request.query) ?? []
      signIn.remembersDevice =
        action == .verify && query.contains { $0 == ("rememberDevice", "true") }
      return try signIn.proceed(action, at: request.address, body, in: &self)
    }
  }

  /// Resumes the sign-in of a state token; ends it if the account was locked.
  private mutating func resumeClassic(
    _ request: OrgRequest, isCancel: Bool = false
  ) throws(Refusal) -> SignIn {
    guard let token = request.body["stateToken"] else { throw .missing("stateToken") }
    guard let signIn = resume(token.string ?? "", .classic, by: request.sender) else {
      throw .unknownToken
    }
    guard isCancel || !signIn.isBlocked(in: self) else {
      remove(signIn)
      throw .locked
    }
    return signIn
  }

  /// Starts a sign-in with a username and a password.
  private mutating func authenticate(_ request: OrgRequest) throws(Refusal) -> OrgResponse {
    let body = request.body
    try require(
      (body["context"]?["deviceToken"]?.string ?? "").count <= 32,
      else: .invalid("deviceToken", ["A device token must have at most 32 characters."]))
    let begun = body["stateToken"] == nil ? nil : try resumeClassic(request)
    if let begun {
      guard case .identify = begun.step else { throw .notOffered }
    }
    let key = OrgAccount.Key(body["username"]?.string ?? "")
    let account = self[key]
    let isRight = account.isOpen && body["password"]?.string == account.user.password.revealed
    if !isRight { _ = recordFailure(of: key) }
    if known(key)?.user.status == .locked, settings.policy.accounts.showsLockouts {
      let next = settings.link(.unlock, name: "unlock")
      return .json(["status": "LOCKED_OUT", "_embedded": [:], "_links": ["next": next]])
    }
    guard isRight, account.user.status != .suspended else { throw .authenticationFailed }
    var signIn = begun ?? newClassicSignIn(by: request.sender)
    if let options = body["options"] {
      signIn.classic.warnsBeforeExpiry = options["warnBeforePasswordExpired"] == true
      signIn.classic.offersMore = options["multiOptionalFactorEnroll"] == true
    }
    signIn.accountKey = key
    signIn.verified.add(.password(.challenge))
    return try signIn.advanceClassic(in: &self)
  }
}

extension SignIn {
  // MARK: Starting

  /// Starts a recovery or an unlock with a code to a phone, or with a token by email.
  fileprivate mutating func recover(
    _ kind: AccountOperation.Kind, _ body: JSONValue, in org: inout OrgState
  ) throws(Refusal) -> OrgResponse {
    let channels = [IDXAuthenticator.Key.phone, .email].flatMap { ClassicFactor.all(of: $0) }
    let channel = channels.first { $0.name.type.uppercased() == body["factorType"]?.string }
    guard let channel else {
      throw .api("E0000034", Message.recoveryNotAllowed.text, status: 403)
    }
    let login = body["username"]?.string ?? ""
    if let rejection = begin(kind, for: login, by: channel.authenticator.key, in: org) {
      let code = rejection.message == .unknownUser ? "E0000095" : "E0000034"
      throw .api(code, rejection.message.text, status: 403)
    }
    let user = org[accountKey].user
    if channel.authenticator.key == .phone {
      var challenge = channel.challenge(for: .challenge)
      challenge.enrollment = user.enrollments.firstIndex { $0.authenticator == .phone }
      return try openClassic(challenge, in: &org)
    }
    let expiresAt = org.now.addingTimeInterval(LinkToken.lifetime)
    let token = org.issueLinkToken(for: user.login, kind, until: expiresAt)?.revealed ?? ""
    let isUnlock = kind == .unlock
    let page = "\(org.settings.origin)/signin/\(isUnlock ? "unlock" : "reset-password")/\(token)"
    let text = sender.words.text(
      of: isUnlock ? "Unlock your account: open \(page)." : "Choose a new password: open \(page).")
    org.deliver(.init(method: "email", recipient: user.email, code: token, text: text))
    return .json([
      "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
      "recoveryType": kind.recoveryType ?? .null,
    ])
  }

  // MARK: Continuing

  fileprivate mutating func proceed(
    _ action: ClassicPath, at address: String, _ body: JSONValue, in org: inout OrgState
  ) throws(Refusal) -> OrgResponse {
    let document = classicDocument(in: org)
    guard Self.offers(address, in: document.json) else { throw .notOffered }
    if let names = action.body { try org.requestRules.check(body, names) }
    switch action {
    case .verify: return try verify(at: address, body, document, in: &org)
    case .enroll: return try enroll(body, document.offeredSetUps.factors, in: &org)
    case .previous:
      step = challenge?.purpose == .enroll ? .selectEnrollment : .selectChallenge
      return recordClassic(in: &org)
    case .skip:
      skip()
      return try advanceClassic(in: &org)
    case .cancel:
      org.remove(self)
      return .json([:])
    default: break
    }
    guard let challenge else { throw .notOffered }
    switch action {
    case .activate:
      let factor = ClassicFactor(of: challenge, account: org[accountKey])
      try org.requestRules.check(body, factor?.activation ?? [])
      return challenge.check.isPolled
        ? try poll(challenge, in: &org) : try finish(challenge, with: body, in: &org)
    case .resend, .resendActivation, .resendRecovery: return try openClassic(challenge, in: &org)
    case .changePassword, .resetPassword: return try replacePassword(challenge, body, in: &org)
    default: return try finish(challenge, with: body, in: &org)
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

  // MARK: Factors

  /// Starts a challenge, returns its result, or checks its answer.
  private mutating func verify(
    at address: String, _ body: JSONValue, _ document: ClassicDocument, in org: inout OrgState
  ) throws(Refusal) -> OrgResponse {
    let account = org[accountKey]
    let begun = challenge.flatMap { ClassicFactor(of: $0, account: account) }
    let chosen = document.requiredFactors.first {
      org.settings.classic(ClassicPath.verify.path($0.id(of: account))) == address
    }
    guard let factor = begun ?? chosen else { throw .notOffered }
    let answer = factor.method.check.classicAnswer
    var body = body
    // Some clients send every code as `answer`.
    if !org.requestRules.isStrict, answer == ["passCode"], body["passCode"] == nil,
      let code = body["answer"]
    {
      body = body.adding("passCode", code)
    }
    // Without an answer, the request starts the challenge, also of a factor that needs no start.
    let startsOnly = begun == nil && !answer.contains { body[$0] != nil }
    try org.requestRules.check(
      body, startsOnly ? ["stateToken"] : factor.verification(isBegun: begun != nil))
    let new = factor.challenge(for: .challenge)
    guard let challenge else {
      return factor.method.check.isBegun || startsOnly
        ? try openClassic(new, in: &org) : try finish(new, with: body, in: &org)
    }
    guard challenge.check.isPolled else { return try finish(challenge, with: body, in: &org) }
    if case .failed = challenge.device.stage { return try openClassic(new, in: &org) }
    return try poll(challenge, in: &org)
  }

  private mutating func poll(
    _ challenge: AuthenticatorChallenge, in org: inout OrgState
  ) throws(Refusal) -> OrgResponse {
    switch challenge.device.event(by: org.now) {
    case nil: return recordClassic(in: &org)
    case .approved: return try finish(challenge, with: nil, in: &org)
    case .rejected: classic.pushResult = "REJECTED"
    case .timedOut: classic.pushResult = "TIMEOUT"
    }
    var challenge = challenge
    challenge.device.stage = .failed
    step = .challenge(challenge)
    return recordClassic(in: &org)
  }

  private mutating func enroll(
    _ body: JSONValue, _ factors: [ClassicFactor], in org: inout OrgState
  ) throws(Refusal) -> OrgResponse {
    guard let type = body["factorType"]?.string else { throw .missing("factorType") }
    guard let provider = body["provider"]?.string else { throw .missing("provider") }
    let factor = factors.first { $0.name.type == type && $0.name.provider == provider }
    guard let factor else { throw .notOffered }
    try org.requestRules.check(
      body, ["stateToken", "factorType", "provider"], [factor.profileField])
    let profile = body["profile"] ?? [:]
    var challenge = factor.challenge(for: .enroll)
    switch factor.authenticator.key {
    case .securityQuestion:
      try require(
        SecurityQuestion.all.contains(where: { $0.key == profile["question"]?.string }),
        else: .invalid("question", ["This is not one of the questions."]))
      do throws(Rejection) {
        let answer = profile.adding("questionKey", profile["question"])
        try verify(answer, of: challenge, in: &org)
      } catch { throw .invalid("answer", [error.message.text]) }
      return try finishSetUp(in: &org)
    case .phone: challenge.phoneNumber = profile["phoneNumber"]?.string
    case .email:
      let email = org[accountKey].user.email.lowercased()
      try require(
        profile["email"]?.string?.lowercased() ?? email == email,
        else: .invalid("email", ["This is not the user's address."]))
    default: break
    }
    return try openClassic(challenge, in: &org)
  }

  /// Checks an answer, and continues if it is correct; `body` is nil if a device approved.
  private mutating func finish(
    _ challenge: AuthenticatorChallenge, with body: JSONValue?, in org: inout OrgState
  ) throws(Refusal) -> OrgResponse {
    guard let accountKey else { throw .notOffered }
    let code = body?["passCode"]
    do throws(Rejection) {
      let answer = body?.adding("passcode", code).adding("totp", code)
      try verify(answer, of: challenge, in: &org)
    } catch {
      if error.isAttempt, org.recordFailure(of: accountKey) {
        org.remove(self)
        throw .locked
      }
      let text = error.message.text
      throw error.message == .nextCode
        ? .api("E0000113", text, status: 403)
        : .api("E0000068", "Invalid Passcode/Answer", status: 403, causes: [text])
    }
    return challenge.purpose == .enroll
      ? try finishSetUp(in: &org) : try continueClassic(in: &org)
  }

  private mutating func finishSetUp(in org: inout OrgState) throws(Refusal) -> OrgResponse {
    if !classic.offersMore { hasSkipped = true }
    return try continueClassic(in: &org)
  }

  private mutating func replacePassword(
    _ challenge: AuthenticatorChallenge, _ body: JSONValue, in org: inout OrgState
  ) throws(Refusal) -> OrgResponse {
    if let old = body["oldPassword"]?.string, old != org[accountKey].user.password.revealed {
      throw .refusedPassword("The old password is wrong.")
    }
    do throws(Rejection) {
      try verify(["passcode": body["newPassword"] ?? .null], of: challenge, in: &org)
    } catch { throw .refusedPassword(error.message.text) }
    let signsIn = org.settings.policy.accounts.recovery?.signsIn ?? true
    if operation != nil, !signsIn { return endRecovery(in: &org) }
    operation = nil
    return try advanceClassic(in: &org)
  }

  // MARK: States

  private func classicDocument(in org: OrgState) -> ClassicDocument {
    ClassicDocument(
      settings: org.settings, signIn: self, account: org[accountKey],
      requirement: classicRequirement(in: org))
  }

  /// Extends the sign-in, and returns its state.
  fileprivate mutating func recordClassic(in org: inout OrgState) -> OrgResponse {
    expiresAt = org.now.addingTimeInterval(step.lifetime)
    org.save(self)
    return .json(classicDocument(in: org).json)
  }

  /// What a sign-in needs next; factors are verified before the password is replaced.
  private func classicRequirement(in org: OrgState) -> SignInRequirement {
    guard accountKey != nil else { return .password }
    let (policy, verified) = (org.settings.policy, verifiedOrRemembered(in: org))
    var account = org[accountKey]
    if let requirement = SignInRequirement(operationOf: self, policy: policy, account: account) {
      return requirement
    }
    guard account.user.status != .suspended else { return .refusal(.accessDenied, status: 403) }
    // The authorization endpoint decides who can use the app.
    if account.user.status == .notAssigned { account.user.status = .active }
    var active = account
    active.user.status = .active
    let first = SignInRequirement(
      policy: policy, account: active, verified: verified, keepsPassword: true, hasSkipped: true)
    if case .challenge = first { return first }
    return SignInRequirement(
      policy: policy, account: account, verified: verified,
      keepsPassword: keepsPassword || !classic.warnsBeforeExpiry, hasSkipped: hasSkipped)
  }

  /// Continues after an answer; an unlock is then complete.
  fileprivate mutating func continueClassic(in org: inout OrgState) throws(Refusal) -> OrgResponse {
    guard operation?.kind == .unlock else { return try advanceClassic(in: &org) }
    org[accountKey].unlock()
    return endRecovery(in: &org)
  }

  /// Goes to the next state that the policy requires; if that fails, the sign-in ends.
  fileprivate mutating func advanceClassic(in org: inout OrgState) throws(Refusal) -> OrgResponse {
    do throws(Refusal) {
      return try nextState(in: &org)
    } catch {
      org.remove(self)
      throw error
    }
  }

  private mutating func nextState(in org: inout OrgState) throws(Refusal) -> OrgResponse {
    switch classicRequirement(in: org) {
    case .challenge([.securityQuestion]) where operation != nil:
      guard let question = OrgAuthenticator[.securityQuestion] else { throw .notOffered }
      return try openClassic(.init(question, .challenge), in: &org)
    case .challenge(let keys):
      guard !org[accountKey].factors(of: keys).isEmpty else { throw .impossible(keys, "verified") }
      step = .selectChallenge
    case .newPassword, .expiringPassword:
      return try openClassic(.password(operation == nil ? .replace : .reset), in: &org)
    case .enrollment(let keys, let isOptional):
      let missing = keys.filter { key in
        !ClassicFactor.all(of: key).contains(where: \.name.canBeSetUp)
      }
      if isOptional, missing.count == keys.count {
        hasSkipped = true
        return try nextState(in: &org)
      }
      guard isOptional || missing.isEmpty else { throw .impossible(missing, "set up") }
      step = .selectEnrollment
    case .password, .refusal: throw .authenticationFailed
    case .nothing: return succeed(in: &org)
    }
    return recordClassic(in: &org)
  }

  /// Starts a challenge and goes to its state.
  private mutating func openClassic(
    _ challenge: AuthenticatorChallenge, in org: inout OrgState
  ) throws(Refusal) -> OrgResponse {
    var challenge = challenge
    do throws(Rejection) {
      try begin(&challenge, in: &org)
    } catch {
      let name = error.message == .invalidPhone ? "phoneNumber" : "profile"
      throw .invalid(name, [error.message.text])
    }
    classic.pushResult = nil
    classic.imageToken = challenge.qrCode.map { _ in org.random.handle("qr_") }
    step = .challenge(challenge)
    return recordClassic(in: &org)
  }

  /// Ends a sign-in with a session token.
  private func succeed(in org: inout OrgState) -> OrgResponse {
    org[accountKey].failures = 0
    rememberDevice(isAgreed: remembersDevice, in: &org)
    org.remove(self)
    let token = accountKey.map { org.startSession(of: $0, verified) } ?? ""
    return .json([
      "expiresAt": .string(org.now.addingTimeInterval(ClassicSession.lifetime).timestamp),
      "status": "SUCCESS", "sessionToken": .string(token),
      "_embedded": classicDocument(in: org).embedded, "_links": [:],
    ])
  }

  /// Ends a recovery that does not sign in.
  private func endRecovery(in org: inout OrgState) -> OrgResponse {
    org.remove(self)
    let embedded = classicDocument(in: org).embedded
    let document: JSONValue = ["status": "SUCCESS", "_embedded": embedded, "_links": [:]]
    return .json(document.adding("recoveryType", operation?.kind.recoveryType))
  }
}
