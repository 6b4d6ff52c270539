import IDXBase
import IDX

// What the apps that answer pushes have in common.
extension OrgAuthenticator {
  /// The forms of a push: waiting for it, or sending it again once it came to nothing.
  func pushForms(for ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [OrgStepForm] {
    guard case .failed = ceremony.device.stage else {
      let auto = OrgForm.boolean("autoChallenge", label: "Send push automatically")
        .adding("value", true)
      return [
        OrgStepForm(
          .challengePoll, "/authenticators/poll",
          rules.asksBeforePush && ceremony.device.autoChallenge == true ? [auto] : [],
          refresh: 4000)
      ]
    }
    let fields = [
      OrgForm.fixed("id", id, hidden: true), OrgForm.fixed("methodType", "push", hidden: true),
    ]
    let choice = OrgForm.nested("authenticator", label: displayName, fields)
    return [OrgStepForm(.resend, "/challenge", [choice])]
  }

  /// The fields of the form that stands before a push, or before another method.
  func pushData(
    _ methods: [(label: String, value: String)], rules: SignInPolicy.FactorRules
  ) -> [JSONValue] {
    let method = OrgForm.choice("methodType", label: "Method", required: true, methods)
    let auto = OrgForm.boolean("autoChallenge", label: "Send push automatically")
    return rules.asksBeforePush ? [method, auto.adding("value", false)] : [method]
  }

  /// Whether a push waits for the user's consent.
  func asksBeforePush(
    _ ceremony: Ceremony, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool {
    rules.asksBeforePush && !account.devices.autoChallenges.contains(key)
      && (ceremony.method ?? "push") == "push"
  }
}
