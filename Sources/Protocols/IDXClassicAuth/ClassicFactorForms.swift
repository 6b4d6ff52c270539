import IDX
import IDXBase

/// Builds the steps of second factors: to choose one, to prove it, and to set it up.
struct ClassicFactorForms {
  let builder: ClassicResponseBuilder
  let transaction: ClassicTransaction

  /// The time between two polls, which the server does not say: Okta's own page waits 4 seconds.
  private static let pollInterval: Duration = .seconds(4)

  private var clientState: ClassicClientState { builder.clientState }

  // MARK: Proving a factor

  /// MFA_REQUIRED: asks for a factor, or for the proof of the chosen one.
  func askForFactor(in draft: inout IDXResponse.Draft) {
    let factors = transaction.provableFactors
    draft.enrollments = factors.map { $0.authenticator() }
    let choice = choice(.selectAuthenticatorAuthenticate, among: factors)
    let chosen = chosen(among: factors)
    draft.currentAuthenticator = chosen?.authenticator()
    draft.remediations = chosen.map { proof(of: $0, at: transaction.verify($0)) } ?? []
    if chosen == nil || factors.count > 1 { draft.remediations += choice }
  }

  /// MFA_CHALLENGE: asks for the code that was sent, or waits for the push.
  func askForProof(in draft: inout IDXResponse.Draft) {
    // Several passkeys can share one challenge.
    guard let factor = transaction.factors.first else { return }
    let resends = builder.resendForms(of: transaction)
    if let message = factor.message(for: transaction.factorResult) {
      draft.messages.append(message)
    }
    if transaction.isPolled {
      draft.currentAuthenticator = factor.authenticator(
        transaction.number.map { ["correctAnswer": $0] }, actions: resends)
      draft.remediations = builder.step(
        .challengePoll, at: transaction.next, refresh: Self.pollInterval)
    } else if factor.type == "push" {
      // The push was rejected or timed out. Choosing the factor again sends another one.
      draft.enrollments = [factor.authenticator()]
      draft.remediations = choice(.selectAuthenticatorAuthenticate, among: [factor])
    } else {
      let challenge = factor.type == "webauthn" ? transaction.passkeyChallenge : nil
      draft.currentAuthenticator = factor.authenticator(
        challenge.map { ["challengeData": $0] }, actions: resends)
      draft.remediations = proof(of: factor, at: transaction.next)
    }
  }

  private func proof(
    of factor: ClassicFactor, at link: ClassicTransaction.Link?,
    as name: Remediation.Name = .challengeAuthenticator
  ) -> [Remediation.Draft] {
    func hidden(_ names: String...) -> [Remediation.Field.Draft] {
      names.map { Remediation.Field.Draft($0, isRequired: true, isVisible: false) }
    }
    let fields =
      switch factor.type {
      case _ where factor.isTyped: [Self.code]
      case "question": [Self.answer]
      case "webauthn" where name == .enrollAuthenticator: hidden("attestation", "clientData")
      case "webauthn": hidden("authenticatorData", "clientData", "signatureData")
      // Only a web page of the provider can prove it.
      default: hidden("response")
      }
    let credentials = Remediation.Field.Draft("credentials", form: fields)
    let remembers = name == .challengeAuthenticator ? [rememberDevice].compactMap(\.self) : []
    return builder.step(name, [credentials] + remembers, at: link)
  }

  /// The question whether the server remembers the device; nil if its policy does not allow that.
  private var rememberDevice: Remediation.Field.Draft? {
    let policy = transaction.embedded?["policy"]
    guard policy?["allowRememberDevice"]?.bool == true else { return nil }
    return Remediation.Field.Draft(
      "rememberDevice", label: "Do not ask for this on this device again", type: .boolean,
      value: policy?["rememberDeviceByDefault"]?.bool.map(JSONValue.bool))
  }

  // MARK: Setting up a factor

  /// MFA_ENROLL: asks what to set up, or for the data that the chosen factor needs.
  func askForEnrollment(in draft: inout IDXResponse.Draft) {
    let factors = transaction.factors.filter(\.canBeSetUp)
    draft.enrollments = transaction.factors.filter(\.isSetUp).map { $0.authenticator() }
    draft.authenticators = factors.map { $0.authenticator() }
    let chosen = chosen(among: factors)
    draft.currentAuthenticator = chosen?.authenticator()
    draft.remediations =
      [chosen.map(data)].compactMap(\.self) + choice(.selectAuthenticatorEnroll, among: factors)
      + skip
  }

  /// MFA_ENROLL_ACTIVATE: asks for the first proof of the factor that is being set up.
  func askForActivation(in draft: inout IDXResponse.Draft) {
    guard let factor = transaction.factor else { return }
    let activation = factor.embedded?["activation"]
    var data: JSONValue?
    if let secret = activation?["sharedSecret"] { data = ["sharedSecret": secret] }
    if let image = clientState.image {
      data = (data ?? [:]).adding("qrcode", ["href": .string(image.dataURI)])
        .adding("selectedChannel", "qrcode")
    }
    if factor.type == "webauthn", let activation { data = ["activationData": activation] }
    let result = activation?["factorResult"]?.string ?? transaction.factorResult
    if let message = factor.message(for: result) { draft.messages.append(message) }
    draft.currentAuthenticator = factor.authenticator(
      data, actions: builder.resendForms(of: transaction) + sendForms)
    let next = transaction.next
    if transaction.isPolled {
      draft.remediations = builder.step(.enrollPoll, at: next, refresh: Self.pollInterval)
    } else if factor.type == "push" {
      // The QR code was not scanned in time. Submitting the form gets another one.
      draft.remediations = builder.step(.enrollAuthenticator, at: next)
    } else {
      draft.remediations = proof(of: factor, at: next, as: .enrollAuthenticator)
    }
    draft.remediations += skip
  }

  /// The form that skips setting up a factor; empty if it is not optional.
  private var skip: [Remediation.Draft] {
    builder.step(.skip, at: transaction.link("skip"), isAboutAuthenticator: false)
  }

  /// The forms that send a link instead of the QR code.
  private var sendForms: [Remediation.Draft] {
    transaction.sends.compactMap { link in
      link.name.map { channel in
        builder.form(
          Remediation.Name(rawValue: "\(Remediation.Name.send)-\(channel)"),
          channel == "sms" ? [Self.phoneNumber] : [], at: link)
      }
    }
  }

  /// The form for the data that a factor needs before it is set up.
  private func data(of factor: ClassicFactor) -> Remediation.Draft {
    let isPhone = !factor.isToken && factor.type != "question"
    let form =
      isPhone
      ? [Self.phoneNumber] : factor.isToken ? tokenFields(of: factor) : [question, Self.answer]
    return builder.form(
      isPhone ? .authenticatorEnrollmentData : .enrollAuthenticator,
      [Remediation.Field.Draft(isPhone ? "authenticator" : "credentials", form: form)],
      at: factor.enroll, isAboutAuthenticator: true)
  }

  /// The choice of a question, or its key as text if the questions are not known.
  private var question: Remediation.Field.Draft {
    let known = (clientState.questions?.array ?? []).compactMap { json in
      json["question"]?.string.map { (label: json["questionText"]?.string ?? $0, value: $0) }
    }
    return known.isEmpty
      ? Remediation.Field.Draft("questionKey", label: "Question key", isRequired: true)
      : Remediation.Field.Draft("questionKey", label: "Question", choices: known)
  }

  /// The ID on a hardware token and the codes that it shows.
  private func tokenFields(of factor: ClassicFactor) -> [Remediation.Field.Draft] {
    let id = Remediation.Field.Draft(
      "credentialId", label: "Credential ID", isRequired: true,
      value: factor.json["profile"]?["credentialId"])
    let next = Remediation.Field.Draft("nextPasscode", label: "Next code", isRequired: true)
    return switch factor.key {
    case .yubiKey: [Self.code]
    case .symantecVIP: [id, Self.code, next]
    default: [id, Self.code]
    }
  }

  // MARK: Parts

  private static let code = Remediation.Field.Draft("passcode", label: "Code", isRequired: true)

  private static let answer = Remediation.Field.Draft(
    "answer", label: "Answer", isRequired: true, isSecret: true)

  private static let phoneNumber = Remediation.Field.Draft(
    "phoneNumber", label: "Phone number, such as +15551234567", isRequired: true)

  private func chosen(among factors: [ClassicFactor]) -> ClassicFactor? {
    clientState.factor.flatMap { id in factors.first { $0.id == id } }
  }

  private func choice(
    _ name: Remediation.Name, among factors: [ClassicFactor]
  ) -> [Remediation.Draft] {
    guard !factors.isEmpty else { return [] }
    // Screens tell equal labels apart.
    let choices = factors.map { factor in
      (factor.label, ["id": JSONValue.string(factor.id), "methodType": .string(factor.method)])
    }
    let container: IDXAuthenticator.Container =
      name == .selectAuthenticatorEnroll ? .authenticators : .authenticatorEnrollments
    return [
      builder.form(name, [Remediation.Field.Draft("authenticator", among: container, choices)])
    ]
  }
}
