import IDX
import IDXBase

/// The current password, or a new one.
struct PasswordCheck: Check {
  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    let label = challenge.purpose == .challenge ? "Password" : "New password"
    let passcode = Field.passcode(label: label, isSecret: true)
    let sessions = Field(
      "revokeSessions", label: "Sign me out of all other devices", type: .boolean)
    return Field(
      "credentials", form: challenge.purpose == .reset ? [passcode, sessions] : [passcode])
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    let policy = document.settings.policy
    guard challenge.purpose == .challenge else {
      return ["settings": policy.passwordSettings(for: document.user)]
    }
    return policy.accounts.recovery == nil
      ? [:] : ["recover": document.form(.recover, "/recover").json]
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let (purpose, account) = (answer.challenge.purpose, answer.account)
    let password = answer["passcode"] ?? ""
    if purpose == .challenge {
      try require(
        account.isOpen && password == account.user.password.revealed,
        else: Rejection(.incorrectPassword))
      return nil
    }
    if purpose == .replace, answer.policy.accounts.passwordSite != nil {
      throw Rejection(.passwordElsewhere, status: 403, isAttempt: false)
    }
    try require(
      !account.oldPasswords.contains(Secret(password))
        && answer.policy.passwordRules.allow(password, for: account.user),
      else: Rejection(.weakPassword, status: 400, field: "credentials.passcode", isAttempt: false))
    answer.account.oldPasswords.insert(account.user.password)
    answer.account.user.password = Secret(password)
    answer.account.user.daysToPasswordExpiry = nil
    answer.account.user.status = .active
    return nil
  }
}

extension SignInPolicy {
  func passwordSettings(for user: SimulatedUser) -> JSONValue {
    let each = JSONValue(passwordRules.minimumOfEachKind)
    let settings: JSONValue = [
      "complexity": [
        "minLength": JSONValue(passwordRules.minimumLength), "minLowerCase": each,
        "minUpperCase": each, "minNumber": each,
        "minSymbol": JSONValue(passwordRules.minimumSymbols), "excludeUsername": true,
        "excludeAttributes": [],
      ],
      "age": ["minAgeMinutes": 0, "historyCount": 4],
    ]
    return settings.adding("daysToExpiry", user.daysToPasswordExpiry.map { JSONValue($0) })
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
