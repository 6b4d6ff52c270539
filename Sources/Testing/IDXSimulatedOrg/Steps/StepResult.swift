import Foundation
import IDX
import IDXBase

/// The result of a request, besides the new step of the sign-in.
struct StepResult {
  var status = 200
  var messages: [Message] = []
  /// Messages about fields of the first form, by their dotted paths.
  var fieldMessages: [String: Message] = [:]
  /// Whether the sign-in is at a new step, which extends its time.
  var isNewStep = false

  /// The sign-in is at a new step.
  static let moved = StepResult(isNewStep: true)
  static let unchanged = StepResult()

  static func rejected(_ rejection: Rejection) -> StepResult {
    let (status, message) = (rejection.status, rejection.message)
    return rejection.field.map { StepResult(status: status, fieldMessages: [$0: message]) }
      ?? StepResult(status: status, messages: [message])
  }
}

// What follows an answer.
extension SignIn {
  mutating func move(to next: Step) -> StepResult {
    step = next
    return .moved
  }

  /// Goes to the step that the policy requires next.
  mutating func advance(in org: inout OrgState) -> StepResult {
    guard let accountKey, let account = org.accounts[accountKey] else { return .unchanged }
    let policy = org.settings.policy
    let requirement = SignInRequirement(
      policy: policy, account: account, signIn: self, verified: verifiedOrRemembered(in: org))
    switch requirement {
    case .password: return open(.password(.challenge), in: &org)
    case .newPassword, .expiringPassword:
      return open(.password(operation == nil ? .replace : .reset), in: &org)
    case .challenge(let keys):
      let enrollments = account.user.enrollments
      let candidates = enrollments.indices.filter { keys.contains(enrollments[$0].authenticator) }
      guard candidates.count == 1, operation?.kind != .unlock,
        let authenticator = OrgAuthenticator[enrollments[candidates[0]].authenticator]
      else { return move(to: .selectChallenge) }
      return open(.init(authenticator, .challenge, enrollment: candidates[0]), in: &org)
    case .enrollment: return move(to: .selectEnrollment)
    case .refusal(let message, let status):
      return end(FinalStep(messages: [message], status: status, isRefusal: true))
    case .nothing: break
    }
    if policy.promotesPasskey, !account.has(.webAuthn), !hasSkipped,
      let authenticator = OrgAuthenticator[.webAuthn]
    {
      var challenge = AuthenticatorChallenge(authenticator, .enroll)
      challenge.isPromotion = true
      return open(challenge, in: &org)
    }
    org[accountKey].failures = 0
    let steps = policy.accounts.afterFactors
    if steps.indices.contains(stepsDone.after) {
      return enter(steps[stepsDone.after], at: org.now)
    }
    rememberDevice(isAgreed: remembersDevice, in: &org)
    guard hosted == nil else { return move(to: .succeeded(code: "")) }
    let code = org.random.handle("ic_")
    step = .succeeded(code: code)
    org.tokens.codes[code] = TokenService.IssuedCode(
      requestKey: interaction, expiresAt: org.now.addingTimeInterval(step.lifetime),
      refusedScopes: refusedScopes, subject: account.subject,
      signIn: verified.completed(at: org.now))
    return .moved
  }

  // MARK: - Authenticators

  /// Starts a challenge, or asks for what it needs first.
  mutating func open(_ challenge: AuthenticatorChallenge, in org: inout OrgState) -> StepResult {
    var challenge = challenge
    let isAutomatic = org[accountKey].autoChallenges.contains(challenge.authenticator.key)
    if challenge.purpose == .challenge, isAutomatic {
      let method = challenge.method ?? challenge.authenticator.methods[0]
      challenge.method = method
      if method.value == .push { challenge.device.autoChallenge = true }
    }
    if challenge.authenticator.needsInput(for: challenge, of: org[accountKey], org.settings.policy)
    {
      return move(to: .needsInput(challenge))
    }
    do throws(Rejection) {
      try begin(&challenge, in: &org)
    } catch { return .rejected(error) }
    return move(to: .challenge(challenge))
  }

  /// Creates and sends what a challenge needs; a setup keeps its secret.
  mutating func begin(
    _ challenge: inout AuthenticatorChallenge, in org: inout OrgState
  ) throws(Rejection) {
    let key = challenge.authenticator.key
    if challenge.purpose == .enroll { challenge.sharedSecret = sharedSecrets[key] }
    try challenge.check.begin(&challenge, of: self, in: &org)
    sharedSecrets[key] = challenge.sharedSecret
  }

  /// Checks an answer, and continues if it is correct; `values` is nil if a device or a browser approved.
  mutating func complete(
    _ challenge: AuthenticatorChallenge, with values: JSONValue?, in org: inout OrgState
  ) -> StepResult {
    guard let accountKey else { return .unchanged }
    do throws(Rejection) {
      try verify(values, of: challenge, in: &org)
    } catch { return fail(error, of: accountKey, in: &org) }
    return finishOperation(after: challenge, values, in: &org) ?? advance(in: &org)
  }

  /// Checks an answer, and updates the account; `values` is nil if a device or a browser approved.
  mutating func verify(
    _ values: JSONValue?, of challenge: AuthenticatorChallenge, in org: inout OrgState
  ) throws(Rejection) {
    var answer = CheckAnswer(
      challenge: challenge, values: values, account: org[accountKey], policy: org.settings.policy,
      now: org.now)
    defer { org[accountKey] = answer.account }
    let detail = try challenge.check.verify(&answer)
    if challenge.purpose == .enroll, let detail {
      answer.account.user.enrollments.append(
        .init(authenticator: challenge.authenticator.key, detail: detail))
    }
    verified.add(challenge)
  }

  /// Refuses an answer and counts it; at the limit, the account is locked.
  mutating func fail(
    _ rejection: Rejection, of key: OrgAccount.Key, in org: inout OrgState
  ) -> StepResult {
    guard rejection.isAttempt, org.recordFailure(of: key) else { return .rejected(rejection) }
    isBlocked = true
    return StepResult(status: 429, messages: [.tooManyAttempts])
  }

  // MARK: - Devices

  /// The authenticators that the sign-in has verified, and on a device that is remembered all others that are set up.
  ///
  /// The password is always needed.
  func verifiedOrRemembered(in org: OrgState) -> Set<IDXAuthenticator.Key> {
    guard org.settings.policy.devices?.skipsFactors == true, operation == nil,
      let device = sender.deviceToken, org[accountKey].devices.contains(device)
    else { return verified.keys }
    return verified.keys.union(org[accountKey].user.enrollments.map(\.authenticator))
  }

  /// Remembers the device after a sign-in, and tells the user about a new one.
  func rememberDevice(isAgreed: Bool, in org: inout OrgState) {
    guard let rules = org.settings.policy.devices, let device = sender.deviceToken else { return }
    if rules.sendsMail, !org[accountKey].devices.contains(device) {
      let text = sender.words.text(
        of: "You have signed in from a new device. If that was not you, change your password.")
      let recipient = org[accountKey].user.email
      org.deliver(.init(method: "email", recipient: recipient, code: "", text: text))
    }
    if isAgreed { org[accountKey].devices.insert(device) }
  }

  // MARK: - Recovery, unlock and registration

  /// Starts a recovery or an unlock for this login, or returns why it is refused.
  mutating func begin(
    _ kind: AccountOperation.Kind, for login: String, by method: IDXAuthenticator.Key? = nil,
    in org: OrgState
  ) -> Rejection? {
    let key = OrgAccount.Key(login)
    guard let account = org.known(key) else { return Rejection(.unknownUser, status: 400) }
    let policy = org.settings.policy.accounts
    let methods = (kind == .unlock ? policy.unlock?.methods : policy.recovery?.methods) ?? []
    let candidates = methods.filter(account.has)
    guard ![.suspended, .notAssigned].contains(account.user.status), !candidates.isEmpty,
      method.map(candidates.contains) ?? true
    else {
      return Rejection(kind == .unlock ? .unlockNotAllowed : .recoveryNotAllowed, status: 403)
    }
    accountKey = key
    operation = AccountOperation(kind: kind)
    return nil
  }

  /// Starts what a link was sent for; the link is used then.
  mutating func use(linkToken token: String, in org: inout OrgState) {
    guard let used = org.linkTokens.removeValue(forKey: token) else { return }
    accountKey = used.account
    operation = AccountOperation(kind: used.purpose, isVerifiedByLink: true)
  }

  /// Finishes an operation after its last challenge; nil if the operation, or the sign-in after it,
  /// continues.
  private mutating func finishOperation(
    after challenge: AuthenticatorChallenge, _ values: JSONValue?, in org: inout OrgState
  ) -> StepResult? {
    let policy = org.settings.policy.accounts
    switch operation?.kind {
    case .recovery:
      guard challenge.purpose == .reset else { return nil }
      operation = nil
      if values?["revokeSessions"] == true { org.endEverything(of: accountKey) }
      return policy.recovery?.signsIn ?? true ? nil : end(.recovered)
    case .unlock:
      operation = nil
      org[accountKey].unlock()
      guard policy.unlock?.signsIn == true else { return end(.unlocked) }
      var result = advance(in: &org)
      result.messages.append(.unlockedLanding)
      return result
    case .registration: operation = nil
    case nil: break
    }
    return nil
  }

  // MARK: - Interstitial and final steps

  /// Goes to the first step, after this number of interstitial steps.
  mutating func enterFirstStep(after count: Int, in org: OrgState) {
    let steps = org.settings.policy.accounts.beforeIdentify
    stepBegan = org.now
    guard steps.indices.contains(count) else { return step = .identify }
    step = steps[count].finalStep.map { .final($0) } ?? .interstitial(steps[count])
  }

  mutating func enter(_ next: AccountPolicy.InterstitialStep, at now: Date) -> StepResult {
    if let finalStep = next.finalStep { return end(finalStep) }
    step = .interstitial(next)
    stepBegan = now
    return .moved
  }

  mutating func leaveInterstitial(in org: inout OrgState) -> StepResult {
    guard accountKey == nil else {
      stepsDone.after += 1
      return advance(in: &org)
    }
    let count = org.settings.policy.accounts.beforeIdentify.count
    stepsDone.before = min(stepsDone.before + 1, count)
    enterFirstStep(after: stepsDone.before, in: org)
    return .moved
  }

  /// Applies an answer to an interstitial step.
  mutating func answer(
    _ current: AccountPolicy.InterstitialStep, _ body: JSONValue, at path: String,
    in org: inout OrgState
  ) -> StepResult {
    if path == "/authenticators/poll", let result = continueAfterDevice(in: &org) { return result }
    let form = current.spec(in: document(in: org)).forms.first { $0.path == path }
    switch form?.effect {
    case .next: break
    case .wait(let seconds):
      guard org.now >= stepBegan.addingTimeInterval(seconds) else { return .unchanged }
    case .check(let userCode):
      func plain(_ code: String) -> String {
        code.uppercased().filter { $0.isLetter || $0.isNumber }
      }
      guard plain(body["userCode"]?.string ?? "") == plain(userCode) else {
        return StepResult(status: 400, messages: [.wrongUserCode])
      }
    case .consent(let scopes):
      guard body["consent"] == true else { return end(.consentDenied) }
      refusedScopes.formUnion(scopes.filter { body["optedScopes"]?[$0] != true })
    case .save(let profile):
      let problems = profile.problems(in: body["userProfile"])
      guard problems.isEmpty else { return StepResult(status: 400, fieldMessages: problems) }
      let values = ProfileForm.values(of: body["userProfile"])
      org[accountKey].user.attributes.merge(values) { $1 }
    case .refuse(let message, let status): return StepResult(status: status, messages: [message])
    case .end(let finalStep): return end(finalStep)
    case nil: return .unchanged
    }
    return leaveInterstitial(in: &org)
  }

  mutating func end(_ last: FinalStep) -> StepResult {
    step = .final(last)
    return StepResult(status: last.status, isNewStep: true)
  }

  // MARK: - The response

  func document(in org: OrgState) -> OrgDocument {
    OrgDocument(
      settings: org.settings, signIn: self, account: accountKey.flatMap { org.accounts[$0] },
      verified: verifiedOrRemembered(in: org))
  }

  /// Writes the response and saves it; it determines which requests are accepted.
  mutating func record(_ result: StepResult, in org: inout OrgState) -> OrgResponse {
    updateDeviceRequest(in: &org)
    document = document(in: org).json(result)
    org.save(self)
    return .idx(document, status: result.status)
  }

  /// Whether there were too many wrong answers, in this sign-in or in another one.
  func isBlocked(in org: OrgState) -> Bool {
    isBlocked
      || (org[accountKey].user.status == .locked && !verified.keys.isEmpty && operation == nil)
  }
}

extension OrgState {
  /// Ends a user's other sign-ins and sessions, and removes unused codes.
  fileprivate mutating func endEverything(of key: OrgAccount.Key?) {
    let id = self[key].id
    signIns = signIns.filter { $0.value.accountKey != key }
    tokens.codes = tokens.codes.filter { $0.value.subject.id != id }
    sessions = sessions.filter { $0.value.account != key }
    browserSessions.removeAll { $0.account == key }
  }
}
