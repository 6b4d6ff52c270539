import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A code that an administrator has issued, good as long as the user has it.
struct AccessCodeAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.temporaryAccessCode
  let type: IDXAuthenticator.Kind = "tac"
  let displayName = "Temporary Access Code"
  let methods = [(label: "Enter a code", value: "tac")]
  let enrollmentPrefix = "tac"
  let canBeSetUp = false

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    OrgForm.nested("credentials", [OrgForm.text("passcode", label: "Enter code", secret: true)])
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    let code = account.user.enrollment(of: key)?.detail.secret?.revealed
    if let code, code == credentials["passcode"]?.string { return nil }
    return Rejection(status: 401, message: .wrongCode, field: "credentials.passcode")
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {}

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? { secret?.revealed }
}
