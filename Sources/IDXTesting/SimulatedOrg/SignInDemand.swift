import IDX

/// What a sign-in still needs: the policy, applied to an account and what it has proved.
enum SignInDemand {
  case password
  case newPassword
  /// The password expires soon and may be replaced.
  case expiringPassword
  /// One of these must be proved.
  case challenge([IDXAuthenticator.Key])
  /// One of these must, or may, be set up.
  case enrollment([IDXAuthenticator.Key], isOptional: Bool)
  case refusal(OrgMessage, status: Int)
  case nothing

  init(policy: SignInPolicy, account: OrgAccount, transaction: OrgTransaction) {
    if let demand = Self(errandOf: transaction, policy: policy, account: account) {
      self = demand
      return
    }
    guard transaction.verified.contains(.password) else {
      self = .password
      return
    }
    self.init(
      policy: policy, account: account, verified: transaction.verified,
      keepsPassword: transaction.keepsPassword, hasSkipped: transaction.hasSkipped)
  }

  /// What is needed once a first authenticator was proved, mostly the password.
  init(
    policy: SignInPolicy, account: OrgAccount, verified: Set<IDXAuthenticator.Key>,
    keepsPassword: Bool, hasSkipped: Bool
  ) {
    let usesPassword = verified.contains(.password)
    let isExpiring = account.user.daysToPasswordExpiry != nil && !keepsPassword
    switch account.user.status {
    case .suspended: self = .refusal(.accessDenied, status: 403)
    case .notAssigned: self = .refusal(.notAssigned, status: 400)
    case .passwordExpired where usesPassword: self = .newPassword
    case .active where usesPassword && isExpiring: self = .expiringPassword
    case .active, .locked, .passwordExpired:
      self = Self.beyondFirst(policy, account, verified, hasSkipped: hasSkipped)
    }
  }

  private static func beyondFirst(
    _ policy: SignInPolicy, _ account: OrgAccount, _ verified: Set<IDXAuthenticator.Key>,
    hasSkipped: Bool
  ) -> SignInDemand {
    let challenges = challenges(policy, account, verified)
    guard challenges.isEmpty else { return .challenge(challenges) }

    let missing = policy.required.filter { canBeSetUp($0, by: account) }
    guard missing.isEmpty else { return .enrollment(missing, isOptional: false) }

    let known = policy.required + policy.optional
    let isEnough = policy.enough.map { known.count(where: account.has) >= $0 } ?? false
    let offered = policy.optional.filter { canBeSetUp($0, by: account) }
    guard !offered.isEmpty, !isEnough, !hasSkipped else { return .nothing }
    return .enrollment(offered, isOptional: true)
  }

  private static func canBeSetUp(_ key: IDXAuthenticator.Key, by account: OrgAccount) -> Bool {
    !account.has(key) && OrgAuthenticators[key]?.canBeSetUp == true
  }

  private static func challenges(
    _ policy: SignInPolicy, _ account: OrgAccount, _ verified: Set<IDXAuthenticator.Key>
  ) -> [IDXAuthenticator.Key] {
    let required = policy.required.filter(account.has)
    if !required.isEmpty { return required.filter { !verified.contains($0) } }
    let optional = policy.optional.filter(account.has)
    return verified.isDisjoint(with: optional) ? optional : []
  }
}
