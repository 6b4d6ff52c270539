import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An NFC tag with a PIN: the tag is touched with the phone, then the PIN is chosen.
struct NFCAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.nfcPIN
  let type: IDXAuthenticator.Kind = "proximity"
  let displayName = "NFC"
  let methods = [(label: "NFC", value: "nfc_pin")]
  let enrollmentPrefix = "nfc"
  let challengesEnrollment = false

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    guard ceremony.purpose == .enroll else { return nil }
    ceremony.code = org.random.handle("ft", bytes: 24)
    org.waitForDevice(&ceremony, of: user)
    return nil
  }

  func forms(for ceremony: Ceremony, isReady: Bool, rules: SignInPolicy.FactorRules)
    -> [OrgStepForm]?
  {
    guard waitsForTag(ceremony) else { return nil }
    return [
      OrgStepForm(.enrollPoll, "/authenticators/poll", refresh: 4000, isAboutCurrent: false)
    ]
  }

  func actions(of ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [OrgStepForm] {
    guard waitsForTag(ceremony) else { return [] }
    return [OrgStepForm(.cancelPolling, "/authenticators/poll/cancel", member: "cancel")]
  }

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    let label = ceremony.purpose == .enroll ? "Choose a PIN" : "PIN"
    return OrgForm.nested("credentials", [OrgForm.text("passcode", label: label, secret: true)])
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  {
    guard ceremony.purpose == .enroll else { return [] }
    let length = policy.factors.pinLength
    guard waitsForTag(ceremony) else {
      let settings: JSONValue = [
        "minLength": .number(JSONValue.Number(length.lowerBound)),
        "maxLength": .number(JSONValue.Number(length.upperBound)),
      ]
      return [("settings", settings)]
    }
    let request = ceremony.code ?? ""
    let url = "com-okta-authenticator:/actions/enroll?authenticator_key=nfc&nonce=\(request)"
    let challenge: JSONValue = ["type": "object", "value": ["challengeRequest": .string(request)]]
    return [("contextualData", ["setupNfcUrl": .string(url), "challenge": challenge])]
  }

  func completes(_ ceremony: inout Ceremony) -> Bool {
    ceremony.isApproved = false
    ceremony.device.stage = .done
    return false
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    let pin = credentials["passcode"]?.string ?? ""
    if ceremony.purpose == .enroll {
      let isPIN =
        org.settings.policy.factors.pinLength.contains(pin.count)
        && pin.allSatisfy { $0.isASCII && $0.isNumber }
      return isPIN
        ? nil
        : Rejection(
          status: 400, message: .weakPIN, field: "credentials.passcode", isAttempt: false)
    }
    if pin == account.user.enrollment(of: key)?.detail.secret?.revealed { return nil }
    return Rejection(status: 401, message: .wrongPIN, field: "credentials.passcode")
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    guard ceremony.purpose == .enroll, let pin = credentials["passcode"]?.string else { return }
    account.user.enrollments.append(.nfcPIN(Secret(pin)))
  }

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? { secret?.revealed }

  private func waitsForTag(_ ceremony: Ceremony) -> Bool {
    guard ceremony.purpose == .enroll, case .waiting = ceremony.device.stage else { return false }
    return true
  }
}
