import IDX

// The steps of second factors: which one, its proof, and how one is set up.
extension ClassicPage {
  /// How often the server is asked for news: it does not say, and its own page does so every 4 s.
  private static let pace: Duration = .seconds(4)

  /// MFA_REQUIRED: which factor, or the proof of the one that was picked.
  func askFactor(of transaction: ClassicTransaction, _ draft: inout Response.Draft) {
    let factors = transaction.factors.filter { $0.verify != nil }
    draft.enrollments = factors.map { $0.authenticator() }
    let choice = choice(.selectAuthenticatorAuthenticate, among: factors)
    guard let picked = picked(among: factors) else {
      draft.remediations = choice
      return
    }
    draft.currentAuthenticator = picked.authenticator()
    draft.remediations = proof(of: picked, at: picked.verify) + (factors.count > 1 ? choice : [])
  }

  /// MFA_CHALLENGE: the proof of what was sent, or the news of a push.
  func askProof(of transaction: ClassicTransaction, _ draft: inout Response.Draft) {
    guard let factor = transaction.factors.first else { return }
    let resends = resendForms(of: transaction)
    if let words = Self.words(for: transaction.factorResult, of: factor) {
      draft.messages.append(words)
    }
    if transaction.isPolled {
      draft.currentAuthenticator = factor.authenticator(
        transaction.number.map { ["correctAnswer": $0] }, actions: resends)
      draft.remediations = step(.challengePoll, at: transaction.next, refresh: Self.pace)
    } else if factor.type == "push" {
      // It came to nothing, and posting it once more sends another.
      draft.enrollments = [factor.authenticator()]
      draft.remediations = choice(.selectAuthenticatorAuthenticate, among: [factor])
    } else {
      let challenge = factor.type == "webauthn" ? transaction.passkeyChallenge : nil
      draft.currentAuthenticator = factor.authenticator(
        challenge.map { ["challengeData": $0] }, actions: resends)
      draft.remediations = proof(of: factor, at: transaction.next)
    }
  }

  /// MFA_ENROLL: what to set up, or what has to be known first of the one that was picked.
  func askEnrollment(of transaction: ClassicTransaction, _ draft: inout Response.Draft) {
    let factors = transaction.factors.filter(\.canBeSetUp)
    let skip = transaction.link("skip").map { form(.skip, at: $0) }
    draft.enrollments = transaction.factors.filter(\.isSetUp).map { $0.authenticator() }
    draft.authenticators = factors.map { $0.authenticator() }
    let choice = choice(.selectAuthenticatorEnroll, among: factors)
    guard let picked = picked(among: factors) else {
      draft.remediations = choice + [skip].compactMap(\.self)
      return
    }
    draft.currentAuthenticator = picked.authenticator()
    draft.remediations = [data(of: picked)] + choice + [skip].compactMap(\.self)
  }

  /// MFA_ENROLL_ACTIVATE: the first proof of what is being set up.
  func askActivation(of transaction: ClassicTransaction, _ draft: inout Response.Draft) {
    guard let factor = transaction.factor else { return }
    let activation = factor.embedded?["activation"]
    var data: JSON?
    if let secret = activation?["sharedSecret"] { data = ["sharedSecret": secret] }
    if let image = context.image {
      data = (data ?? [:]).adding("qrcode", ["href": .string(image.dataURI)])
        .adding("selectedChannel", "qrcode")
    }
    if factor.type == "webauthn", let activation { data = ["activationData": activation] }
    let result = activation?["factorResult"]?.string ?? transaction.factorResult
    if let words = Self.words(for: result, of: factor) { draft.messages.append(words) }
    if factor.type == "push", transaction.next != nil, !transaction.isPolled {
      // As with a proof: posting it once more begins anew.
      draft.authenticators = [factor.authenticator()]
      draft.remediations = choice(.selectAuthenticatorEnroll, among: [factor])
    } else {
      draft.currentAuthenticator = factor.authenticator(
        data, actions: resendForms(of: transaction))
      draft.remediations =
        transaction.isPolled
        ? step(.enrollPoll, at: transaction.next, refresh: Self.pace)
        : proof(of: factor, at: transaction.next, as: .enrollAuthenticator)
    }
    if let skip = transaction.link("skip") { draft.remediations.append(form(.skip, at: skip)) }
  }

  /// The forms that send it again; with several channels each has the name of its own.
  func resendForms(of transaction: ClassicTransaction) -> [Remediation.Draft] {
    let links = transaction.resends
    return links.map { link in
      let name = links.count > 1 ? link.name.map { "-\($0)" } ?? "" : ""
      return form(Remediation.Name(rawValue: Remediation.Name.resend.rawValue + name), at: link)
    }
  }

  // MARK: Forms

  private func picked(among factors: [ClassicFactor]) -> ClassicFactor? {
    context.factor.flatMap { pick in factors.first { $0.pick == pick } }
  }

  private func choice(
    _ name: Remediation.Name, among factors: [ClassicFactor]
  ) -> [Remediation.Draft] {
    guard !factors.isEmpty else { return [] }
    let list = name == .selectAuthenticatorEnroll ? "authenticators" : "authenticatorEnrollments"
    let options = zip(factors, factors.labels).enumerated().map { index, factor in
      Field.Option.Draft(
        factor.1, form: [Field.Draft(fixed: "id", .string(factor.0.pick))],
        relatesTo: "$.\(list).value[\(index)]")
    }
    return [form(name, [Field.Draft("authenticator", options: options)])]
  }

  private func proof(
    of factor: ClassicFactor, at link: ClassicTransaction.Link?,
    as name: Remediation.Name = .challengeAuthenticator
  ) -> [Remediation.Draft] {
    let fields: [Field.Draft]
    if factor.isTyped {
      fields = [Field.Draft("passcode", label: "Code", isRequired: true)]
    } else if factor.type == "question" {
      fields = [Field.Draft("answer", label: "Answer", isRequired: true, isSecret: true)]
    } else if factor.type == "webauthn" {
      let names =
        name == .enrollAuthenticator
        ? ["attestation", "clientData"]
        : ["authenticatorData", "clientData", "signatureData"]
      fields = names.map { Field.Draft($0, isRequired: true, isVisible: false) }
    } else {
      // What only a page of its own can do.
      fields = [Field.Draft("response", isRequired: true, isVisible: false)]
    }
    return step(name, [Field.Draft("credentials", form: fields)], at: link)
  }

  /// What has to be known before a factor is set up.
  private func data(of factor: ClassicFactor) -> Remediation.Draft {
    if factor.isHandedOut {
      return form(
        .enrollAuthenticator, [Field.Draft("credentials", form: token(of: factor))],
        at: factor.enroll, isAboutAuthenticator: true)
    }
    guard factor.type == "question" else {
      let number = Field.Draft(
        "phoneNumber", label: "Phone number, such as +1 555 123 4567", isRequired: true)
      return form(
        .authenticatorEnrollmentData, [Field.Draft("authenticator", form: [number])],
        at: factor.enroll, isAboutAuthenticator: true)
    }
    let known = (context.questions?.array ?? []).compactMap { json in
      json["question"]?.string.map { (label: json["questionText"]?.string ?? $0, value: $0) }
    }
    let question =
      known.isEmpty
      ? Field.Draft("questionKey", label: "Key of the question", isRequired: true)
      : Field.Draft("questionKey", label: "Question", choices: known)
    let answer = Field.Draft("answer", label: "Answer", isRequired: true, isSecret: true)
    return form(
      .enrollAuthenticator, [Field.Draft("credentials", form: [question, answer])],
      at: factor.enroll, isAboutAuthenticator: true)
  }

  /// What tells a token from others, and proves that it is in hand.
  private func token(of factor: ClassicFactor) -> [Field.Draft] {
    let id = Field.Draft("credentialId", label: "ID of the token", isRequired: true)
    let code = Field.Draft("passcode", label: "Code", isRequired: true)
    let next = Field.Draft("nextPasscode", label: "The code after it", isRequired: true)
    return switch factor.key {
    case .yubiKey: [code]
    case .symantecVIP: [id, code, next]
    default: [id, code]
    }
  }

  /// What to say about how a factor stands; nil where nothing happened.
  private static func words(
    for result: String?, of factor: ClassicFactor
  ) -> Message.Draft? {
    switch result {
    case nil, "CHALLENGE", "WAITING", "SUCCESS": nil
    case "REJECTED": Message.Draft("It was rejected on the device.", key: .pushRejected)
    case "TIMEOUT": Message.Draft("Nobody answered in time.", key: .pushTimedOut)
    case "CANCELLED": Message.Draft("It was called off.")
    case "TIME_WINDOW_EXCEEDED": Message.Draft("The code is too old.", key: .passcodeInvalid)
    case "PASSCODE_REPLAYED":
      Message.Draft("The code was used before. Wait for the next one.", key: .softTokenUsed)
    default: Message.Draft("“\(factor.label)” failed. Try again.")
    }
  }
}

extension Message.Key {
  static let pushRejected: Self = "api.authn.poll.error.push_rejected"
  static let pushTimedOut: Self = "api.authn.poll.error.push_timeout"
}
