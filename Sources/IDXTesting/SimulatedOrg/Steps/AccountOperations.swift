import IDX
import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a sign-in does besides signing in.
struct AccountOperation: Sendable {
  enum Kind: Sendable {
    case recovery, unlock, registration
  }

  let kind: Kind
  /// Whether the link that began it has proved already who the user is.
  var isProvedByLink = false
}

extension OrgCore {
  /// Begins a recovery or an unlock for the user of this name, or says why not.
  mutating func begin(
    _ kind: AccountOperation.Kind, for login: String, by method: IDXAuthenticator.Key? = nil,
    _ transaction: inout OrgTransaction
  ) -> StepResult? {
    let key = OrgAccount.Key(login)
    guard let account = accounts[key], account.exists else {
      return StepResult(status: 400, messages: [.unknownUser])
    }
    let policy = settings.policy.accounts
    let isUnlock = kind == .unlock
    let methods = (isUnlock ? policy.unlock?.methods : policy.recovery?.methods) ?? []
    let candidates = methods.filter(account.has)
    guard ![.suspended, .notAssigned].contains(account.user.status), !candidates.isEmpty,
      method.map(candidates.contains) ?? true
    else {
      return StepResult(
        status: 403, messages: [isUnlock ? .unlockNotAllowed : .recoveryNotAllowed])
    }
    transaction.account = key
    transaction.operation = AccountOperation(kind: kind)
    return nil
  }

  /// Finishes an operation after the challenge that ends it; nil if the operation, or the sign-in
  /// after it, goes on.
  mutating func finishOperation(
    after challenge: AuthenticatorChallenge, _ answer: JSONValue?,
    _ transaction: inout OrgTransaction
  ) -> StepResult? {
    guard let kind = transaction.operation?.kind, let key = transaction.account else { return nil }
    switch kind {
    case .recovery:
      guard challenge.purpose == .reset else { return nil }
      transaction.operation = nil
      if answer?["revokeSessions"] == true { endSessions(of: key) }
      let signsIn = settings.policy.accounts.recovery?.signsIn ?? true
      return signsIn ? nil : end(.recovered, &transaction)
    case .unlock:
      transaction.operation = nil
      unlockAccount(key)
      guard settings.policy.accounts.unlock?.signsIn == true else {
        return end(.unlocked, &transaction)
      }
      var result = advance(&transaction)
      result.messages.append(.unlockedLanding)
      return result
    case .registration:
      transaction.operation = nil
      return nil
    }
  }

  /// Unlocks an account, and forgets its wrong answers.
  mutating func unlockAccount(_ key: OrgAccount.Key) {
    accounts[key]?.failures = 0
    if accounts[key]?.user.status == .locked { accounts[key]?.user.status = .active }
  }

  /// Ends a user's other sign-ins, and drops codes that were not used.
  private mutating func endSessions(of key: OrgAccount.Key) {
    transactions = transactions.filter { $0.value.account != key }
    let id = accounts[key]?.id
    grants = grants.filter { $0.value.subject.id != id }
    sessions = sessions.filter { $0.value.account != key }
    direct.end(of: key)
  }
}

// MARK: - Links

/// What the link of a mail stands for.
struct LinkToken: Sendable {
  let account: OrgAccount.Key
  let purpose: AccountOperation.Kind
  /// Never, if an administrator has sent it.
  var expiresAt = Date.distantFuture

  /// For how many seconds a link is valid that a user has requested.
  static let lifetime: TimeInterval = 60 * 60

  /// The parameters of `/interact` that have a token.
  static let parameters: [String: AccountOperation.Kind] = [
    "recovery_token": .recovery, "activation_token": .registration,
  ]
}

extension OrgCore {
  mutating func issueLinkToken(
    for login: String, purpose: AccountOperation.Kind, until expiresAt: Date = .distantFuture
  ) -> Secret? {
    let key = OrgAccount.Key(login)
    guard accounts[key]?.exists == true else { return nil }
    let token = random.handle("lt_")
    linkTokens[token] = LinkToken(account: key, purpose: purpose, expiresAt: expiresAt)
    return Secret(token)
  }

  /// What a token stands for; nil if it is unknown, used or expired.
  func linkToken(_ token: String) -> LinkToken? {
    linkTokens[token].flatMap { now < $0.expiresAt ? $0 : nil }
  }

  /// Throws if `/interact` has a token that is not valid.
  func checkLinkTokens(in form: [String: String]) throws(Refusal) {
    for (name, purpose) in LinkToken.parameters {
      if let token = form[name], linkToken(token)?.purpose != purpose {
        throw .oauth("invalid_request", "The \(name) is invalid.")
      }
    }
  }

  /// Uses up the token with which a sign-in begins, and goes to the step that it leads to.
  mutating func useLinkToken(in form: [String: String], at stateHandle: String) {
    for name in LinkToken.parameters.keys {
      guard let token = form[name].flatMap({ linkTokens.removeValue(forKey: $0) }),
        var transaction = transactions[stateHandle]
      else { continue }
      transaction.account = token.account
      transaction.operation = AccountOperation(kind: token.purpose, isProvedByLink: true)
      _ = advance(&transaction)
      transactions[stateHandle] = transaction
    }
  }
}
