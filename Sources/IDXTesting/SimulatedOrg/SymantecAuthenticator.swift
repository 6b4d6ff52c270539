import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Symantec VIP: a token with a number on it, set up by two codes in a row.
struct SymantecAuthenticator: SecretAuthenticator {
  let key = IDXAuthenticator.Key.symantecVIP
  let type: IDXAuthenticator.Kind = "app"
  let displayName = "Symantec VIP"
  let methods = [(label: "Enter a code", value: "otp")]
  let enrollmentPrefix = "sym"
  let challengesEnrollment = false

  func choiceFields(for purpose: Ceremony.Purpose) -> [JSONValue] { [] }

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    let passcode = OrgForm.text("passcode", label: "Enter security code")
    guard ceremony.purpose == .enroll else { return OrgForm.nested("credentials", [passcode]) }
    return OrgForm.nested(
      "credentials",
      [
        OrgForm.text("credentialId", label: "Enter credential ID"), passcode,
        OrgForm.text("nextPasscode", label: "Enter second security code"),
      ])
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    let passcode = credentials["passcode"]?.string
    if ceremony.purpose == .enroll {
      guard let token = CodeToken(key, secret: ceremony.sharedSecret) else {
        return Rejection(status: 401, message: .wrongCode)
      }
      guard credentials["credentialId"]?.string == account.user.symantecCredentialID else {
        return Rejection(status: 401, message: .wrongCode, field: "credentials.credentialId")
      }
      guard let counter = token.counter(of: passcode, at: org.now) else {
        return Rejection(status: 401, message: .wrongCode, field: "credentials.passcode")
      }
      guard token.isCode(credentials["nextPasscode"]?.string, at: counter &+ 1) else {
        return Rejection(status: 401, message: .wrongCode, field: "credentials.nextPasscode")
      }
      return nil
    }
    let token = CodeToken(key, secret: account.user.enrollment(of: key)?.detail.secret)
    guard let counter = token?.counter(of: passcode, at: org.now) else {
      return Rejection(status: 401, message: .wrongAppCode, field: "credentials.passcode")
    }
    guard account.hasUsed(counter, of: key) else { return nil }
    return Rejection(status: 401, message: .usedAppCode, field: "credentials.passcode")
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    if ceremony.purpose == .enroll, let secret = ceremony.sharedSecret {
      account.user.enrollments.append(.symantecVIP(secret: secret))
    }
    let token = CodeToken(key, secret: account.user.enrollment(of: key)?.detail.secret)
    guard let counter = token?.counter(of: credentials["passcode"]?.string, at: date) else {
      return
    }
    account.usedCounters[key, default: []].insert(counter)
    if ceremony.purpose == .enroll { account.usedCounters[key]?.insert(counter &+ 1) }
  }

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? { CodeToken(key, secret: secret)?.code(ahead: ahead, of: account, at: date) }
}

extension SimulatedUser {
  /// What is written on the user's Symantec VIP token, such as `VSMT01234567`: it is asked for when
  /// the token is set up.
  public var symantecCredentialID: String {
    let hash = HashFunction.sha256.hash(Array(login.lowercased().utf8))
    return "VSMT" + hash.prefix(8).map { String($0 % 10) }.joined()
  }
}
