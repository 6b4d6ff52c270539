import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The password: asked for after the user name, and replaced when it has expired.
struct PasswordAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.password
  let type: IDXAuthenticator.Kind = "password"
  let displayName = "Password"
  let methods = [(label: "Password", value: "password")]
  let enrollmentPrefix = "lae"

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    let label = ceremony.purpose == .challenge ? "Password" : "New password"
    let passcode = OrgForm.text("passcode", label: label, secret: true)
    let sessions = OrgForm.boolean("revokeSessions", label: "Sign me out of all other devices")
    return OrgForm.nested(
      "credentials", ceremony.purpose == .reset ? [passcode, sessions] : [passcode])
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  {
    guard ceremony.purpose != .challenge else { return [] }
    let rules = policy.passwordRules
    let each = JSONValue.number(JSONValue.Number(rules.minimumOfEachKind))
    let complexity: JSONValue = [
      "minLength": .number(JSONValue.Number(rules.minimumLength)),
      "minLowerCase": each, "minUpperCase": each, "minNumber": each,
      "minSymbol": .number(JSONValue.Number(rules.minimumSymbols)),
      "excludeUsername": true, "excludeAttributes": [],
    ]
    let days = user.daysToPasswordExpiry.map { JSONValue.number(JSONValue.Number($0)) }
    let settings: JSONValue = ["complexity": complexity, "age": ["historyCount": 4]]
    return [("settings", settings.adding("daysToExpiry", days))]
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    let password = credentials["passcode"]?.string ?? ""
    if ceremony.purpose == .challenge {
      let isRight = account.isOpen && password == account.user.password.revealed
      return isRight ? nil : Rejection(status: 401, message: .incorrectPassword)
    }
    if ceremony.purpose == .replace, org.settings.policy.accounts.passwordSite != nil {
      return Rejection(status: 403, message: .passwordElsewhere, isAttempt: false)
    }
    guard !account.oldPasswords.contains(Secret(password)),
      follows(org.settings.policy.passwordRules, password, of: account.user)
    else {
      return Rejection(
        status: 400, message: .weakPassword, field: "credentials.passcode", isAttempt: false)
    }
    return nil
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    guard ceremony.purpose != .challenge, let password = credentials["passcode"]?.string else {
      return
    }
    account.oldPasswords.insert(account.user.password)
    account.user.password = Secret(password)
    account.user.daysToPasswordExpiry = nil
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
