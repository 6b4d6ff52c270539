import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// How a sign-in moves from step to step.
extension OrgCore {
  /// Goes to the step that the policy demands next.
  mutating func advance(_ transaction: inout OrgTransaction) -> OrgOutcome {
    guard let key = transaction.account, let account = accounts[key] else { return OrgOutcome() }
    let demand = SignInDemand(policy: settings.policy, account: account, transaction: transaction)
    switch demand {
    case .password:
      let ceremony = Ceremony(authenticator: .password, purpose: .challenge)
      return open(ceremony, wasChosen: false, &transaction)
    case .newPassword, .expiringPassword:
      let ceremony = Ceremony(
        authenticator: .password, purpose: transaction.errand == nil ? .replace : .reset)
      return open(ceremony, wasChosen: false, &transaction)
    case .challenge(let keys):
      let candidates = account.user.enrollments.indices.filter {
        keys.contains(account.user.enrollments[$0].authenticator)
      }
      guard candidates.count == 1, transaction.errand?.kind != .unlock, let key = keys.first else {
        transaction.step = .selectChallenge
        return .step
      }
      let ceremony = Ceremony(
        authenticator: key, purpose: .challenge, enrollment: candidates.first)
      return open(ceremony, wasChosen: false, &transaction)
    case .enrollment:
      transaction.step = .selectEnrollment
    case .refusal(let message, let status):
      transaction.step = .refused(message)
      return OrgOutcome(status: status, isStep: true)
    case .nothing:
      if let ceremony = passkeyPromotion(for: account, transaction) {
        return open(ceremony, wasChosen: false, &transaction)
      }
      accounts[key]?.failures = 0
      if let outcome = nextStation(&transaction) { return outcome }
      let code = random.handle("ic_")
      transaction.step = .succeeded(code: code)
      let expiresAt = now.addingTimeInterval(settings.lifetime(of: transaction.step))
      grants[code] = Grant(
        interaction: transaction.interaction, expiresAt: expiresAt,
        refusedScopes: transaction.refusedScopes, person: OrgPerson(account),
        signIn: OrgSignIn(of: transaction, at: now))
    }
    return .step
  }

  /// Begins a ceremony, or asks for what it lacks.
  mutating func open(
    _ ceremony: Ceremony, wasChosen: Bool, _ transaction: inout OrgTransaction
  ) -> OrgOutcome {
    guard let kind = OrgAuthenticators[ceremony.authenticator],
      let account = transaction.account.flatMap({ accounts[$0] })
    else { return OrgOutcome() }
    var ceremony = ceremony
    if ceremony.purpose == .challenge { kind.prepare(&ceremony, for: account) }
    let asksConsent =
      !ceremony.isConfirmed
      && kind.asksConsent(to: ceremony, of: account, rules: settings.policy.factors)
    if asksConsent || kind.missingData(for: ceremony, wasChosen: wasChosen) != nil {
      transaction.step = .needsData(ceremony)
      return .step
    }
    if ceremony.purpose == .enroll {
      ceremony.sharedSecret = transaction.sharedSecrets[ceremony.authenticator]
    }
    if let rejection = kind.begin(&ceremony, for: account.user, in: &self) {
      return .rejected(rejection)
    }
    transaction.sharedSecrets[ceremony.authenticator] = ceremony.sharedSecret
    transaction.step = .ceremony(ceremony)
    return .step
  }

  /// Takes an authenticator as proved and goes on.
  mutating func complete(
    _ ceremony: Ceremony, with credentials: JSONValue, _ transaction: inout OrgTransaction
  ) -> OrgOutcome {
    guard let key = transaction.account, accounts[key] != nil else { return OrgOutcome() }
    accept(ceremony, with: credentials, by: key, in: &transaction)
    return conclude(ceremony, with: credentials, &transaction) ?? advance(&transaction)
  }

  /// Takes an authenticator as proved.
  mutating func accept(
    _ ceremony: Ceremony, with credentials: JSONValue, by key: OrgAccount.Key,
    in transaction: inout OrgTransaction
  ) {
    settle(ceremony, with: credentials, by: key)
    transaction.verified.insert(ceremony.authenticator)
    if let method = ceremony.method { transaction.methods.insert(method) }
  }

  /// Puts into the account what follows from an authenticator that was proved.
  mutating func settle(_ ceremony: Ceremony, with credentials: JSONValue, by key: OrgAccount.Key) {
    guard var account = accounts[key] else { return }
    OrgAuthenticators[ceremony.authenticator]?
      .settle(ceremony, credentials: credentials, in: &account, at: now)
    accounts[key] = account
  }

  /// Refuses an answer and counts it; the last one that is allowed locks the account.
  mutating func fail(
    _ rejection: Rejection, _ key: OrgAccount.Key, _ account: OrgAccount,
    _ transaction: inout OrgTransaction
  ) -> OrgOutcome {
    guard rejection.isAttempt, countFailure(of: key, account) else { return .rejected(rejection) }
    transaction.isBlocked = true
    return OrgOutcome(status: 429, messages: [.tooManyAttempts])
  }

  /// Counts a wrong answer and returns whether it was the last: then the account is locked.
  mutating func countFailure(of key: OrgAccount.Key, _ account: OrgAccount) -> Bool {
    var account = account
    account.failures += 1
    let isLast = account.failures == settings.policy.attempts
    if isLast, account.exists { account.user.status = .locked }
    accounts[key] = account
    return isLast
  }
}

extension OrgAccount {
  /// The id of an enrolment, by its position in the user's; the password has an id of its own.
  func enrollmentID(at index: Int?) -> String {
    let login = user.login.lowercased()
    guard let index, user.enrollments.indices.contains(index) else {
      return OrgSettings.id("lae", login)
    }
    let key = user.enrollments[index].authenticator
    let prefix = OrgAuthenticators[key]?.enrollmentPrefix ?? "enr"
    return OrgSettings.id(prefix, login, key.rawValue, String(index))
  }
}
