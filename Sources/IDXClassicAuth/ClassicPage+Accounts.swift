import IDXBase
import IDX

// The steps about passwords and accounts.
extension ClassicPage {
  /// PASSWORD_WARN, PASSWORD_EXPIRED and PASSWORD_RESET: a new password.
  func askNewPassword(_ transaction: ClassicTransaction, _ draft: inout IDXResponse.Draft) {
    let skips = [transaction.link("skip").map { form(.skip, at: $0) }].compactMap(\.self)
    if let page = transaction.next, page.isPage {
      let isWarning = transaction.status == .passwordWarn
      let name: Remediation.Name =
        isWarning ? .reenrollCustomPasswordExpiryWarning : .reenrollCustomPasswordExpiry
      draft.messages.append(
        IDXMessage.Draft("Change your password at \(page.title ?? page.href).", kind: .info))
      draft.remediations = [form(name, at: page)] + skips
      return
    }
    let policy = transaction.embedded?["policy"]
    let days = policy?["expiration"]?["passwordExpireDays"]
    var settings: JSONValue = ["complexity": policy?["complexity"] ?? [:]]
    if let days { settings = settings.adding("daysToExpiry", days) }
    if let age = policy?["age"] { settings = settings.adding("age", age) }
    draft.currentAuthenticator = Self.password(settings: settings)
    let old = Remediation.Field.Draft(
      "oldPassword", label: "Current password", isRequired: true, isSecret: true)
    let new = Remediation.Field.Draft(
      "passcode", label: "New password", isRequired: true, isSecret: true)
    let name: Remediation.Name =
      switch transaction.status {
      case .passwordWarn: .reenrollAuthenticatorWarning
      case .passwordReset: .resetAuthenticator
      default: .reenrollAuthenticator
      }
    let fields = transaction.status == .passwordReset ? [new] : [old, new]
    draft.remediations =
      step(name, [Remediation.Field.Draft("credentials", form: fields)], at: transaction.next)
      + skips
  }

  /// RECOVERY and RECOVERY_CHALLENGE: what shows that the account is the person's.
  func askRecovery(_ transaction: ClassicTransaction, _ draft: inout IDXResponse.Draft) {
    if transaction.status == .recovery {
      let question = transaction.embedded?["user"]?["recovery_question"]?["question"] ?? .null
      draft.currentAuthenticator = IDXAuthenticator.Draft(
        .securityQuestion, type: "security_question", displayName: "Security question",
        methods: ["security_question"],
        contextualData: ["enrolledQuestion": ["questionKey": "recovery", "question": question]])
      draft.remediations = step(
        .challengeAuthenticator, [proof("answer", label: "Answer", isSecret: true)],
        at: transaction.next)
      return
    }
    let channel = transaction.json["factorType"]?.string.flatMap(ClassicChannel.init) ?? .email
    draft.currentAuthenticator = channel.authenticator(actions: resendForms(of: transaction))
    if let next = transaction.next {
      draft.remediations = step(
        .challengeAuthenticator, [proof("passcode", label: "Code")], at: next)
    } else {
      draft.messages.append(
        IDXMessage.Draft(
          "A mail was sent, if there is such a user. Paste the link in it here, or go on in a "
            + "browser with it.", kind: .info))
      draft.remediations = [
        form(
          .challengeAuthenticator,
          [proof("passcode", label: "Link in the mail", isSecret: true)],
          isAboutAuthenticator: true),
        form(.selectIdentify),
      ]
    }
  }

  /// CONSENT_REQUIRED and ADMIN_CONSENT_REQUIRED: what the app may do.
  func askConsent(_ transaction: ClassicTransaction, _ draft: inout IDXResponse.Draft) {
    let scopes = (transaction.embedded?["scopes"]?.array ?? []).compactMap { scope in
      scope["displayName"]?.string ?? scope["name"]?.string
    }
    let list = scopes.isEmpty ? "." : ": \(scopes.joined(separator: ", "))."
    draft.messages.append(IDXMessage.Draft("The app asks for leave\(list)", kind: .warning))
    draft.remediations = step(.consent, at: transaction.next, isAboutAuthenticator: false)
  }

  private func proof(_ name: String, label: String, isSecret: Bool = false)
    -> Remediation.Field.Draft
  {
    Remediation.Field.Draft(
      "credentials",
      form: [Remediation.Field.Draft(name, label: label, isRequired: true, isSecret: isSecret)])
  }
}
