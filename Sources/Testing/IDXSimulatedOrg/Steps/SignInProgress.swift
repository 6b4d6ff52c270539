import Foundation
import IDX
import IDXBase

// The steps of an IDX sign-in.
extension OrgCore {
  /// Goes to the step that the policy requires next.
  func advance() -> StepResult {
    guard let key = signIn.account, let account = accounts[key] else { return .unchanged }
    let policy = settings.policy
    switch SignInRequirement(policy: policy, account: account, signIn: signIn, proved: proved) {
    case .password: return open(.password(.challenge))
    case .newPassword, .expiringPassword:
      return open(.password(signIn.operation == nil ? .replace : .reset))
    case .challenge(let keys):
      let enrollments = account.user.enrollments
      let candidates = enrollments.indices.filter { keys.contains(enrollments[$0].authenticator) }
      guard candidates.count == 1, signIn.operation?.kind != .unlock,
        let authenticator = OrgAuthenticator[enrollments[candidates[0]].authenticator]
      else {
        signIn.step = .selectChallenge
        return .moved
      }
      return open(.init(authenticator, .challenge, enrollment: candidates[0]))
    case .enrollment:
      signIn.step = .selectEnrollment
      return .moved
    case .refusal(let message, let status):
      return end(FinalStep(messages: [message], status: status, isRefusal: true))
    case .nothing: break
    }
    if policy.promotesPasskey, !account.has(.webAuthn), !signIn.hasSkipped,
      let authenticator = OrgAuthenticator[.webAuthn]
    {
      var challenge = AuthenticatorChallenge(authenticator, .enroll)
      challenge.isPromotion = true
      return open(challenge)
    }
    accounts[key]?.failures = 0
    let steps = policy.accounts.afterFactors
    if steps.indices.contains(signIn.stepsDone.after) {
      return enter(steps[signIn.stepsDone.after])
    }
    rememberDevice(isAgreed: signIn.remembersDevice)
    let code = random.handle("ic_")
    signIn.step = .succeeded(code: code)
    grants[code] = Grant(
      interaction: signIn.interaction,
      expiresAt: now.addingTimeInterval(settings.lifetime(of: signIn.step)),
      refusedScopes: signIn.refusedScopes, subject: TokenSubject(account),
      signIn: CompletedSignIn(signIn.proved, at: now))
    return .moved
  }

  // MARK: - Authenticators

  /// Starts a challenge, or asks for what it needs first.
  func open(_ challenge: AuthenticatorChallenge) -> StepResult {
    var challenge = challenge
    if challenge.purpose == .challenge, account.autoChallenges.contains(challenge.authenticator.key)
    {
      let method = challenge.method ?? challenge.authenticator.methods[0]
      challenge.method = method
      if method.proof is Push { challenge.device.autoChallenge = true }
    }
    if challenge.authenticator.needsInput(for: challenge, in: self) {
      signIn.step = .needsInput(challenge)
      return .moved
    }
    do throws(Rejection) {
      try begin(&challenge)
    } catch { return .rejected(error) }
    signIn.step = .challenge(challenge)
    return .moved
  }

  /// Creates and sends what a challenge needs; a setup keeps its secret.
  func begin(_ challenge: inout AuthenticatorChallenge) throws(Rejection) {
    let key = challenge.authenticator.key
    if challenge.purpose == .enroll { challenge.sharedSecret = signIn.sharedSecrets[key] }
    try challenge.proof.begin(&challenge, in: self)
    signIn.sharedSecrets[key] = challenge.sharedSecret
  }

  /// Checks an answer, and continues if it is correct; `values` is nil if a device or a browser approved.
  func complete(_ challenge: AuthenticatorChallenge, with values: JSONValue?) -> StepResult {
    guard let key = signIn.account else { return .unchanged }
    do throws(Rejection) {
      try verify(values, of: challenge)
    } catch { return fail(error, of: key) }
    return finishOperation(after: challenge, values) ?? advance()
  }

  /// Checks an answer, and updates the account; `values` is nil if a device or a browser approved.
  func verify(_ values: JSONValue?, of challenge: AuthenticatorChallenge) throws(Rejection) {
    var answer = ProofAnswer(
      challenge: challenge, values: values, account: account, policy: settings.policy, now: now)
    defer { account = answer.account }
    let detail = try challenge.proof.verify(&answer)
    if challenge.purpose == .enroll, let detail {
      answer.account.user.enrollments.append(
        .init(authenticator: challenge.authenticator.key, detail: detail))
    }
    signIn.proved.add(challenge)
  }

  /// Refuses an answer and counts it; at the limit, the account is locked.
  func fail(_ rejection: Rejection, of key: OrgAccount.Key) -> StepResult {
    guard rejection.isAttempt, recordFailure(of: key) else { return .rejected(rejection) }
    signIn.isBlocked = true
    return StepResult(status: 429, messages: [.tooManyAttempts])
  }

  /// Counts a wrong answer, and returns whether the account is now locked.
  func recordFailure(of key: OrgAccount.Key) -> Bool {
    var account = account(key)
    account.failures += 1
    let isLast = account.failures == settings.policy.attempts
    if isLast, account.exists { account.user.status = .locked }
    accounts[key] = account
    return isLast
  }

  // MARK: - Recovery, unlock and registration

  /// Starts a recovery or an unlock for this login, or returns why it is refused.
  func begin(
    _ kind: AccountOperation.Kind, for login: String, by method: IDXAuthenticator.Key? = nil
  ) -> Rejection? {
    let key = OrgAccount.Key(login)
    guard let account = accounts[key], account.exists else {
      return Rejection(.unknownUser, status: 400)
    }
    let policy = settings.policy.accounts
    let methods = (kind == .unlock ? policy.unlock?.methods : policy.recovery?.methods) ?? []
    let candidates = methods.filter(account.has)
    guard ![.suspended, .notAssigned].contains(account.user.status), !candidates.isEmpty,
      method.map(candidates.contains) ?? true
    else {
      return Rejection(kind == .unlock ? .unlockNotAllowed : .recoveryNotAllowed, status: 403)
    }
    signIn.account = key
    signIn.operation = AccountOperation(kind: kind)
    return nil
  }

  /// Finishes an operation after its last challenge; nil if the operation, or the sign-in after it,
  /// continues.
  private func finishOperation(
    after challenge: AuthenticatorChallenge, _ values: JSONValue?
  ) -> StepResult? {
    let policy = settings.policy.accounts
    switch signIn.operation?.kind {
    case .recovery:
      guard challenge.purpose == .reset else { return nil }
      signIn.operation = nil
      if values?["revokeSessions"] == true { endSessions() }
      return policy.recovery?.signsIn ?? true ? nil : end(.recovered)
    case .unlock:
      signIn.operation = nil
      unlockAccount()
      guard policy.unlock?.signsIn == true else { return end(.unlocked) }
      var result = advance()
      result.messages.append(.unlockedLanding)
      return result
    case .registration: signIn.operation = nil
    case nil: break
    }
    return nil
  }

  func unlockAccount() {
    account.failures = 0
    if account.user.status == .locked { account.user.status = .active }
  }

  /// Ends the user's other sign-ins, and removes unused codes.
  private func endSessions() {
    let (key, id) = (signIn.account, account.id)
    signIns = signIns.filter { $0.value.account != key }
    grants = grants.filter { $0.value.subject.id != id }
    sessions = sessions.filter { $0.value.account != key }
  }

  // MARK: - Interstitial and final steps

  /// The first step of a sign-in, after this number of interstitial steps.
  func firstStep(after count: Int) -> SignIn.Step {
    let steps = settings.policy.accounts.beforeIdentify
    guard steps.indices.contains(count) else { return .identify }
    return steps[count].finalStep.map { .final($0) } ?? .interstitial(steps[count])
  }

  func enter(_ step: AccountPolicy.InterstitialStep) -> StepResult {
    if let finalStep = step.finalStep { return end(finalStep) }
    signIn.step = .interstitial(step)
    signIn.stepBegan = now
    return .moved
  }

  func leaveInterstitial() -> StepResult {
    guard signIn.account == nil else {
      signIn.stepsDone.after += 1
      return advance()
    }
    let count = settings.policy.accounts.beforeIdentify.count
    signIn.stepsDone.before = min(signIn.stepsDone.before + 1, count)
    signIn.step = firstStep(after: signIn.stepsDone.before)
    signIn.stepBegan = now
    return .moved
  }

  /// Applies an answer to an interstitial step.
  func answer(
    _ step: AccountPolicy.InterstitialStep, _ body: JSONValue, at path: String
  ) -> StepResult {
    if path == "/authenticators/poll", let result = continueAfterDevice() { return result }
    let form = step.spec(in: document).forms.first { $0.path == path }
    switch form?.effect {
    case .next: break
    case .wait(let seconds):
      guard now >= signIn.stepBegan.addingTimeInterval(seconds) else { return .unchanged }
    case .check(let userCode):
      func plain(_ code: String) -> String {
        code.uppercased().filter { $0.isLetter || $0.isNumber }
      }
      guard plain(body["userCode"]?.string ?? "") == plain(userCode) else {
        return StepResult(status: 400, messages: [.wrongUserCode])
      }
    case .consent(let scopes):
      guard body["consent"] == true else { return end(.consentDenied) }
      signIn.refusedScopes.formUnion(scopes.filter { body["optedScopes"]?[$0] != true })
    case .save(let profile):
      let problems = profile.problems(in: body["userProfile"])
      guard problems.isEmpty else { return StepResult(status: 400, fieldMessages: problems) }
      account.user.attributes.merge(ProfileForm.values(of: body["userProfile"])) { $1 }
    case .refuse(let message, let status): return StepResult(status: status, messages: [message])
    case .end(let finalStep): return end(finalStep)
    case nil: return .unchanged
    }
    return leaveInterstitial()
  }

  func end(_ step: FinalStep) -> StepResult {
    signIn.step = .final(step)
    return StepResult(status: step.status, isNewStep: true)
  }
}
