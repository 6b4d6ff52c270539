import IDX
import OAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The password: asked for after the user name, and replaced when it has expired.
struct PasswordAuthenticator: OrgAuthenticator {
  let key = Authenticator.Key.password
  let type: Authenticator.Kind = "password"
  let displayName = "Password"
  let methods = [(label: "Password", value: "password")]
  let enrollmentPrefix = "lae"

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSON {
    let label = ceremony.purpose == .challenge ? "Password" : "New password"
    return OrgForm.nested("credentials", [OrgForm.text("passcode", label: label, secret: true)])
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSON)]
  {
    guard ceremony.purpose != .challenge else { return [] }
    let rules = policy.passwordRules
    let each = JSON.number(JSON.Number(rules.minimumOfEachKind))
    let complexity: JSON = [
      "minLength": .number(JSON.Number(rules.minimumLength)),
      "minLowerCase": each, "minUpperCase": each, "minNumber": each,
      "minSymbol": .number(JSON.Number(rules.minimumSymbols)),
      "excludeUsername": true, "excludeAttributes": [],
    ]
    return [("settings", ["complexity": complexity, "age": ["historyCount": 1]])]
  }

  func judge(_ credentials: JSON, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore)
    -> Rejection?
  {
    let password = credentials["passcode"]?.string ?? ""
    if ceremony.purpose == .challenge {
      let isRight = account.opensByPassword && password == account.user.password.revealed
      return isRight ? nil : Rejection(status: 401, message: .incorrectPassword)
    }
    guard follows(org.settings.policy.passwordRules, password, of: account.user) else {
      return Rejection(
        status: 400, message: .weakPassword, field: "credentials.passcode", isAttempt: false)
    }
    return nil
  }

  func settle(_ ceremony: Ceremony, credentials: JSON, in account: inout OrgAccount, at date: Date)
  {
    guard ceremony.purpose != .challenge, let password = credentials["passcode"]?.string else {
      return
    }
    account.user.password = Secret(password)
    account.user.status = .active
  }

  private func follows(
    _ rules: SignInPolicy.PasswordRules, _ password: String, of user: SimulatedUser
  ) -> Bool {
    let name = user.login.lowercased().prefix { $0 != "@" }
    let kinds = [
      password.count(where: \.isLowercase), password.count(where: \.isUppercase),
      password.count(where: \.isNumber),
    ]
    return password.count >= rules.minimumLength
      && kinds.allSatisfy { $0 >= rules.minimumOfEachKind }
      && password.count { !$0.isLetter && !$0.isNumber } >= rules.minimumSymbols
      && !password.lowercased().contains(name)
      && password != user.password.revealed
  }
}
