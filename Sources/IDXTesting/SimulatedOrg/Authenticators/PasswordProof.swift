import IDX
import IDXBase

/// The password: given as it is, or replaced by a new one.
struct PasswordProof: Proof {
  func credentials(
    for challenge: AuthenticatorChallenge, of user: SimulatedUser
  ) -> Remediation.Field.Draft {
    let label = challenge.purpose == .challenge ? "Password" : "New password"
    let sessions = Remediation.Field.Draft(
      "revokeSessions", label: "Sign me out of all other devices", type: .boolean)
    return .init(
      "credentials",
      form: [.init("passcode", label: label, isRequired: true, isSecret: true)]
        + (challenge.purpose == .reset ? [sessions] : []))
  }

  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue {
    guard challenge.purpose == .challenge else {
      return ["settings": document.settings.policy.passwordSettings(for: user)]
    }
    guard document.settings.policy.accounts.recovery != nil else { return [:] }
    return ["recover": document.form(.recover, "/recover").json]
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let password = answer?["passcode"]?.string ?? ""
    let policy = org.settings.policy
    if challenge.purpose == .challenge {
      guard account.isOpen, password == account.user.password.revealed else {
        throw Rejection(.incorrectPassword)
      }
      return nil
    }
    if challenge.purpose == .replace, policy.accounts.passwordSite != nil {
      throw Rejection(.passwordElsewhere, status: 403, isAttempt: false)
    }
    guard !account.oldPasswords.contains(Secret(password)),
      policy.passwordRules.allow(password, for: account.user)
    else {
      throw Rejection(
        .weakPassword, status: 400, field: "credentials.passcode", isAttempt: false)
    }
    account.oldPasswords.insert(account.user.password)
    account.user.password = Secret(password)
    account.user.daysToPasswordExpiry = nil
    account.user.status = .active
    return nil
  }
}

extension SignInPolicy {
  /// The rules for a new password, as responses have them.
  func passwordSettings(for user: SimulatedUser) -> JSONValue {
    func number(_ number: Int) -> JSONValue { .number(JSONValue.Number(number)) }
    let each = number(passwordRules.minimumOfEachKind)
    let settings: JSONValue = [
      "complexity": [
        "minLength": number(passwordRules.minimumLength), "minLowerCase": each,
        "minUpperCase": each, "minNumber": each,
        "minSymbol": number(passwordRules.minimumSymbols), "excludeUsername": true,
        "excludeAttributes": [],
      ],
      "age": ["historyCount": 4],
    ]
    return settings.adding("daysToExpiry", user.daysToPasswordExpiry.map(number))
  }
}

extension SignInPolicy.PasswordRules {
  fileprivate func allow(_ password: String, for user: SimulatedUser) -> Bool {
    let name = user.login.lowercased().prefix { $0 != "@" }
    let counts = [
      password.count(where: \.isLowercase), password.count(where: \.isUppercase),
      password.count(where: \.isNumber),
    ]
    return password.count >= minimumLength && counts.allSatisfy { $0 >= minimumOfEachKind }
      && password.count { !$0.isLetter && !$0.isNumber } >= minimumSymbols
      && !password.lowercased().contains(name) && password != user.password.revealed
  }
}
