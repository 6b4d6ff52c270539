import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A token of another maker's that an administrator has handed out.
struct CustomCodeAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.customOTP
  let type: IDXAuthenticator.Kind = "security_key"
  let displayName = "Custom OTP"
  let methods = [(label: "Enter a code", value: "otp")]
  let enrollmentPrefix = "dsf"
  let canBeSetUp = false

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    if let counter = counter(of: credentials, by: account, at: org.now),
      !account.hasUsed(counter, of: key)
    {
      return nil
    }
    return Rejection(status: 401, message: .wrongCode)
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    guard let counter = counter(of: credentials, by: account, at: date) else { return }
    account.usedCounters[key, default: []].insert(counter)
  }

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? { CodeToken(key, secret: secret)?.code(ahead: ahead, of: account, at: date) }

  private func counter(of credentials: JSONValue, by account: OrgAccount, at date: Date) -> UInt64?
  {
    CodeToken(key, secret: account.user.enrollment(of: key)?.detail.secret)?
      .counter(of: credentials["passcode"]?.string, at: date)
  }
}
