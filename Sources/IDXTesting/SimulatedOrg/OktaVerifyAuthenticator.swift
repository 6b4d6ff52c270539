import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Okta's own app: a push, or a code that it shows; set up on the phone, in one of three ways.
struct OktaVerifyAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.oktaVerify
  let type: IDXAuthenticator.Kind = "app"
  let displayName = "Okta Verify"
  let methods = [
    (label: "Get a push notification", value: "push"), (label: "Enter a code", value: "totp"),
    (label: "Use Okta FastPass", value: "signed_nonce"),
  ]
  let enrollmentPrefix = "pfd"
  let challengesEnrollment = false
  let isChosenByEnrollment = false
  let isPollable = true

  static let channels = [
    (label: "QR code", value: "qrcode"), (label: "Email", value: "email"),
    (label: "SMS", value: "sms"),
  ]

  /// FastPass answers to the device alone, so it is listed and never offered.
  private var typedMethods: [(label: String, value: String)] { Array(methods.prefix(2)) }

  func choiceFields(for purpose: Ceremony.Purpose) -> [JSONValue] {
    purpose == .enroll
      ? [OrgForm.choice("channel", label: "Channel", required: false, Self.channels)]
      : [OrgForm.choice("methodType", label: "Method", required: false, typedMethods)]
  }

  func missingData(for ceremony: Ceremony, wasChosen: Bool) -> [JSONValue]? {
    if ceremony.purpose == .challenge {
      return ceremony.method == nil ? pushData(typedMethods, rules: .init()) : nil
    }
    let channel = ceremony.device.channel ?? "qrcode"
    return channel == "qrcode" || ceremony.device.destination != nil ? nil : []
  }

  func dataFields(for ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [JSONValue]? {
    pushData(ceremony.method == nil ? typedMethods : Array(methods.prefix(1)), rules: rules)
  }

  func asksConsent(
    to ceremony: Ceremony, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool {
    ceremony.purpose == .challenge && ceremony.method == "push"
      && asksBeforePush(ceremony, of: account, rules: rules)
  }

  func prepare(_ ceremony: inout Ceremony, for account: OrgAccount) {
    guard account.devices.autoChallenges.contains(key) else { return }
    ceremony.method = ceremony.method ?? "push"
    if ceremony.method == "push" { ceremony.device.autoChallenge = true }
  }

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    if ceremony.purpose == .challenge {
      if ceremony.method == "push" {
        org.push(&ceremony, to: user, wantsNumber: org.settings.policy.factors.matchesNumbers)
      }
      return nil
    }
    ceremony.sharedSecret = ceremony.sharedSecret ?? org.random.sharedSecret()
    ceremony.code = org.random.code()
    ceremony.device.channel = ceremony.device.channel ?? "qrcode"
    if let rejection = deliver(&ceremony, for: user, in: &org) { return rejection }
    org.waitForDevice(&ceremony, of: user)
    return nil
  }

  func forms(for ceremony: Ceremony, isReady: Bool, rules: SignInPolicy.FactorRules)
    -> [OrgStepForm]?
  {
    if ceremony.purpose == .challenge {
      guard isReady, ceremony.method == "push" else { return nil }
      return pushForms(for: ceremony, rules: rules)
    }
    return enrollmentForms(for: ceremony, isReady: isReady)
  }

  func actions(of ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [OrgStepForm] {
    guard ceremony.purpose == .enroll, let destination = ceremony.device.destination else {
      return []
    }
    let name = ceremony.device.channel == "email" ? "email" : "phone"
    return [OrgStepForm(.resend, "/challenge/resend", [OrgForm.fixed(name, destination)])]
  }

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    OrgForm.nested("credentials", [OrgForm.text("totp", label: "Enter code")])
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  {
    if ceremony.purpose == .challenge {
      guard case .waiting = ceremony.device.stage, let number = ceremony.device.number else {
        return []
      }
      return [("contextualData", ["correctAnswer": .string(number)])]
    }
    return [("contextualData", enrollmentData(of: ceremony))]
  }

  func profile(of detail: SimulatedUser.Enrollment.Detail, user: SimulatedUser) -> JSONValue? {
    ["deviceName": .string("\(user.firstName)'s phone")]
  }

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
    return Rejection(status: 401, message: .wrongCode, field: "credentials.totp")
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    if ceremony.purpose == .enroll, let secret = ceremony.sharedSecret {
      account.user.enrollments.append(.oktaVerify(secret: secret))
    }
    if let counter = counter(of: credentials, by: account, at: date) {
      account.usedCounters[key, default: []].insert(counter)
    }
  }

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? {
    // The app has no codes before it has been set up.
    CodeToken(key, secret: account.user.enrollment(of: key)?.detail.secret)?
      .code(ahead: ahead, of: account, at: date)
  }

  private func counter(of credentials: JSONValue, by account: OrgAccount, at date: Date) -> UInt64?
  {
    CodeToken(key, secret: account.user.enrollment(of: key)?.detail.secret)?
      .counter(of: credentials["totp"]?.string, at: date)
  }
}
