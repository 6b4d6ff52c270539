import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An app of the org's own that answers pushes; it is set up inside that app.
struct CustomAppAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.customApp
  let type: IDXAuthenticator.Kind = "app"
  let displayName = "Custom Push"
  let methods = [(label: "Get a push notification", value: "push")]
  let enrollmentPrefix = "pfd"
  let challengesEnrollment = false
  let isChosenByEnrollment = false
  let canBeSetUp = false

  func choiceFields(for purpose: Ceremony.Purpose) -> [JSONValue] {
    [OrgForm.choice("methodType", label: "Method", required: false, methods)]
  }

  func dataFields(for ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [JSONValue]? {
    pushData(methods, rules: rules)
  }

  func asksConsent(
    to ceremony: Ceremony, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool { asksBeforePush(ceremony, of: account, rules: rules) }

  func prepare(_ ceremony: inout Ceremony, for account: OrgAccount) {
    ceremony.method = "push"
    if account.devices.autoChallenges.contains(key) { ceremony.device.autoChallenge = true }
  }

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    org.push(&ceremony, to: user, wantsNumber: false)
    return nil
  }

  func forms(for ceremony: Ceremony, isReady: Bool, rules: SignInPolicy.FactorRules)
    -> [OrgStepForm]?
  { isReady ? pushForms(for: ceremony, rules: rules) : nil }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  { Rejection(status: 401, message: .wrongCode) }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {}
}
