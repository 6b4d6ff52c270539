import IDXBase
import IDX

// The steps in which a second factor is set up.
extension ClassicPage {
  /// MFA_ENROLL: what to set up, or what has to be known first of the one that was picked.
  func askEnrollment(of transaction: ClassicTransaction, _ draft: inout IDXResponse.Draft) {
    let factors = transaction.factors.filter(\.canBeSetUp)
    let skip = transaction.link("skip").map { form(.skip, at: $0) }
    draft.enrollments = transaction.factors.filter(\.isSetUp).map { $0.authenticator() }
    draft.authenticators = factors.map { $0.authenticator() }
    let choice = choice(.selectAuthenticatorEnroll, among: factors)
    let picked = picked(among: factors)
    draft.currentAuthenticator = picked?.authenticator()
    draft.remediations =
      [picked.map(data)].compactMap(\.self) + choice + [skip].compactMap(\.self)
  }

  /// MFA_ENROLL_ACTIVATE: the first proof of what is being set up.
  func askActivation(of transaction: ClassicTransaction, _ draft: inout IDXResponse.Draft) {
    guard let factor = transaction.factor else { return }
    let activation = factor.embedded?["activation"]
    var data: JSONValue?
    if let secret = activation?["sharedSecret"] { data = ["sharedSecret": secret] }
    if let image = context.image {
      data = (data ?? [:]).adding("qrcode", ["href": .string(image.dataURI)])
        .adding("selectedChannel", "qrcode")
    }
    if factor.type == "webauthn", let activation { data = ["activationData": activation] }
    let result = activation?["factorResult"]?.string ?? transaction.factorResult
    if let words = Self.words(for: result, of: factor) { draft.messages.append(words) }
    draft.currentAuthenticator = factor.authenticator(
      data, actions: resendForms(of: transaction) + sendForms(of: transaction))
    if transaction.isPolled {
      draft.remediations = step(.enrollPoll, at: transaction.next, refresh: Self.pace)
    } else if factor.type == "push" {
      // It was not scanned in time, and posting it once more brings another image.
      draft.remediations = step(.enrollAuthenticator, at: transaction.next)
    } else {
      draft.remediations = proof(of: factor, at: transaction.next, as: .enrollAuthenticator)
    }
    if let skip = transaction.link("skip") { draft.remediations.append(form(.skip, at: skip)) }
  }

  /// The forms that send a link in place of what is to be scanned.
  private func sendForms(of transaction: ClassicTransaction) -> [Remediation.Draft] {
    transaction.sends.compactMap { link in
      link.name.map { channel in
        form(
          Remediation.Name(rawValue: "\(Remediation.Name.send)-\(channel)"),
          channel == "sms" ? [Self.phoneNumber] : [], at: link)
      }
    }
  }

  private static let phoneNumber = Remediation.Field.Draft(
    "phoneNumber", label: "Phone number, such as +15551234567", isRequired: true)

  /// What has to be known before a factor is set up.
  private func data(of factor: ClassicFactor) -> Remediation.Draft {
    if factor.isToken { return token(factor) }
    guard factor.type == "question" else {
      return form(
        .authenticatorEnrollmentData,
        [Remediation.Field.Draft("authenticator", form: [Self.phoneNumber])], at: factor.enroll,
        isAboutAuthenticator: true)
    }
    let known = (context.questions?.array ?? []).compactMap { json in
      json["question"]?.string.map { (label: json["questionText"]?.string ?? $0, value: $0) }
    }
    let question =
      known.isEmpty
      ? Remediation.Field.Draft(
        "questionKey", label: "Key of the question", isRequired: true)
      : Remediation.Field.Draft("questionKey", label: "Question", choices: known)
    let answer = Remediation.Field.Draft(
      "answer", label: "Answer", isRequired: true, isSecret: true)
    return form(
      .enrollAuthenticator, [Remediation.Field.Draft("credentials", form: [question, answer])],
      at: factor.enroll, isAboutAuthenticator: true)
  }

  /// A token is set up by what stands on it and what it shows.
  private func token(_ factor: ClassicFactor) -> Remediation.Draft {
    let known = factor.json["profile"]?["credentialId"]
    let id = Remediation.Field.Draft(
      "credentialId", label: "Credential ID", isRequired: true, value: known)
    let code = Remediation.Field.Draft("passcode", label: "Code", isRequired: true)
    let next = Remediation.Field.Draft("nextPasscode", label: "The code after it", isRequired: true)
    let fields =
      switch factor.key {
      case .yubiKey: [code]
      case .symantecVIP: [id, code, next]
      default: [id, code]
      }
    return form(
      .enrollAuthenticator, [Remediation.Field.Draft("credentials", form: fields)],
      at: factor.enroll,
      isAboutAuthenticator: true)
  }
}
