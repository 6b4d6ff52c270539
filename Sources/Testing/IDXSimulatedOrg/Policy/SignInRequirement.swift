import IDX

/// What a sign-in needs next: the policy, applied to an account and to what was verified.
enum SignInRequirement {
  case password
  case newPassword
  /// The password expires soon and can be replaced.
  case expiringPassword
  /// Verify one of these.
  case challenge([IDXAuthenticator.Key])
  /// Set up one of these.
  case enrollment([IDXAuthenticator.Key], isOptional: Bool)
  case refusal(Message, status: Int)
  case nothing

  /// What an IDX sign-in needs.
  ///
  /// `verified` are the authenticators that need not be verified any more.
  init(
    policy: SignInPolicy, account: OrgAccount, signIn: SignIn, verified: Set<IDXAuthenticator.Key>
  ) {
    if let requirement = Self(operationOf: signIn, policy: policy, account: account) {
      self = requirement
    } else if signIn.verified.keys.contains(.password) {
      self.init(
        policy: policy, account: account, verified: verified,
        keepsPassword: signIn.keepsPassword, hasSkipped: signIn.hasSkipped)
    } else {
      self = .password
    }
  }

  /// What is needed after the first authenticator, which is usually the password.
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
      self = Self.afterPassword(policy, account, verified, hasSkipped: hasSkipped)
    }
  }

  /// What a recovery, an unlock or a registration needs; nil if there is none.
  init?(operationOf signIn: SignIn, policy: SignInPolicy, account: OrgAccount) {
    guard let operation = signIn.operation else { return nil }
    switch operation.kind {
    case .recovery:
      let rest = policy.accounts.recovery?.missing(
        for: account, verified: signIn.verified.keys, isVerifiedByLink: operation.isVerifiedByLink)
      self = rest.map(SignInRequirement.challenge) ?? .newPassword
    case .unlock: self = .challenge(policy.accounts.unlock?.methods.filter(account.has) ?? [])
    case .registration: self = .enrollment([.password], isOptional: false)
    }
  }

  private static func afterPassword(
    _ policy: SignInPolicy, _ account: OrgAccount, _ verified: Set<IDXAuthenticator.Key>,
    hasSkipped: Bool
  ) -> SignInRequirement {
    let required = policy.required.filter(account.has)
    let optional = policy.optional.filter(account.has)
    let rest =
      required.isEmpty
      ? (verified.isDisjoint(with: optional) ? optional : [])
      : required.filter { !verified.contains($0) }
    guard rest.isEmpty else { return .challenge(rest) }

    func canBeSetUp(_ key: IDXAuthenticator.Key) -> Bool {
      guard !account.has(key), let authenticator = OrgAuthenticator[key] else { return false }
      return authenticator.setUp != .byAdministrator
    }
    let missing = policy.required.filter(canBeSetUp)
    guard missing.isEmpty else { return .enrollment(missing, isOptional: false) }

    let count = (policy.required + policy.optional).count(where: account.has)
    let offered = policy.optional.filter(canBeSetUp)
    let isEnough = policy.enough.map { count >= $0 } ?? false
    return offered.isEmpty || isEnough || hasSkipped
      ? .nothing : .enrollment(offered, isOptional: true)
  }
}

extension AccountPolicy.Recovery {
  /// The authenticators of which a recovery still needs one; nil if it needs no more.
  func missing(
    for account: OrgAccount, verified: Set<IDXAuthenticator.Key>, isVerifiedByLink: Bool = false
  ) -> [IDXAuthenticator.Key]? {
    let methods = methods.filter(account.has)
    guard isVerifiedByLink || !verified.isDisjoint(with: methods) else { return methods }
    let asksSecurityQuestion =
      asksSecurityQuestion && account.has(.securityQuestion)
      && !verified.contains(.securityQuestion)
    return asksSecurityQuestion ? [.securityQuestion] : nil
  }
}
