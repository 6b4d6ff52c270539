import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A code by e-mail, or the link beside it.
struct EmailAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.email
  let type: IDXAuthenticator.Kind = "email"
  let displayName = "Email"
  let methods = [(label: "Email", value: "email")]
  let enrollmentPrefix = "eae"
  let isResendable = true
  let isPollable = true

  /// No mail goes out unless it was asked for.
  func missingData(for ceremony: Ceremony, wasChosen: Bool) -> [JSONValue]? {
    wasChosen ? nil : [OrgForm.fixed("methodType", "email", required: false)]
  }

  func asksConsent(
    to ceremony: Ceremony, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool { ceremony.purpose == .challenge && rules.asksBeforeEmail }

  func actions(of ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [OrgStepForm] {
    let resend = OrgStepForm(.resend, "/challenge/resend")
    let poll = OrgStepForm(.poll, "/challenge/poll", refresh: 4000)
    return rules.sendsMagicLink ? [resend, poll] : [resend]
  }

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    let code = org.random.code()
    ceremony.code = code
    if org.settings.policy.factors.sendsMagicLink, let seconds = user.device.followsLinksAfter {
      let link = DeviceErrand.Due(event: .approved, date: org.now.addingTimeInterval(seconds))
      ceremony.device.stage = .waiting(next: link)
    }
    org.deliver(
      Mailbox.Message(
        method: "email", recipient: user.email, code: code,
        text: "Your code for \(org.settings.host) is \(code)."))
    return nil
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  {
    [
      ("contextualData", ["useEmailMagicLink": .bool(policy.factors.sendsMagicLink)]),
      ("profile", profile(of: .address, user: user) ?? .null),
    ]
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    guard !isSentCode(credentials, of: ceremony) else { return nil }
    return Rejection(status: 401, message: .wrongCode, field: "credentials.passcode")
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    if ceremony.purpose == .enroll { account.user.enrollments.append(.email) }
  }

  /// The address with its name masked: `a***l@shop.example`.
  func profile(of detail: SimulatedUser.Enrollment.Detail, user: SimulatedUser) -> JSONValue? {
    let address = user.email
    let name = address.prefix { $0 != "@" }
    let masked = "\(name.prefix(1))***\(name.suffix(1))\(address.dropFirst(name.count))"
    return ["email": .string(masked)]
  }
}
