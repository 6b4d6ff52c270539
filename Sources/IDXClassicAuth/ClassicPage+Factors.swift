import IDXBase
import IDX

// The steps of second factors: which one, and its proof.
extension ClassicPage {
  /// How often the server is asked for news: it does not say, and its own page does so every 4 s.
  static let pace: Duration = .seconds(4)

  /// MFA_REQUIRED: which factor, or the proof of the one that was picked.
  func askFactor(of transaction: ClassicTransaction, _ draft: inout IDXResponse.Draft) {
    let factors = transaction.factors.filter { transaction.verify($0) != nil }
    draft.enrollments = factors.map { $0.authenticator() }
    let choice = choice(.selectAuthenticatorAuthenticate, among: factors)
    guard let picked = picked(among: factors) else {
      draft.remediations = choice
      return
    }
    draft.currentAuthenticator = picked.authenticator()
    draft.remediations =
      proof(of: picked, at: transaction.verify(picked)) + (factors.count > 1 ? choice : [])
  }

  /// MFA_CHALLENGE: the proof of what was sent, or the news of a push.
  func askProof(of transaction: ClassicTransaction, _ draft: inout IDXResponse.Draft) {
    // Passkeys may be asked for all at once.
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

  /// The forms that send it again; with several channels each has the name of its own.
  func resendForms(of transaction: ClassicTransaction) -> [Remediation.Draft] {
    let links = transaction.resends
    return links.map { link in
      let name = links.count > 1 ? link.name.map { "-\($0)" } ?? "" : ""
      return form(Remediation.Name(rawValue: Remediation.Name.resend.rawValue + name), at: link)
    }
  }

  // MARK: Forms

  func picked(among factors: [ClassicFactor]) -> ClassicFactor? {
    context.factor.flatMap { pick in factors.first { $0.pick == pick } }
  }

  func choice(
    _ name: Remediation.Name, among factors: [ClassicFactor]
  ) -> [Remediation.Draft] {
    guard !factors.isEmpty else { return [] }
    let choices = zip(factors.labels, factors).map { ($0, ["id": JSONValue.string($1.pick)]) }
    let container: IDXAuthenticator.Container =
      name == .selectAuthenticatorEnroll ? .authenticators : .authenticatorEnrollments
    return [form(name, [Remediation.Field.Draft("authenticator", among: container, choices)])]
  }

  func proof(
    of factor: ClassicFactor, at link: ClassicTransaction.Link?,
    as name: Remediation.Name = .challengeAuthenticator
  ) -> [Remediation.Draft] {
    let fields: [Remediation.Field.Draft]
    if factor.isTyped {
      fields = [Remediation.Field.Draft("passcode", label: "Code", isRequired: true)]
    } else if factor.type == "question" {
      fields = [
        Remediation.Field.Draft("answer", label: "Answer", isRequired: true, isSecret: true)
      ]
    } else if factor.type == "webauthn" {
      let names =
        name == .enrollAuthenticator
        ? ["attestation", "clientData"]
        : ["authenticatorData", "clientData", "signatureData"]
      fields = names.map { Remediation.Field.Draft($0, isRequired: true, isVisible: false) }
    } else {
      // What only a page of its own can do.
      fields = [Remediation.Field.Draft("response", isRequired: true, isVisible: false)]
    }
    return step(name, [Remediation.Field.Draft("credentials", form: fields)], at: link)
  }

  /// What to say about how a factor stands; nil where nothing happened.
  static func words(
    for result: String?, of factor: ClassicFactor
  ) -> IDXMessage.Draft? {
    switch result {
    case nil, "CHALLENGE", "WAITING", "SUCCESS": nil
    case "REJECTED": IDXMessage.Draft("It was rejected on the device.", key: .pushRejected)
    case "TIMEOUT": IDXMessage.Draft("Nobody answered in time.", key: .pushTimedOut)
    case "CANCELLED": IDXMessage.Draft("It was called off.")
    case "TIME_WINDOW_EXCEEDED": IDXMessage.Draft("The code is too old.", key: .passcodeInvalid)
    case "PASSCODE_REPLAYED":
      IDXMessage.Draft("The code was used before. Wait for the next one.", key: .softTokenUsed)
    default: IDXMessage.Draft("“\(factor.label)” failed. Try again.")
    }
  }
}

extension IDXMessage.Key {
  static let pushRejected: Self = "api.authn.poll.error.push_rejected"
  static let pushTimedOut: Self = "api.authn.poll.error.push_timeout"
}
