import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A YubiKey that types a code at each touch: 12 letters that say which key it is, and 32 that hold
/// a count.
struct YubiKeyAuthenticator: SecretAuthenticator {
  let key = IDXAuthenticator.Key.yubiKey
  let type: IDXAuthenticator.Kind = "security_key"
  let displayName = "YubiKey Authenticator"
  let methods = [(label: "Touch the key", value: "otp")]
  let enrollmentPrefix = "ykf"

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    let label = "Insert the YubiKey and touch it"
    return OrgForm.nested("credentials", [OrgForm.text("passcode", label: label, secret: true)])
  }

  func profile(of detail: SimulatedUser.Enrollment.Detail, user: SimulatedUser) -> JSONValue? {
    detail.secret.map { ["credentialId": .string("********" + Self.identity(of: $0).suffix(4))] }
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    guard press(of: credentials, in: ceremony, by: account) == nil else { return nil }
    return Rejection(status: 401, message: .wrongCode, field: "credentials.passcode")
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    if let press = press(of: credentials, in: ceremony, by: account) {
      account.usedCounters[key] = [press]
    }
    if ceremony.purpose == .enroll, let secret = ceremony.sharedSecret {
      account.user.enrollments.append(.yubiKey(secret: secret))
    }
  }

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? {
    guard let secret else { return nil }
    let press = account.devices.presses[key, default: 0] &+ UInt64(ahead) &+ 1
    account.devices.presses[key] = press
    return Self.code(of: secret, press: press)
  }

  /// Which touch typed this: one that came after the last that was accepted.
  private func press(of credentials: JSONValue, in ceremony: Ceremony, by account: OrgAccount)
    -> UInt64?
  {
    let secret = ceremony.sharedSecret ?? account.user.enrollment(of: key)?.detail.secret
    guard let secret, let code = credentials["passcode"]?.string else { return nil }
    let last = account.usedCounters[key]?.max() ?? 0
    let made = account.devices.presses[key, default: 0]
    guard last < made else { return nil }
    return (last + 1...made).first { Self.code(of: secret, press: $0) == code }
  }

  private static func identity(of secret: Secret) -> String {
    letters(HashFunction.sha256.hash(Array(secret.revealed.utf8)).prefix(6))
  }

  private static func code(of secret: Secret, press: UInt64) -> String {
    let count = (0..<8).map { UInt8(truncatingIfNeeded: press >> (56 - 8 * UInt64($0))) }
    let hash = HashFunction.sha256.hmac(key: Array(secret.revealed.utf8), count)
    return identity(of: secret) + letters(hash.prefix(16))
  }

  /// Two letters for each byte, of those that lie on the same keys everywhere.
  private static func letters(_ bytes: some Sequence<UInt8>) -> String {
    let alphabet = Array("cbdefghijklnrtuv")
    return String(bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] })
  }
}
