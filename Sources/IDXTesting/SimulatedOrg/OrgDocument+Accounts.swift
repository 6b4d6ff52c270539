import IDXBase
import IDX

// The steps that are about accounts and stations, and what stands beside the user name.
extension OrgDocument {
  private var accounts: AccountPolicy { settings.policy.accounts }

  /// The first step: the user name and all that may be done instead.
  func identifyForms(_ identify: JSONValue) -> [JSONValue] {
    let pages = accounts.identityProviders.map { page(of: $0) }
    if accounts.identityProvidersOnly { return pages }
    var forms = [identify]
    if accounts.fastPass {
      forms.append(form(.launchAuthenticator, "/authenticators/okta-verify/launch"))
    }
    forms += pages
    if accounts.smartCard {
      forms.append(
        OrgForm.page(
          .smartCard, type: "X509", id: OrgSettings.id("0oa", "card"), label: "Smart card",
          href: authorizeAddress("card")))
    }
    if accounts.registration != nil { forms.append(form(.selectEnrollProfile, "/enroll")) }
    if accounts.unlock != nil { forms.append(form(.unlockAccount, "/unlock-account")) }
    return forms
  }

  func forms(of step: OrgTransaction.AccountStep) -> [JSONValue] {
    switch step {
    case .identify:
      let fields = [OrgForm.text("identifier", label: "Username")]
      return transaction.errand?.kind == .unlock
        ? [form(.unlockAccount, "/identify", fields)]
        : [form(.identifyRecovery, "/identify", fields + captchaField)]
    case .selectUnlock: return [selectUnlock]
    case .profile: return [profile, form(.selectIdentify, "/identify/select")]
    case .station(let station): return station.desk.forms(in: self)
    case .ended: return []
    }
  }

  /// Members of the response beside remediations and messages.
  var accountMembers: [(name: String, value: JSONValue)] {
    switch transaction.step {
    case .identify: return captcha
    case .account(.identify): return transaction.errand?.kind == .unlock ? [] : captcha
    case .account(.selectUnlock):
      let kinds = accounts.unlock?.methods.compactMap { OrgAuthenticators[$0] } ?? []
      return [("authenticators", list(kinds.map { json($0, id: $0.id) }))]
    case .account(.profile):
      guard accounts.registration?.takesPassword == true else { return captcha }
      return [("currentAuthenticator", password)] + captcha
    case .account(.station(let station)): return station.desk.members(in: self)
    case .account(.ended(let end)): return end.members.map { ($0.name, $0.value) }
    case .selectChallenge, .needsData, .ceremony:
      guard transaction.errand?.kind == .recovery, transaction.ceremony?.purpose != .reset
      else { return [] }
      return [("recoveryAuthenticator", password)]
    default: return []
    }
  }

  /// What is said as long as the sign-in stands here.
  var standingMessages: [OrgMessage] {
    switch transaction.step {
    case .account(.station(let station)): station.desk.messages
    case .account(.ended(let end)): end.messages
    case .ceremony where isPasswordExpiring: [.expiring(settings.host)]
    default: []
    }
  }

  /// Whether there is a way back to the start.
  var hasCancel: Bool {
    switch transaction.step {
    case .succeeded: false
    case .account(.ended(let end)): end.hasCancel
    default: true
    }
  }

  /// The name of the form in which a new password takes the place of an old one.
  var replacement: Remediation.Name {
    switch (accounts.passwordSite == nil, isPasswordExpiring) {
    case (true, false): .reenrollAuthenticator
    case (true, true): .reenrollAuthenticatorWarning
    case (false, false): .reenrollCustomPasswordExpiry
    case (false, true): .reenrollCustomPasswordExpiryWarning
    }
  }

  /// The form with the site where passwords are changed, if that is not the org.
  func adding(siteTo form: JSONValue, for ceremony: Ceremony) -> JSONValue {
    guard ceremony.purpose == .replace, let site = accounts.passwordSite else { return form }
    return form.adding("customExpiredPasswordName", .string(site.name))
      .adding("customExpiredPasswordURL", .string(site.address))
  }

  var isPasswordExpiring: Bool {
    if case .expiringPassword = demand { true } else { false }
  }

  /// What begins a recovery, where that is offered.
  func recover(for kind: any OrgAuthenticator, _ purpose: Ceremony.Purpose) -> JSONValue? {
    guard kind.key == .password, purpose == .challenge, accounts.recovery != nil else {
      return nil
    }
    return form(.recover, "/recover")
  }

  /// The form of an identity provider that is a factor.
  func page(relatesTo reference: String) -> JSONValue {
    OrgForm.page(
      .redirectIdP, type: "OIDC", id: OrgSettings.id("0oa", "factor"),
      label: IdentityProviderAuthenticator.name, href: authorizeAddress("factor"),
      relatesTo: reference)
  }

  var captchaField: [JSONValue] {
    guard accounts.captcha else { return [] }
    let token: JSONValue = [
      "name": "captchaToken", "required": true, "visible": false, "hint": "captcha",
    ]
    let field = OrgForm.nested(
      "captchaVerify", [OrgForm.fixed("captchaId", captchaID, hidden: true), token])
    return [field.adding("relatesTo", "$.captcha")]
  }

  private var captcha: [(name: String, value: JSONValue)] {
    guard accounts.captcha else { return [] }
    let captcha: JSONValue = [
      "id": .string(captchaID), "name": "hCaptcha", "siteKey": "simulated-site-key",
      "type": "HCAPTCHA",
    ]
    return [("captcha", wrap(captcha))]
  }

  private var captchaID: String { OrgSettings.id("cap", settings.host) }

  private var password: JSONValue {
    let kind = PasswordAuthenticator()
    var json = json(kind, id: kind.id)
    let ceremony = Ceremony(authenticator: .password, purpose: .enroll)
    let user = account?.user ?? SimulatedUser(login: "", password: "")
    for (name, value) in kind.details(of: ceremony, for: user, policy: settings.policy) {
      json = json.adding(name, value)
    }
    return wrap(json)
  }

  private var profile: JSONValue {
    var fields = [ProfileForm.userProfile(ProfileForm.registration)]
    if accounts.registration?.takesPassword == true {
      let passcode = OrgForm.text("passcode", label: "Password", secret: true)
      fields.append(
        OrgForm.nested("credentials", [passcode]).adding("relatesTo", "$.currentAuthenticator"))
    }
    return form(.enrollProfile, "/enroll/new", fields + captchaField)
  }

  private var selectUnlock: JSONValue {
    let kinds = accounts.unlock?.methods.compactMap { OrgAuthenticators[$0] } ?? []
    let options = kinds.enumerated().map { index, kind in
      OrgForm.option(
        label: kind.displayName, relatesTo: "$.authenticators.value[\(index)]",
        [OrgForm.fixed("id", kind.id)] + kind.choiceFields(for: .challenge))
    }
    return form(
      .selectAuthenticatorUnlockAccount, "/challenge",
      [
        OrgForm.text("identifier", label: "Username"),
        OrgForm.alternatives("authenticator", options),
      ])
  }

  private func page(of provider: AccountPolicy.IdentityProvider) -> JSONValue {
    OrgForm.page(
      .redirectIdP, type: provider.type, id: provider.id, label: provider.name,
      href: authorizeAddress(provider.id))
  }

  /// Where a browser goes; the last part stands for this sign-in and this provider.
  private func authorizeAddress(_ provider: String) -> String {
    let token = OrgSettings.id("", transaction.stateHandle, provider)
    return "\(settings.oauthBase)/authorize?client_id=\(settings.clientID)"
      + "&request_uri=urn:okta:\(token)"
  }
}

extension OrgForm {
  /// A page for a browser: no form, but a name and an address.
  static func page(
    _ name: Remediation.Name, type: String, id: String, label: String, href: String,
    relatesTo: String? = nil
  ) -> JSONValue {
    let page: JSONValue = [
      "name": .string(name.rawValue), "type": .string(type),
      "idp": ["id": .string(id), "name": .string(label)],
    ]
    return page.adding("relatesTo", relatesTo.map { [.string($0)] })
      .adding("href", .string(href)).adding("method", "GET")
  }
}
