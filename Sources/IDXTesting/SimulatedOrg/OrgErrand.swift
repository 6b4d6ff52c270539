import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a sign-in is about besides signing in, until that is done.
struct OrgErrand: Sendable {
  enum Kind: Sendable {
    case recovery, unlock, registration
  }

  let kind: Kind
  /// Whether the link that began it has proved already who it is.
  var isProved = false
}

extension OrgTransaction {
  /// Where a sign-in stands that is about no authenticator.
  enum AccountStep: Sendable {
    /// Whose account is recovered or unlocked?
    case identify
    /// Whose account is unlocked, and with which authenticator?
    case selectUnlock
    /// Who registers?
    case profile
    case station(AccountPolicy.Station)
    case ended(OrgEnd)
  }

  /// The station that it stands at; nil elsewhere.
  var station: AccountPolicy.Station? {
    if case .account(.station(let station)) = step { station } else { nil }
  }
}

extension SignInDemand {
  /// What an errand needs; nil where there is none, or where it needs no more.
  init?(errandOf transaction: OrgTransaction, policy: SignInPolicy, account: OrgAccount) {
    let verified = transaction.verified
    switch transaction.errand?.kind {
    case .recovery:
      let recovery = policy.accounts.recovery
      let methods = recovery?.methods.filter(account.hasEnrolled) ?? []
      let isProved = transaction.errand?.isProved == true || !verified.isDisjoint(with: methods)
      if !isProved {
        self = .challenge(methods)
      } else if recovery?.asksQuestion == true, account.hasEnrolled(.securityQuestion),
        !verified.contains(.securityQuestion)
      {
        self = .challenge([.securityQuestion])
      } else {
        self = .newPassword
      }
    case .unlock:
      self = .challenge(policy.accounts.unlock?.methods.filter(account.hasEnrolled) ?? [])
    case .registration:
      self = .enrollment([.password], isOptional: false)
    case nil: return nil
    }
  }
}

extension OrgAccount {
  func hasEnrolled(_ key: IDXAuthenticator.Key) -> Bool { user.enrollment(of: key) != nil }

  /// Whether there is a password: who registers has none at first.
  var hasPassword: Bool { !exists || !user.password.revealed.isEmpty }
}

// How errands begin and end.
extension OrgCore {
  /// Takes up an errand for the user of this name, or says why not.
  mutating func take(
    _ kind: OrgErrand.Kind, for login: String, by method: IDXAuthenticator.Key? = nil,
    _ transaction: inout OrgTransaction
  ) -> OrgOutcome? {
    let key = OrgAccount.Key(login)
    guard let account = accounts[key], account.exists else {
      return OrgOutcome(status: 400, messages: [.unknownUser])
    }
    let accountPolicy = settings.policy.accounts
    let isUnlock = kind == .unlock
    let methods = (isUnlock ? accountPolicy.unlock?.methods : accountPolicy.recovery?.methods) ?? []
    let candidates = methods.filter(account.hasEnrolled)
    let isAllowed =
      ![.suspended, .notAssigned].contains(account.user.status) && !candidates.isEmpty
      && method.map(candidates.contains) ?? true
    guard isAllowed else {
      return OrgOutcome(
        status: 403, messages: [isUnlock ? .unlockNotAllowed : .recoveryNotAllowed])
    }
    transaction.account = key
    transaction.errand = OrgErrand(kind: kind)
    return nil
  }

  /// Goes where the sign-in ends.
  mutating func end(_ end: OrgEnd, _ transaction: inout OrgTransaction) -> OrgOutcome {
    transaction.step = .account(.ended(end))
    return OrgOutcome(status: end.status, isStep: true)
  }

  /// What follows from an authenticator that was proved on an errand; nil where the errand, or the
  /// sign-in after it, goes on.
  mutating func conclude(
    _ ceremony: Ceremony, with credentials: JSONValue, _ transaction: inout OrgTransaction
  ) -> OrgOutcome? {
    guard let kind = transaction.errand?.kind, let key = transaction.account else { return nil }
    switch kind {
    case .recovery:
      guard ceremony.purpose == .reset else { return nil }
      transaction.errand = nil
      if credentials["revokeSessions"] == true { endSessions(of: key) }
      let signsIn = settings.policy.accounts.recovery?.signsIn ?? true
      return signsIn ? nil : end(.recovered, &transaction)
    case .unlock:
      transaction.errand = nil
      unlockAccount(key)
      guard settings.policy.accounts.unlock?.signsIn == true else {
        return end(.unlocked, &transaction)
      }
      var outcome = advance(&transaction)
      outcome.messages.append(.unlockedLanding)
      return outcome
    case .registration:
      transaction.errand = nil
      return nil
    }
  }

  /// Lets a user in again, whose wrong answers are forgotten.
  mutating func unlockAccount(_ key: OrgAccount.Key) {
    accounts[key]?.failures = 0
    if accounts[key]?.user.status == .locked { accounts[key]?.user.status = .active }
  }

  /// Drops the other sign-ins of a user, and codes of theirs that were not used.
  private mutating func endSessions(of key: OrgAccount.Key) {
    transactions = transactions.filter { $0.value.account != key }
    let id = accounts[key]?.id
    grants = grants.filter { $0.value.person.id != id }
    sessions = sessions.filter { $0.value.account != key }
    direct.end(of: key)
  }
}
