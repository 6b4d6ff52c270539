import IDX
import IDXFlow

/// The words for what the protocol names by key.
///
/// Labels and messages of the server come first where it sends any.
struct Wording {
  /// What a step is about, in a line; nil where its question says enough.
  func title(of step: Step) -> String? {
    let authenticator = step.authenticator.map(nameWithDetail) ?? "an authenticator"
    switch step.remediation.name {
    case .identify:
      let host = step.state.configuration.issuer.host
      return "Sign in to \(step.response.application?.label ?? host ?? "the org")"
    case .challengeAuthenticator:
      return step.authenticator?.isPassword == true ? nil : "Verify with \(authenticator)"
    case .authenticatorVerificationData, .challengePoll: return "Verify with \(authenticator)"
    case .selectAuthenticatorAuthenticate: return "Choose how to verify"
    case .selectAuthenticatorEnroll: return titleOfEnrollment(step)
    case .enrollAuthenticator, .authenticatorEnrollmentData, .enrollPoll:
      return "Set up \(authenticator)"
    case .enrollAuthenticatorPromotion: return "Set up \(authenticator)?"
    case .selectEnrollmentChannel: return "Choose how to set up \(authenticator)"
    case .enrollmentChannelData: return "Say where to send the link"
    case .launchPasskeysAuthenticator, .challengeWebAuthnAutofill: return "Sign in with a passkey"
    case .reenrollAuthenticator: return "Your password has expired. Choose a new one"
    case .reenrollAuthenticatorWarning, .reenrollCustomPasswordExpiryWarning:
      let days = step.authenticator?.passwordRules?.daysToExpiry
      return "Your password expires "
        + (days.map { $0 == 1 ? "in a day" : "in \($0) days" } ?? "soon")
    case .reenrollCustomPasswordExpiry: return "Your password has expired"
    case .resetAuthenticator:
      return step.authenticator?.isPassword == false
        ? "Set up \(authenticator) again" : "Choose a new password"
    case .identifyRecovery: return "Reset a forgotten password"
    case .selectAuthenticatorUnlockAccount, .unlockAccount: return "Unlock an account"
    case .enrollProfile, .profileUpdate:
      return step.response.user == nil ? "Sign up" : "Complete your profile"
    case .redirectIdP, .smartCard, .redirectIdVerify: return title(ofAlternative: step.remediation)
    case .consent, .adminConsent, .granularConsent: return "Allow the app?"
    case .emailChallengeConsent: return "Did you ask for this?"
    case .deviceAssuranceGracePeriod: return "Your device needs attention"
    case .userCode: return "Connect a device"
    case .requestActivationEmail: return "Activate your account"
    case .deviceChallengePoll, .launchAuthenticator: return "Verify with Okta Verify on this device"
    case .deviceAppleSSOExtension: return "Sign in with this device"
    case .resend, .poll, .keepMeSignedIn: return nil
    default: return humanized(step.remediation.name)
    }
  }

  private func titleOfEnrollment(_ step: Step) -> String {
    let offered = step.remediation["authenticator"]?.choices.compactMap(\.authenticator) ?? []
    if offered.contains(where: \.isPassword) { return "Choose what to set up" }
    return hasFactor(step) ? "Set up another factor" : "Set up a second factor"
  }

  /// What a person must know to do a step, beside its title; nil where that is nothing.
  func instruction(for step: Step) -> String? {
    // A form that asks for more than a password has to say what the rules are for.
    let isAlone = step.remediation.name != .enrollProfile
    return step.passwordRules.flatMap { sentence(for: $0, about: isAlone ? "It" : "The password") }
  }

  /// What to do with the number that shows that phone and sign-in belong together.
  func instruction(toChoose number: String, at step: Step) -> String {
    "Choose \(number) in \(step.authenticator.map(nameWithDetail) ?? "the app on your phone"):"
  }

  /// What is waited for at a step, without a full stop.
  func waiting(at step: Step) -> String {
    let authenticator = step.authenticator
    let isSetUp = step.remediation.name == .enrollPoll
    switch (isSetUp ? authenticator?.selectedChannel : nil, authenticator?.key) {
    case ("qrcode"?, _): return "Waiting for the QR code to be scanned"
    case ("sms"?, _): return "Waiting for the link in the text message to be opened"
    case ("email"?, _), (_, .email?): return "Waiting for the link in the mail to be opened"
    default: return "Waiting for \(authenticator.map(nameWithDetail) ?? "you to go on elsewhere")"
    }
  }

  /// Something else that can be done from a step, in a line.
  func title(ofAlternative form: Remediation) -> String {
    switch form.name {
    case .selectAuthenticatorAuthenticate: "Verify in another way"
    case .selectAuthenticatorEnroll: "Set up something else"
    case .skip: "Skip for now"
    case .resend: "Send it again"
    case let name where name.rawValue.hasPrefix("resend-"):
      "Send it again by \(Self.channel(name, after: "resend-"))"
    case let name where name.rawValue.hasPrefix("send-"):
      "Send a link by \(Self.channel(name, after: "send-"))"
    case .send: "Send it"
    case .enrollAuthenticator: "Back to setting up \(form.authenticators.first.map(name) ?? "it")"
    case .enrollAuthenticatorPromotion: "Set up \(form.authenticators.first.map(name) ?? "it")"
    case .launchPasskeysAuthenticator, .challengeWebAuthnAutofill: "Sign in with a passkey"
    case .challengeAuthenticator, .authenticatorVerificationData:
      "Back to \(form.authenticators.first.map(name) ?? "the question")"
    case .recover: "Reset a forgotten password"
    case .previous: "Go back"
    case .cancel: "Start over"
    case .selectEnrollProfile: "Sign up"
    case .selectIdentify: "Back to the sign-in"
    case .unlockAccount: "Unlock an account"
    case .selectEnrollmentChannel: "Set it up in another way"
    case .redirectIdP: "Sign in with \(form.identityProvider?.name ?? "an identity provider")"
    case .smartCard: "Sign in with \(form.identityProvider?.name ?? "a smart card")"
    case .redirectIdVerify: "Prove who you are with \(form.identityProvider?.name ?? "a service")"
    case .deviceAssuranceGracePeriod: "Go on for now"
    case .requestActivationEmail: "Send another mail"
    case .launchAuthenticator: "Okta FastPass"
    case .cancelPolling, .cancelPollingTransaction, .cancelTransaction: "Go on without it"
    default: form.identityProvider?.name ?? humanized(form.name)
    }
  }

  /// What a field is called where it is asked for.
  func label(of question: Question) -> String {
    if question.isRepetition { return "The same again" }
    let isAppCode =
      question.step.authenticator?.key == .googleAuthenticator && question.field.name == "passcode"
    if isAppCode { return "Code from the app" }
    if question.field.name == "answer",
      let text = question.step.authenticator?.enrolledQuestion?.text
    {
      return text
    }
    return question.field.label ?? humanized(Remediation.Name(rawValue: question.field.name))
  }

  /// What an option is called, with what tells it from others of its kind.
  func label(of option: Remediation.Field.Option) -> String {
    let authenticator = option.authenticator
    let name = option.label ?? authenticator.map(name) ?? option.value?.string ?? "no name"
    return adding(authenticator, to: name)
  }

  /// What a person may do about a message; nil where the message says enough.
  func advice(on message: IDXMessage, at step: Step, secondsRemaining: Int) -> String? {
    // Another code of such a token may come at another pace.
    let isTimed = step.authenticator?.key == .googleAuthenticator
    guard isTimed || message.key == .softTokenUsed else { return nil }
    switch message.key {
    case .softTokenUsed?: return "Wait \(secondsRemaining) s for the next code."
    case .softTokenInvalid?, .passcodeInvalid?:
      return "Check the clock of your phone, or wait \(secondsRemaining) s for the next code."
    default: return nil
    }
  }

  func name(of authenticator: IDXAuthenticator) -> String {
    authenticator.displayName
      ?? humanized(
        Remediation.Name(
          rawValue: authenticator.key?.rawValue ?? authenticator.type?.rawValue ?? "authenticator"))
  }

  private func sentence(
    for rules: IDXAuthenticator.PasswordRules, about subject: String
  ) -> String? {
    let wanted = rules.checkable.map(\.description)
    let sentences = [
      wanted.isEmpty ? nil : "\(subject) needs \(wanted.joined(separator: ", ")).",
      rules.history.map { "It must not be one of the last \($0)." },
    ].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  private func nameWithDetail(of authenticator: IDXAuthenticator) -> String {
    adding(authenticator, to: name(of: authenticator))
  }

  /// A name with what tells an enrolment from others of its kind, unless the name says it.
  private func adding(_ authenticator: IDXAuthenticator?, to name: String) -> String {
    let detail = authenticator?.nickname ?? authenticator?.phoneNumber ?? authenticator?.email
    return detail.map { name.contains($0) ? name : "\(name) (\($0))" } ?? name
  }

  /// `device-assurance` and `deviceAssurance` as “Device assurance”.
  private func humanized(_ name: Remediation.Name) -> String {
    var words = ""
    for character in name.rawValue {
      if character == "-" || character == "_" || character == "." {
        words += " "
      } else if character.isUppercase, words.last?.isLowercase == true {
        words += " " + character.lowercased()
      } else {
        words.append(character)
      }
    }
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  private static func channel(_ name: Remediation.Name, after prefix: String) -> String {
    let channel = String(name.rawValue.dropFirst(prefix.count))
    return ["sms": "SMS", "call": "a call", "email": "mail"][channel] ?? channel
  }

  private func hasFactor(_ step: Step) -> Bool {
    step.response.authenticators(in: .authenticatorEnrollments).contains { !$0.isPassword }
  }
}
