import IDXBase
import IDX
import IDXFlow

/// Tells in the words of Identity Engine what a sign-in by the classic API wants next.
struct ClassicPage {
  /// Where a sign-in begins: what a form is sent to that has no link.
  let base: String
  let context: ClassicContext
  /// What the server said last; nil before the password.
  let transaction: ClassicTransaction?
  var messages: [IDXMessage.Draft] = []

  /// What is wanted next.
  func draft() -> IDXResponse.Draft {
    var draft = IDXResponse.Draft()
    draft.original = transaction?.json
    draft.expiresAt = transaction?.json["expiresAt"]?.string
    draft.messages = messages
    draft.username = transaction?.login ?? context.username
    switch context.place {
    case .username: draft.remediations = [identify, form(.unlockAccount)]
    case .password: askPassword(&draft)
    case .recovery: askWhereToSend(&draft)
    case .unlock: askWhomToUnlock(&draft)
    case .transaction:
      guard let transaction else { break }
      tell(transaction, &draft)
      guard transaction.status != .success else { break }
      if draft.remediations.isEmpty { draft.messages.append(Self.unknownStatus(transaction)) }
      let ways: [(String, Remediation.Name)] = [("prev", .previous), ("cancel", .cancel)]
      draft.actions = ways.compactMap { link, name in
        transaction.link(link).map { form(name, at: $0) }
      }
    }
    return draft
  }

  /// A response that offers nothing any more, and says why.
  static func end(
    _ messages: [IDXMessage.Draft], after json: JSONValue?
  ) -> IDXResponse.Draft {
    var draft = IDXResponse.Draft()
    draft.messages = messages
    draft.original = json
    return draft
  }

  private func tell(_ transaction: ClassicTransaction, _ draft: inout IDXResponse.Draft) {
    switch transaction.status {
    case .mfaRequired: askFactor(of: transaction, &draft)
    case .mfaChallenge: askProof(of: transaction, &draft)
    case .mfaEnroll: askEnrollment(of: transaction, &draft)
    case .mfaEnrollActivate: askActivation(of: transaction, &draft)
    case .passwordWarn, .passwordExpired, .passwordReset: askNewPassword(transaction, &draft)
    case .recovery, .recoveryChallenge: askRecovery(transaction, &draft)
    case .lockedOut:
      draft.messages.append(IDXMessage.Draft("The account is locked.", key: "errors.E0000069"))
      draft.remediations = [form(.unlockAccount)]
    case .consentRequired, .adminConsentRequired: askConsent(transaction, &draft)
    case .deviceActivate:
      let code = Remediation.Field.Draft("userCode", label: "Code on the device", isRequired: true)
      draft.remediations = step(
        .userCode, [code], at: transaction.next, isAboutAuthenticator: false)
    case .success:
      if transaction.sessionToken == nil {
        let words =
          transaction.recoveryType == "UNLOCK" ? "The account is unlocked." : "It is done."
        draft.messages.append(IDXMessage.Draft(words, kind: .info))
        // Nobody is signed in, and may want to be.
        draft.actions = [form(.cancel)]
      }
    default: break
    }
  }

  private static func unknownStatus(_ transaction: ClassicTransaction) -> IDXMessage.Draft {
    IDXMessage.Draft(
      "The server asks for “\(transaction.status)” in a way that this version does not know. "
        + "Sign in with a browser, or start over.")
  }

  // MARK: Who signs in

  private var identify: Remediation.Draft { form(.identify, [.username(context.username)]) }

  private func askPassword(_ draft: inout IDXResponse.Draft) {
    let password = Remediation.Field.Draft(
      "passcode", label: "Password", isRequired: true, isSecret: true)
    draft.currentAuthenticator = Self.password(actions: [form(.recover)])
    draft.remediations = [
      form(
        .challengeAuthenticator, [Remediation.Field.Draft("credentials", form: [password])],
        isAboutAuthenticator: true),
      form(.unlockAccount),
    ]
    draft.actions = [form(.cancel)]
  }

  private func askWhereToSend(_ draft: inout IDXResponse.Draft) {
    draft.authenticators = ClassicChannel.allCases.map(\.authenticator)
    draft.remediations = [
      form(.selectAuthenticatorAuthenticate, [ClassicChannel.choice]), form(.selectIdentify),
    ]
    draft.actions = [form(.cancel)]
  }

  private func askWhomToUnlock(_ draft: inout IDXResponse.Draft) {
    draft.authenticators = ClassicChannel.allCases.map(\.authenticator)
    draft.remediations = [
      form(
        .selectAuthenticatorUnlockAccount, [.username(context.username), ClassicChannel.choice]),
      form(.selectIdentify),
    ]
    draft.actions = [form(.cancel)]
  }

  // MARK: Parts

  /// The password, as what a step is about.
  static func password(
    settings: JSONValue? = nil, actions: [Remediation.Draft] = []
  ) -> IDXAuthenticator.Draft {
    IDXAuthenticator.Draft(
      .password, type: "password", displayName: "Password", methods: ["password"],
      settings: settings, actions: actions)
  }

  /// What the server wants next; nothing where it does not say where to send it.
  func step(
    _ name: Remediation.Name, _ fields: [Remediation.Field.Draft] = [],
    at link: ClassicTransaction.Link?,
    isAboutAuthenticator: Bool = true, refresh: Duration? = nil
  ) -> [Remediation.Draft] {
    guard let link else { return [] }
    return [
      form(name, fields, at: link, isAboutAuthenticator: isAboutAuthenticator, refresh: refresh)
    ]
  }

  /// A form; one without a link sends nothing, or to the start.
  func form(
    _ name: Remediation.Name, _ fields: [Remediation.Field.Draft] = [],
    at link: ClassicTransaction.Link? = nil, isAboutAuthenticator: Bool = false,
    refresh: Duration? = nil
  ) -> Remediation.Draft {
    Remediation.Draft(
      name, href: link?.href ?? base,
      fields: fields,
      relatesTo: isAboutAuthenticator ? ["$.currentAuthenticator"] : [], refresh: refresh)
  }
}
