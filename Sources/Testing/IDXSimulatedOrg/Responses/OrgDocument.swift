import IDX
import IDXBase

/// Writes the IDX response for the step of a sign-in.
struct OrgDocument {
  let settings: OrgSettings
  let signIn: SignIn
  let account: OrgAccount?
  /// The authenticators that need not be verified any more.
  let verified: Set<IDXAuthenticator.Key>

  private var policy: SignInPolicy { settings.policy }
  private var accounts: AccountPolicy { settings.policy.accounts }

  /// The response for the step and the result of the request.
  func json(_ result: StepResult) -> JSONValue {
    var draft = step
    draft.expiresAt = signIn.expiresAt.timestamp
    draft.messages += result.messages
    if let first = draft.remediations.first {
      draft.remediations[0] = result.fieldMessages.reduce(first) { form, message in
        form.adding(message.value, at: message.key)
      }
    }
    var app: JSONValue = [
      "name": "oidc_client", "label": "Demo app", "id": .string(settings.clientID),
    ]
    if case .saml(let other, _) = signIn.hosted?.destination {
      app = ["name": .string(other.name), "label": .string(other.label), "id": .string(other.id)]
    }
    let own = draft.members.members
    draft.members = JSONValue.Object([
      .init("stateHandle", .string(signIn.handle)), .init("intent", "LOGIN"),
      .init("app", .single(app)),
    ])
    draft.members["user"] = userMember
    for member in own { draft.members[member.name] = member.value }
    return draft.json
  }

  /// The user; with the name only after the first check.
  private var userMember: JSONValue? {
    guard let account else { return nil }
    let user: JSONValue = ["id": .string(account.id), "identifier": .string(account.user.login)]
    let profile: JSONValue = [
      "firstName": .string(account.user.firstName), "lastName": .string(account.user.lastName),
    ]
    return .single(user.adding("profile", profile, if: !signIn.verified.keys.isEmpty))
  }

  private var requirement: SignInRequirement {
    guard let account else { return .nothing }
    return SignInRequirement(policy: policy, account: account, signIn: signIn, verified: verified)
  }

  /// The user; before the username is known, a user without a name.
  var user: SimulatedUser { account?.user ?? SimulatedUser(login: "", password: "") }
  /// Whether the step is a challenge that has started.
  var isBegun: Bool { if case .challenge = signIn.step { true } else { false } }

  // MARK: - Forms

  /// A form with its address and the state handle; `relatesTo` is a path of the response.
  func form(
    _ name: Remediation.Name, _ path: String, _ fields: [Field] = [],
    relatesTo reference: String? = nil, refresh: Duration? = nil
  ) -> Form {
    let handle = Field(fixed: "stateHandle", .string(signIn.handle))
    return Form(
      name, href: settings.idx(path), fields: fields + [handle],
      relatesTo: reference.map { [$0] } ?? [], refresh: refresh
    ).adding("rel", ["create-form"]).adding("produces", .string(OrgResponse.ionMediaType)).adding(
      "accepts", "application/json; okta-version=1.0.0")
  }

  /// A page of an identity provider; `request` distinguishes the pages of one sign-in.
  func page(
    _ name: Remediation.Name, type: String, id: String, label: String, request: String
  ) -> Form {
    let token = OrgSettings.id("", signIn.handle, request)
    return Form(
      name,
      page: "\(settings.oauthBase)/authorize?client_id=\(settings.clientID)"
        + "&request_uri=urn:okta:\(token)"
    ).adding("type", .string(type)).adding("idp", ["id": .string(id), "name": .string(label)])
  }

  /// Where the authenticator of a challenge is in the response.
  func reference(to challenge: AuthenticatorChallenge) -> String { "$." + container(of: challenge) }

  private func container(of challenge: AuthenticatorChallenge) -> String {
    challenge.purpose == .challenge && challenge.authenticator.challengesEnrollment
      ? "currentAuthenticatorEnrollment" : "currentAuthenticator"
  }

  // MARK: - Steps

  /// A response with these parts.
  private func draft(
    _ forms: [Form] = [], messages: [Message] = [], members: JSONValue = [:], hasCancel: Bool = true
  ) -> IDXResponse.Draft {
    var draft = IDXResponse.Draft()
    draft.remediations = forms
    draft.messages = messages
    draft.members = members.object ?? JSONValue.Object()
    if hasCancel { draft.actions = [form(.cancel, "/cancel")] }
    return draft
  }

  private var step: IDXResponse.Draft {
    switch signIn.step {
    case .identify: return identify
    case .identifyAccount:
      let field = Field("identifier", label: "Username", isRequired: true)
      return signIn.operation?.kind == .unlock
        ? draft([form(.unlockAccount, "/identify", [field])])
        : draft(
          [form(.identifyRecovery, "/identify", [field] + captchaField)], members: captcha)
    case .selectUnlock: return selectUnlock
    case .profile: return profile
    case .interstitial(let step):
      let spec = step.spec(in: self)
      return draft(
        spec.forms.filter(\.isRemediation).map(\.draft), messages: spec.messages,
        members: spec.members)
    case .final(let step):
      return draft(messages: step.messages, members: step.members, hasCancel: step.hasCancel)
    case .succeeded where signIn.hosted != nil:
      return draft(members: ["success": successRedirect], hasCancel: false)
    case .succeeded(let code):
      return draft(members: ["successWithInteractionCode": issue(code)], hasCancel: false)
    case .selectChallenge: return adding(authenticatorsTo: draft(alternatives))
    case .selectEnrollment: return adding(authenticatorsTo: draft(alternatives + skip))
    case .needsInput(let challenge), .challenge(let challenge):
      var draft = draft(forms(for: challenge) + alternatives + skip)
      if case .challenge = signIn.step, isPasswordExpiring {
        draft.messages = [.expiring(settings.host)]
      }
      draft.members[container(of: challenge)] = .single(current(challenge).json)
      if isBegun, challenge.purpose == .enroll {
        let methods = methods(of: challenge)
        draft.members["enrollmentAuthenticator"] = .single(
          challenge.authenticator.draft(methods: methods).json)
      }
      return adding(authenticatorsTo: draft)
    }
  }

  /// The step that asks for the username, and its alternatives.
  private var identify: IDXResponse.Draft {
    let pages = accounts.identityProviders.map {
      page(.redirectIdP, type: $0.type, id: $0.id, label: $0.name, request: $0.id)
    }
    guard !accounts.identityProvidersOnly else { return draft(pages, members: captcha) }
    var fields = [Field("identifier", label: "Username", isRequired: true)]
    var members = captcha
    if policy.start == .withPassword {
      fields.append(passwordField)
      members = members.adding("currentAuthenticator", password(.challenge))
    }
    fields.append(.init("rememberMe", label: "Remember this device", type: .boolean))
    var forms = [form(.identify, "/identify", fields + captchaField)]
    if let challenge = signIn.passkeyFirst {
      let credentials = challenge.check.credentials(for: challenge, in: self)
      forms.append(form(.challengeWebAuthnAutofill, "/challenge/answer", [credentials]))
      members = members.adding(
        "webauthnAutofillUIChallenge",
        [
          "type": "object", "value": ["challengeData": challenge.passkeyRequest ?? .null],
        ])
    }
    if accounts.fastPass {
      forms.append(form(.launchAuthenticator, "/authenticators/okta-verify/launch"))
    }
    forms += pages
    if accounts.smartCard {
      let id = OrgSettings.id("0oa", "card")
      forms.append(page(.smartCard, type: "X509", id: id, label: "Smart card", request: "card"))
    }
    if accounts.registration != nil { forms.append(form(.selectEnrollProfile, "/enroll")) }
    if accounts.unlock != nil { forms.append(form(.unlockAccount, "/unlock-account")) }
    return draft(forms, members: members)
  }

  private var selectUnlock: IDXResponse.Draft {
    let authenticators = accounts.unlock?.methods.compactMap { OrgAuthenticator[$0] } ?? []
    let options = authenticators.enumerated().map { index, authenticator in
      Remediation.Field.Option.Draft(
        authenticator.displayName,
        form: authenticator.optionFields(for: .challenge, rules: policy.factors),
        relatesTo: "$.authenticators.value[\(index)]")
    }
    let fields: [Field] = [
      .init("identifier", label: "Username", isRequired: true),
      .init("authenticator", options: options),
    ]
    var draft = draft([form(.selectAuthenticatorUnlockAccount, "/challenge", fields)])
    draft.authenticators = authenticators.map { $0.draft() }
    return draft
  }

  private var profile: IDXResponse.Draft {
    var fields = [ProfileForm.registration.field]
    var members = captcha
    if accounts.registration?.takesPassword == true {
      fields.append(
        passwordField
          .adding("relatesTo", "$.currentAuthenticator"))
      members = members.adding("currentAuthenticator", password(.enroll))
    }
    let register = form(.enrollProfile, "/enroll/new", fields + captchaField)
    return draft([register, form(.selectIdentify, "/identify/select")], members: members)
  }

  /// The form that exchanges the interaction code for tokens; it has no state handle.
  private func issue(_ code: String) -> JSONValue {
    var fields: [Field] = [
      .init("grant_type", isRequired: true, value: "interaction_code"),
      .init("interaction_code", isRequired: true, value: .string(code)),
      .init("client_id", isRequired: true, value: .string(settings.clientID)),
      .init("code_verifier", isRequired: true),
    ]
    if settings.clientSecret != nil { fields.append(.init("client_secret", isRequired: true)) }
    return Form(.issue, href: settings.oauthBase + "/token", fields: fields)
      .adding("rel", ["create-form"]).adding("accepts", "application/x-www-form-urlencoded").json
  }

  /// The address that redirects to the app.
  private var successRedirect: JSONValue {
    [
      "rel": ["create-form"], "name": "success-redirect", "method": "GET",
      "href": .string(
        "\(settings.origin)/login/token/redirect?stateToken="
          + HostedSignIn.stateToken(of: signIn.handle)),
    ]
  }

  // MARK: - Captcha and password

  private var captchaID: JSONValue {
    accounts.captcha == .altcha ? "altcha" : .string(OrgSettings.id("cap", settings.host))
  }

  private var captchaField: [Field] {
    guard accounts.captcha != nil else { return [] }
    let token = Field("captchaToken", isRequired: true, isVisible: false).adding("hint", "captcha")
    return [
      .init("captchaVerify", form: [.init(fixed: "captchaId", captchaID), token])
        .adding("relatesTo", "$.captcha").without("required", "type")
    ]
  }

  private var captcha: JSONValue {
    guard let kind = accounts.captcha else { return [:] }
    var captcha: JSONValue = [
      "id": captchaID, "name": kind == .altcha ? "altcha" : "hCaptcha",
      "siteKey": "simulated-site-key", "type": .string(kind.rawValue),
    ]
    if kind == .altcha {
      let task: JSONValue = [
        "href": .string(settings.origin + "/api/v1/altcha"), "method": "POST",
        "accepts": "application/json", "value": [["name": "stateHandle"]],
      ]
      captcha = captcha.adding("challengeUrlForm", task)
    }
    return ["captcha": .single(captcha)]
  }

  /// The password in a step that is not about an authenticator.
  private func password(_ purpose: AuthenticatorChallenge.Purpose) -> JSONValue {
    let challenge = AuthenticatorChallenge.password(purpose)
    let members = challenge.check.members(of: challenge, in: self)
    return .single(OrgAuthenticator.password.draft(members: members).json)
  }

  private var passwordField: Field {
    let challenge = AuthenticatorChallenge.password(.challenge)
    return challenge.check.credentials(for: challenge, in: self)
  }

  private var isPasswordExpiring: Bool {
    if case .expiringPassword = requirement { true } else { false }
  }

  // MARK: - Authenticators

  private func forms(for challenge: AuthenticatorChallenge) -> [Form] {
    let (authenticator, check) = (challenge.authenticator, challenge.check)
    if let forms = check.forms(for: challenge, in: self) { return forms }
    guard isBegun else { return [inputForm(for: challenge)] }
    let name: Remediation.Name =
      switch challenge.purpose {
      case .challenge: .challengeAuthenticator
      case .enroll: challenge.isPromotion ? .enrollAuthenticatorPromotion : .enrollAuthenticator
      case .replace: replacement
      case .reset: .resetAuthenticator
      }
    let form = form(
      name, challenge.isPromotion ? "/credential/enroll" : "/challenge/answer",
      [check.credentials(for: challenge, in: self)], relatesTo: reference(to: challenge))
    guard authenticator.key == .password, challenge.purpose == .replace,
      let site = accounts.passwordSite
    else { return [form] }
    return [
      form.adding("customExpiredPasswordName", .string(site.name))
        .adding("customExpiredPasswordURL", .string(site.address))
    ]
  }

  private var replacement: Remediation.Name {
    switch (accounts.passwordSite == nil, isPasswordExpiring) {
    case (true, false): .reenrollAuthenticator
    case (true, true): .reenrollAuthenticatorWarning
    case (false, false): .reenrollCustomPasswordExpiry
    case (false, true): .reenrollCustomPasswordExpiryWarning
    }
  }

  private func inputForm(for challenge: AuthenticatorChallenge) -> Form {
    let authenticator = challenge.authenticator
    let isChallenge = challenge.purpose == .challenge
    var fields = authenticator.inputFields(for: challenge, rules: policy.factors)
    if isChallenge, authenticator.allowsSeveral {
      fields.append(enrollmentField(challenge.enrollment))
    }
    var field = Field("authenticator", form: fields)
      .adding("label", .string(authenticator.displayName))
    if isChallenge { field = field.without("required", "type") }
    return form(
      isChallenge ? .authenticatorVerificationData : .authenticatorEnrollmentData,
      isChallenge ? "/challenge" : "/credential/enroll", [field],
      relatesTo: reference(to: challenge))
  }

  private func enrollmentField(_ index: Int?) -> Field {
    Field(fixed: "enrollmentId", .string(account?.enrollmentID(at: index) ?? ""), isVisible: true)
  }

  private var skip: [Form] {
    switch requirement {
    case .enrollment(_, isOptional: true), .expiringPassword: break
    default: guard signIn.challenge?.isPromotion == true else { return [] }
    }
    return [form(.skip, "/skip")]
  }

  /// The form for choosing an authenticator, or a different one.
  private var alternatives: [Form] {
    guard let account else { return [] }
    let current = signIn.challenge
    switch requirement {
    case .challenge(let keys):
      let options = challengeOptions(keys, of: account)
      // One authenticator with several methods is a choice too.
      let isChoice =
        options.count > 1 || keys.contains { (OrgAuthenticator[$0]?.methods.count ?? 0) > 1 }
      guard current == nil || isChoice else { return [] }
      let isUnlock = signIn.operation?.kind == .unlock
      return [
        form(
          isUnlock ? .selectAuthenticatorUnlockAccount : .selectAuthenticatorAuthenticate,
          "/challenge", [Field("authenticator", options: options).without("required")])
      ]
    case .enrollment(let keys, _):
      let options = keys.enumerated().compactMap { index, key -> Remediation.Field.Option.Draft? in
        guard key != current?.authenticator.key, let authenticator = OrgAuthenticator[key] else {
          return nil
        }
        return .init(
          authenticator.displayName,
          form: authenticator.optionFields(for: .enroll, rules: policy.factors),
          relatesTo: "$.authenticators.value[\(index)]")
      }
      guard !options.isEmpty else { return [] }
      return [
        form(
          .selectAuthenticatorEnroll, "/credential/enroll",
          [.init("authenticator", options: options)])
      ]
    default: return []
    }
  }

  private func challengeOptions(
    _ keys: [IDXAuthenticator.Key], of account: OrgAccount
  ) -> [Remediation.Field.Option.Draft] {
    account.user.enrollments.enumerated().compactMap { index, enrollment in
      guard let position = keys.firstIndex(of: enrollment.authenticator),
        let authenticator = OrgAuthenticator[enrollment.authenticator]
      else { return nil }
      var fields = authenticator.optionFields(for: .challenge, rules: policy.factors)
      if authenticator.allowsSeveral { fields.append(enrollmentField(index)) }
      // If there is a password, it is the first enrollment.
      let enrolled = account.hasPassword ? index + 1 : index
      return .init(
        authenticator.displayName, form: fields,
        relatesTo: authenticator.isChosenByEnrollment
          ? "$.authenticatorEnrollments.value[\(enrolled)]" : "$.authenticators.value[\(position)]")
    }
  }

  /// The response with the authenticators that can be chosen, and the user's enrollments.
  private func adding(authenticatorsTo draft: IDXResponse.Draft) -> IDXResponse.Draft {
    guard let account else { return draft }
    var draft = draft
    let keys: [IDXAuthenticator.Key] =
      switch requirement {
      case .password, .newPassword, .expiringPassword: [.password]
      case .challenge(let keys), .enrollment(let keys, _): keys
      case .refusal, .nothing: []
      }
    draft.authenticators = keys.compactMap { OrgAuthenticator[$0]?.draft() }
    if account.hasPassword {
      draft.enrollments = [OrgAuthenticator.password.draft(id: account.enrollmentID(at: nil))]
    }
    // Other enrollments are shown only after the first check.
    if !signIn.verified.keys.isEmpty || signIn.operation != nil {
      draft.enrollments += account.user.enrollments.enumerated().compactMap { index, enrollment in
        OrgAuthenticator[enrollment.authenticator]?.draft(
          id: account.enrollmentID(at: index), profile: enrollment.profile(of: account.user),
          members: enrollment.members)
      }
    }
    if signIn.operation?.kind == .recovery, signIn.challenge?.purpose != .reset {
      draft.members["recoveryAuthenticator"] = password(.enroll)
    }
    return draft
  }

  private func current(_ challenge: AuthenticatorChallenge) -> IDXAuthenticator.Draft {
    let authenticator = challenge.authenticator
    let isEnrollment = container(of: challenge) == "currentAuthenticatorEnrollment"
    var profile: JSONValue?
    var other: JSONValue = [:]
    if isEnrollment, let index = challenge.enrollment, user.enrollments.indices.contains(index) {
      profile = user.enrollments[index].profile(of: user)
      other = user.enrollments[index].members
    }
    // Before a code or push is sent, there is no data for it; a channel may need a destination first.
    let isUnsent =
      if case .needsInput = signIn.step { challenge.device.channel == nil } else { false }
    let members = (isUnsent ? [:] : challenge.check.members(of: challenge, in: self)).object
    for member in members?.members ?? [] { other = other.adding(member.name, member.value) }
    return authenticator.draft(
      id: isEnrollment ? account?.enrollmentID(at: challenge.enrollment) : nil,
      methods: isBegun ? methods(of: challenge) : nil, profile: profile, members: other)
  }

  /// The method that is used; an app that is set up gets pushes.
  private func methods(of challenge: AuthenticatorChallenge) -> [OrgAuthenticator.Method] {
    [challenge.method ?? challenge.authenticator.methods[0]]
  }
}
