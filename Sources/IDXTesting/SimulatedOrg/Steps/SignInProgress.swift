import IDX
import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// How an IDX sign-in moves from step to step.
extension OrgCore {
  /// Goes to the step that the policy requires next.
  mutating func advance(_ transaction: inout OrgTransaction) -> StepResult {
    guard let key = transaction.account, let account = accounts[key] else { return .unchanged }
    let requirement = SignInRequirement(
      policy: settings.policy, account: account, transaction: transaction)
    switch requirement {
    case .password: return open(.password(.challenge), &transaction)
    case .newPassword, .expiringPassword:
      return open(.password(transaction.operation == nil ? .replace : .reset), &transaction)
    case .challenge(let keys):
      let candidates = account.user.enrollments.indices.filter {
        keys.contains(account.user.enrollments[$0].authenticator)
      }
      guard candidates.count == 1, transaction.operation?.kind != .unlock,
        let authenticator = OrgAuthenticator[account.user.enrollments[candidates[0]].authenticator]
      else {
        transaction.step = .selectChallenge
        return .moved
      }
      var challenge = AuthenticatorChallenge(authenticator, .challenge)
      challenge.enrollment = candidates[0]
      return open(challenge, &transaction)
    case .enrollment:
      transaction.step = .selectEnrollment
      return .moved
    case .refusal(let message, let status):
      return end(
        FinalStep(messages: [message], status: status, isRefusal: true), &transaction)
    case .nothing: break
    }
    if settings.policy.promotesPasskey, !account.has(.webAuthn), !transaction.hasSkipped,
      let authenticator = OrgAuthenticator[.webAuthn]
    {
      var challenge = AuthenticatorChallenge(authenticator, .enroll)
      challenge.isPromotion = true
      return open(challenge, &transaction)
    }
    accounts[key]?.failures = 0
    let steps = settings.policy.accounts.afterFactors
    if steps.indices.contains(transaction.stepsDoneAfter) {
      return enter(steps[transaction.stepsDoneAfter], &transaction)
    }
    let code = random.handle("ic_")
    transaction.step = .succeeded(code: code)
    grants[code] = Grant(
      interaction: transaction.interaction,
      expiresAt: now.addingTimeInterval(settings.lifetime(of: transaction.step)),
      refusedScopes: transaction.refusedScopes, subject: TokenSubject(account),
      signIn: CompletedSignIn(transaction.proved, at: now))
    return .moved
  }

  // MARK: - Authenticators

  /// Begins a challenge, or asks for what it needs first.
  mutating func open(
    _ challenge: AuthenticatorChallenge, _ transaction: inout OrgTransaction
  ) -> StepResult {
    guard let account = transaction.account.flatMap({ accounts[$0] }) else { return .unchanged }
    var challenge = challenge
    let key = challenge.authenticator.key
    if challenge.purpose == .challenge, account.autoChallenges.contains(key) {
      let method = challenge.method ?? challenge.authenticator.methods[0]
      challenge.method = method
      if method.proof is Push { challenge.device.autoChallenge = true }
    }
    let rules = settings.policy.factors
    if challenge.authenticator.needsInput(for: challenge, of: account, rules: rules) {
      transaction.step = .needsInput(challenge)
      return .moved
    }
    do throws(Rejection) {
      try begin(&challenge, for: account.user, &transaction)
    } catch { return .rejected(error) }
    transaction.step = .challenge(challenge)
    return .moved
  }

  /// Makes and sends what a challenge needs. A set-up keeps the secret that it had before.
  mutating func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser,
    _ transaction: inout OrgTransaction
  ) throws(Rejection) {
    let key = challenge.authenticator.key
    if challenge.purpose == .enroll { challenge.sharedSecret = transaction.sharedSecrets[key] }
    try challenge.proof.begin(&challenge, for: user, in: &self)
    transaction.sharedSecrets[key] = challenge.sharedSecret
  }

  /// Checks an answer, and continues if it is right; nil if a device or a browser has approved.
  mutating func complete(
    _ challenge: AuthenticatorChallenge, with answer: JSONValue?, of key: OrgAccount.Key,
    _ transaction: inout OrgTransaction
  ) -> StepResult {
    do throws(Rejection) {
      try verify(answer, of: challenge, by: key)
    } catch { return fail(error, key, &transaction) }
    transaction.proved.add(challenge)
    return finishOperation(after: challenge, answer, &transaction) ?? advance(&transaction)
  }

  /// Checks an answer, and changes the account as the answer requires.
  mutating func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by key: OrgAccount.Key
  ) throws(Rejection) {
    var account = account(key)
    defer { accounts[key] = account }
    let detail = try challenge.proof.verify(answer, of: challenge, by: &account, in: self)
    if challenge.purpose == .enroll, let detail {
      account.user.enrollments.append(
        SimulatedUser.Enrollment(authenticator: challenge.authenticator.key, detail: detail))
    }
  }

  /// Refuses an answer and counts it; the last one that is allowed locks the account.
  mutating func fail(
    _ rejection: Rejection, _ key: OrgAccount.Key, _ transaction: inout OrgTransaction
  ) -> StepResult {
    guard rejection.isAttempt, recordFailure(of: key) else { return .rejected(rejection) }
    transaction.isBlocked = true
    return StepResult(status: 429, messages: [.tooManyAttempts])
  }

  /// Counts a wrong answer, and returns whether the account is now locked.
  mutating func recordFailure(of key: OrgAccount.Key) -> Bool {
    var account = account(key)
    account.failures += 1
    let isLast = account.failures == settings.policy.attempts
    if isLast, account.exists { account.user.status = .locked }
    accounts[key] = account
    return isLast
  }

  // MARK: - Interstitial and final steps

  /// The step that a sign-in begins with, after so many interstitial steps.
  func firstStep(after count: Int) -> OrgTransaction.Step {
    let steps = settings.policy.accounts.beforeIdentify
    guard steps.indices.contains(count) else { return .identify }
    return steps[count].finalStep.map { .final($0) } ?? .interstitial(steps[count])
  }

  mutating func enter(
    _ step: AccountPolicy.InterstitialStep, _ transaction: inout OrgTransaction
  ) -> StepResult {
    if let finalStep = step.finalStep { return end(finalStep, &transaction) }
    transaction.step = .interstitial(step)
    transaction.stepBegan = now
    return .moved
  }

  /// Continues after an interstitial step.
  mutating func leaveInterstitial(_ transaction: inout OrgTransaction) -> StepResult {
    guard transaction.account == nil else {
      transaction.stepsDoneAfter += 1
      return advance(&transaction)
    }
    let count = settings.policy.accounts.beforeIdentify.count
    transaction.stepsDoneBefore = min(transaction.stepsDoneBefore + 1, count)
    transaction.step = firstStep(after: transaction.stepsDoneBefore)
    transaction.stepBegan = now
    return .moved
  }

  /// Does what follows from an answer to an interstitial step.
  mutating func answer(
    _ step: AccountPolicy.InterstitialStep, _ body: JSONValue, at path: String,
    _ transaction: inout OrgTransaction
  ) -> StepResult {
    let spec = step.spec(in: document(of: transaction))
    guard let form = spec.forms.first(where: { $0.path == path }) else { return .unchanged }
    switch form.effect {
    case .next: break
    case .wait(let seconds):
      guard now >= transaction.stepBegan.addingTimeInterval(seconds) else { return .unchanged }
    case .check(let userCode):
      func plain(_ code: String) -> String {
        code.uppercased().filter { $0.isLetter || $0.isNumber }
      }
      guard plain(body["userCode"]?.string ?? "") == plain(userCode) else {
        return StepResult(status: 400, messages: [.wrongUserCode])
      }
    case .consent(let scopes):
      guard body["consent"] == true else { return end(.consentDenied, &transaction) }
      transaction.refusedScopes.formUnion(scopes.filter { body["optedScopes"]?[$0] != true })
    case .keep(let profile):
      let problems = profile.problems(in: body["userProfile"])
      guard problems.isEmpty else { return StepResult(status: 400, fieldMessages: problems) }
      if let key = transaction.account {
        let values = ProfileForm.values(of: body["userProfile"])
        accounts[key]?.user.attributes.merge(values) { $1 }
      }
    case .refuse(let message, let status): return StepResult(status: status, messages: [message])
    case .end(let finalStep): return end(finalStep, &transaction)
    }
    return leaveInterstitial(&transaction)
  }

  mutating func end(_ step: FinalStep, _ transaction: inout OrgTransaction) -> StepResult {
    transaction.step = .final(step)
    return StepResult(status: step.status, isNewStep: true)
  }
}
