import IDX

/// What a sign-in still needs: the policy, applied to an account and what it has proved.
enum SignInDemand {
  case password
  case newPassword
  /// The password expires soon and may be replaced.
  case expiringPassword
  /// One of these must be proved.
  case challenge([Authenticator.Key])
  /// One of these must, or may, be set up.
  case enrollment([Authenticator.Key], isOptional: Bool)
  case refusal(OrgMessage, status: Int)
  case nothing

  init(policy: SignInPolicy, account: OrgAccount, transaction: OrgTransaction) {
    if let demand = Self(errandOf: transaction, policy: policy, account: account) {
      self = demand
      return
    }
    let verified = transaction.verified
    guard verified.contains(.password) else {
      self = .password
      return
    }
    switch account.user.status {
    case .suspended: self = .refusal(.accessDenied, status: 403)
    case .notAssigned: self = .refusal(.notAssigned, status: 400)
    case .passwordExpired: self = .newPassword
    case .active where account.user.daysToPasswordExpiry != nil && !transaction.keepsPassword:
      self = .expiringPassword
    case .active, .locked: self = Self.beyondPassword(policy, account, transaction)
    }
  }

  private static func beyondPassword(
    _ policy: SignInPolicy, _ account: OrgAccount, _ transaction: OrgTransaction
  ) -> SignInDemand {
    let challenges = challenges(policy, account, transaction.verified)
    guard challenges.isEmpty else { return .challenge(challenges) }

    let missing = policy.required.filter { canBeSetUp($0, by: account) }
    guard missing.isEmpty else { return .enrollment(missing, isOptional: false) }

    let known = policy.required + policy.optional
    let isEnough = policy.enough.map { known.count(where: account.has) >= $0 } ?? false
    let offered = policy.optional.filter { canBeSetUp($0, by: account) }
    guard !offered.isEmpty, !isEnough, !transaction.hasSkipped else { return .nothing }
    return .enrollment(offered, isOptional: true)
  }

  private static func canBeSetUp(_ key: Authenticator.Key, by account: OrgAccount) -> Bool {
    !account.has(key) && OrgAuthenticators[key]?.canBeSetUp == true
  }

  private static func challenges(
    _ policy: SignInPolicy, _ account: OrgAccount, _ verified: Set<Authenticator.Key>
  ) -> [Authenticator.Key] {
    let required = policy.required.filter(account.has)
    if !required.isEmpty { return required.filter { !verified.contains($0) } }
    let optional = policy.optional.filter(account.has)
    return verified.isDisjoint(with: optional) ? optional : []
  }
}
