import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A token that a server of the org's own knows: RSA SecurID, or another behind the same interface.
///
/// Its codes stand for a minute. Where that server has lost track of a token, it wants the code
/// after the first one that is right.
struct ServerTokenAuthenticator: SecretAuthenticator {
  let key: IDXAuthenticator.Key
  let displayName: String
  let enrollmentPrefix: String
  let type: IDXAuthenticator.Kind = "security_key"
  let methods = [(label: "Enter a code", value: "otp")]

  static let rsa = ServerTokenAuthenticator(
    key: .rsa, displayName: "RSA SecurID", enrollmentPrefix: "rsa")
  static let onPremises = ServerTokenAuthenticator(
    key: .onPremises, displayName: "On-Prem MFA", enrollmentPrefix: "opm")

  private static let period = 60

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    guard ceremony.purpose == .enroll else {
      return OrgForm.nested("credentials", [OrgForm.text("passcode", label: "Enter code")])
    }
    let name = String(user.login.prefix { $0 != "@" })
    return OrgForm.nested(
      "credentials",
      [
        OrgForm.fixed("id", id), OrgForm.fixed("methodType", "otp"),
        OrgForm.text("clientData", label: "User Name").adding("value", .string(name)),
        OrgForm.text("passcode", label: "Passcode"),
      ])
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    let passcode = credentials["passcode"]?.string
    let wrong = Rejection(status: 401, message: .wrongCode)
    guard let token = token(in: ceremony, of: account) else { return wrong }
    if let awaited = account.devices.awaited[key] {
      return token.isCode(passcode, at: awaited) ? nil : wrong
    }
    guard let counter = token.counter(of: passcode, at: org.now),
      !account.hasUsed(counter, of: key)
    else { return wrong }
    guard ceremony.purpose == .challenge, !account.devices.agreed.contains(key),
      case .token(_, wantsNextCode: true) = account.user.enrollment(of: key)?.detail
    else { return nil }
    return Rejection(status: 401, message: .nextCode, isAttempt: false)
  }

  func note(
    _ rejection: Rejection, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    let token = token(in: nil, of: account)
    guard rejection.message == .nextCode,
      let counter = token?.counter(of: credentials["passcode"]?.string, at: date)
    else { return }
    account.usedCounters[key, default: []].insert(counter)
    account.devices.awaited[key] = counter &+ 1
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    let counter =
      account.devices.awaited[key]
      ?? token(in: ceremony, of: account)?.counter(of: credentials["passcode"]?.string, at: date)
    if let counter { account.usedCounters[key, default: []].insert(counter) }
    if account.devices.awaited.removeValue(forKey: key) != nil {
      account.devices.agreed.insert(key)
    }
    if ceremony.purpose == .enroll, let secret = ceremony.sharedSecret {
      account.user.enrollments.append(
        SimulatedUser.Enrollment(
          authenticator: key, detail: .token(secret, wantsNextCode: false)))
    }
  }

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? {
    CodeToken(key, secret: secret, period: Self.period)?
      .code(ahead: ahead, of: account, at: date)
  }

  private func token(in ceremony: Ceremony?, of account: OrgAccount) -> CodeToken? {
    let secret = ceremony?.sharedSecret ?? account.user.enrollment(of: key)?.detail.secret
    return CodeToken(key, secret: secret, period: Self.period)
  }
}
