import IDX
import IDXBase
import IDXFlow

/// Builds the response for the next step; ``ClassicFactorForms`` builds the steps of second factors.
struct ClassicResponseBuilder {
  /// The address of forms for which the server sent no link.
  let base: String
  let clientState: ClassicClientState
  /// The last transaction of the server; nil before the password.
  let transaction: ClassicTransaction?
  var messages: [IDXMessage.Draft] = []

  /// The response.
  func draft() -> IDXResponse.Draft {
    var draft = IDXResponse.Draft(
      messages: messages, username: transaction?.login ?? clientState.username,
      original: transaction?.json)
    draft.expiresAt = transaction?.json["expiresAt"]?.string
    switch clientState.step {
    case .username:
      draft.remediations = [
        form(.identify, [.username(clientState.username)]), form(.unlockAccount),
      ]
    case .password: askForPassword(in: &draft)
    case .recovery:
      askForRecoveryChannel(.selectAuthenticatorAuthenticate, after: [], in: &draft)
    case .unlock:
      askForRecoveryChannel(
        .selectAuthenticatorUnlockAccount, after: [.username(clientState.username)], in: &draft)
    case .transaction:
      guard let transaction else { break }
      describe(transaction, in: &draft)
      guard transaction.status != .success else { break }
      if draft.remediations.isEmpty { draft.messages.append(Self.unknownStatus(transaction)) }
      let actions: [(String, Remediation.Name)] = [("prev", .previous), ("cancel", .cancel)]
      draft.actions = actions.compactMap { link, name in
        transaction.link(link).map { form(name, at: $0) }
      }
    }
    return draft
  }

  private func describe(_ transaction: ClassicTransaction, in draft: inout IDXResponse.Draft) {
    let factorForms = ClassicFactorForms(builder: self, transaction: transaction)
    switch transaction.status {
    case .mfaRequired: factorForms.askForFactor(in: &draft)
    case .mfaChallenge: factorForms.askForProof(in: &draft)
    case .mfaEnroll: factorForms.askForEnrollment(in: &draft)
    case .mfaEnrollActivate: factorForms.askForActivation(in: &draft)
    case .passwordWarn, .passwordExpired, .passwordReset:
      askForNewPassword(transaction, in: &draft)
    case .recovery: askForRecoveryAnswer(transaction, in: &draft)
    case .recoveryChallenge: askForRecoveryCode(transaction, in: &draft)
    case .lockedOut:
      draft.messages.append(IDXMessage.Draft("The account is locked.", key: .userLocked))
      draft.remediations = [form(.unlockAccount)]
    case .consentRequired, .adminConsentRequired: askForConsent(transaction, in: &draft)
    case .deviceActivate:
      let code = Remediation.Field.Draft("userCode", label: "Code on the device", isRequired: true)
      draft.remediations = step(
        .userCode, [code], at: transaction.next, isAboutAuthenticator: false)
    case .success where transaction.sessionToken == nil:
      let isUnlocked = transaction.json["recoveryType"]?.string == "UNLOCK"
      let text = isUnlocked ? "The account is unlocked." : "Done."
      draft.messages.append(IDXMessage.Draft(text, kind: .info))
      // The person is not signed in and may want to start over.
      draft.actions = [form(.cancel)]
    default: break
    }
  }

  private static func unknownStatus(_ transaction: ClassicTransaction) -> IDXMessage.Draft {
    IDXMessage.Draft(
      "The server asks for “\(transaction.status)” in a form that this version does not support. "
        + "Sign in with a browser, or start over.")
  }

  // MARK: Forms

  /// The form of the current step; empty if the server sent no link for it.
  func step(
    _ name: Remediation.Name, _ fields: [Remediation.Field.Draft] = [],
    at link: ClassicTransaction.Link?, isAboutAuthenticator: Bool = true,
    refresh: Duration? = nil
  ) -> [Remediation.Draft] {
    link.map {
      [form(name, fields, at: $0, isAboutAuthenticator: isAboutAuthenticator, refresh: refresh)]
    } ?? []
  }

  /// A form; without a link, it has the address ``base``.
  func form(
    _ name: Remediation.Name, _ fields: [Remediation.Field.Draft] = [],
    at link: ClassicTransaction.Link? = nil, isAboutAuthenticator: Bool = false,
    refresh: Duration? = nil
  ) -> Remediation.Draft {
    Remediation.Draft(
      name, href: link?.href ?? base, fields: fields,
      relatesTo: isAboutAuthenticator ? ["$.currentAuthenticator"] : [], refresh: refresh)
  }

  /// The forms that send a code or push again; with several channels, each has its own name.
  func resendForms(of transaction: ClassicTransaction) -> [Remediation.Draft] {
    let links = transaction.resends
    return links.map { link in
      let suffix = links.count > 1 ? link.name.map { "-\($0)" } ?? "" : ""
      return form(Remediation.Name(rawValue: Remediation.Name.resend.rawValue + suffix), at: link)
    }
  }

  /// The field `credentials` with one text field in it.
  private func credentials(
    _ name: String, label: String, isSecret: Bool = false
  ) -> Remediation.Field.Draft {
    Remediation.Field.Draft(
      "credentials",
      form: [Remediation.Field.Draft(name, label: label, isRequired: true, isSecret: isSecret)])
  }
}

// MARK: - Passwords

extension ClassicResponseBuilder {
  private func askForPassword(in draft: inout IDXResponse.Draft) {
    draft.currentAuthenticator = Self.password(actions: [form(.recover)])
    draft.remediations = [
      form(
        .challengeAuthenticator, [credentials("passcode", label: "Password", isSecret: true)],
        isAboutAuthenticator: true),
      form(.unlockAccount),
    ]
    draft.actions = [form(.cancel)]
  }

  /// PASSWORD_WARN, PASSWORD_EXPIRED and PASSWORD_RESET: asks for a new password.
  private func askForNewPassword(
    _ transaction: ClassicTransaction, in draft: inout IDXResponse.Draft
  ) {
    let skip = step(.skip, at: transaction.link("skip"), isAboutAuthenticator: false)
    if let page = transaction.next, page.isPage {
      let isWarning = transaction.status == .passwordWarn
      let name: Remediation.Name =
        isWarning ? .reenrollCustomPasswordExpiryWarning : .reenrollCustomPasswordExpiry
      draft.messages.append(
        IDXMessage.Draft("Change your password at \(page.title ?? page.href).", kind: .info))
      draft.remediations = [form(name, at: page)] + skip
      return
    }
    let policy = transaction.embedded?["policy"]
    let settings: JSONValue = ["complexity": policy?["complexity"] ?? [:]]
    draft.currentAuthenticator = Self.password(
      settings: settings.adding("daysToExpiry", policy?["expiration"]?["passwordExpireDays"])
        .adding("age", policy?["age"]))
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
      + skip
  }

  /// The password as the current authenticator.
  private static func password(
    settings: JSONValue? = nil, actions: [Remediation.Draft] = []
  ) -> IDXAuthenticator.Draft {
    IDXAuthenticator.Draft(
      .password, type: "password", displayName: "Password", methods: ["password"],
      settings: settings, actions: actions)
  }
}

// MARK: - Recovery, unlocking and consent

extension ClassicResponseBuilder {
  /// Asks where to send the code or link, after other fields.
  private func askForRecoveryChannel(
    _ name: Remediation.Name, after fields: [Remediation.Field.Draft],
    in draft: inout IDXResponse.Draft
  ) {
    draft.authenticators = ClassicRecoveryChannel.allCases.map { $0.authenticator() }
    draft.remediations = [
      form(name, fields + [ClassicRecoveryChannel.choice]), form(.selectIdentify),
    ]
    draft.actions = [form(.cancel)]
  }

  /// RECOVERY: asks for the answer to the security question.
  private func askForRecoveryAnswer(
    _ transaction: ClassicTransaction, in draft: inout IDXResponse.Draft
  ) {
    let question = transaction.embedded?["user"]?["recovery_question"]?["question"] ?? .null
    draft.currentAuthenticator = IDXAuthenticator.Draft(
      .securityQuestion, type: "security_question", displayName: "Security question",
      methods: ["security_question"],
      contextualData: ["enrolledQuestion": ["questionKey": "recovery", "question": question]])
    draft.remediations = step(
      .challengeAuthenticator, [credentials("answer", label: "Answer", isSecret: true)],
      at: transaction.next)
  }

  /// RECOVERY_CHALLENGE: asks for the code that was sent, or for the link in the email.
  private func askForRecoveryCode(
    _ transaction: ClassicTransaction, in draft: inout IDXResponse.Draft
  ) {
    let channel =
      transaction.json["factorType"]?.string.flatMap(ClassicRecoveryChannel.init) ?? .email
    draft.currentAuthenticator = channel.authenticator(actions: resendForms(of: transaction))
    if let next = transaction.next {
      draft.remediations = step(
        .challengeAuthenticator, [credentials("passcode", label: "Code")], at: next)
      return
    }
    draft.messages.append(
      IDXMessage.Draft(
        "If the account exists, an email with a link was sent. Paste the link here, or open it in a "
          + "browser.", kind: .info))
    draft.remediations = [
      form(
        .challengeAuthenticator,
        [credentials("passcode", label: "Link in the email", isSecret: true)],
        isAboutAuthenticator: true),
      form(.selectIdentify),
    ]
  }

  /// CONSENT_REQUIRED and ADMIN_CONSENT_REQUIRED: asks to allow the scopes of the app.
  private func askForConsent(
    _ transaction: ClassicTransaction, in draft: inout IDXResponse.Draft
  ) {
    let scopes = (transaction.embedded?["scopes"]?.array ?? []).compactMap { scope in
      scope["displayName"]?.string ?? scope["name"]?.string
    }
    let list = scopes.isEmpty ? "." : ": \(scopes.joined(separator: ", "))."
    draft.messages.append(IDXMessage.Draft("The app asks for permission\(list)", kind: .warning))
    draft.remediations = step(.consent, at: transaction.next, isAboutAuthenticator: false)
  }
}

/// Where the server can send a code or link to recover or unlock an account.
///
/// The server does not say which of them a person has, so all are offered.
private enum ClassicRecoveryChannel: String, CaseIterable {
  case email = "EMAIL"
  case sms = "SMS"
  case call = "CALL"

  private var words: (label: String, method: IDXAuthenticator.Method) {
    switch self {
    case .email: ("Email", "email")
    case .sms: ("Phone, by SMS", "sms")
    case .call: ("Phone, by call", "voice")
    }
  }

  /// The authenticator of the channel.
  func authenticator(actions: [Remediation.Draft] = []) -> IDXAuthenticator.Draft {
    let isEmail = self == .email
    return IDXAuthenticator.Draft(
      isEmail ? .email : .phone, type: isEmail ? "email" : "phone",
      displayName: isEmail ? "Email" : "Phone", id: rawValue, methods: [words.method],
      actions: actions)
  }

  /// The field for the choice, with the channels in the order of the response's authenticators.
  static var choice: Remediation.Field.Draft {
    Remediation.Field.Draft(
      "authenticator", among: .authenticators,
      allCases.map {
        let method = JSONValue.string($0.words.method.rawValue)
        return ($0.words.label, ["id": .string($0.rawValue), "methodType": method])
      })
  }
}
