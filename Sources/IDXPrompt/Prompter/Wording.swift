import IDX
import IDXBase
import IDXFlow

/// The words for steps and authenticators, which the protocol names by keys.
///
/// Labels and messages of the server take precedence. To give a step or an authenticator words of its
/// own, add an entry to ``StepWords/all`` or ``AuthenticatorWords/all``.
struct Wording {
  /// The title of a step; nil if its question is enough.
  func title(of step: Step) -> String? {
    let form = step.remediation
    switch form.name {
    case .challengeAuthenticator where step.authenticator?.isPassword == true: return nil
    case .selectAuthenticatorEnroll: return titleOfEnrollment(step)
    case .resetAuthenticator where step.authenticator?.isPassword == false:
      return filled("Set up {authenticator} again", for: step)
    case .reenrollAuthenticatorWarning, .reenrollCustomPasswordExpiryWarning:
      let days = step.authenticator?.passwordRules?.daysToExpiry
      return "Your password expires "
        + (days.map { $0 == 1 ? "in 1 day" : "in \($0) days" } ?? "soon")
    case .enrollProfile, .profileUpdate:
      return step.response.user == nil ? "Sign up" : "Complete your profile"
    default:
      guard let title = StepWords.all[form.name]?.title else {
        return humanized(form.name.rawValue)
      }
      return title.isEmpty ? nil : filled(title, for: step)
    }
  }

  private func titleOfEnrollment(_ step: Step) -> String {
    let offered = step.remediation["authenticator"]?.choices.compactMap(\.authenticator) ?? []
    if offered.contains(where: \.isPassword) { return "Choose what to set up" }
    let enrolled = step.response.authenticators(in: .authenticatorEnrollments)
    return enrolled.contains { !$0.isPassword } ? "Set up another factor" : "Set up a second factor"
  }

  private func filled(_ title: String, for step: Step) -> String {
    let authenticator = step.authenticator.map(phraseWithDetail) ?? "an authenticator"
    let app = step.response.application?.label.map(brief)
    return filled(title, step.remediation)
      .replacing("{authenticator}", with: authenticator)
      .replacing("{app}", with: app ?? "The app")
      .replacing("{org}", with: app ?? step.state.configuration.issuer.host ?? "the org")
  }

  /// A form as one of several options.
  func title(ofAlternative form: Remediation) -> String {
    let name = form.name.rawValue
    if name.hasPrefix("resend-") { return "Send it again by \(channel(name.dropFirst(7)))" }
    if name.hasPrefix("send-") { return "Send a link by \(channel(name.dropFirst(5)))" }
    guard let option = StepWords.all[form.name]?.option else {
      return form.identityProvider?.name ?? humanized(form.name.rawValue)
    }
    return filled(option, form).replacing(
      "{authenticator}", with: form.firstAuthenticator.map(phrase) ?? "the authenticator")
  }

  private func filled(_ text: String, _ form: Remediation) -> String {
    guard let provider = StepWords.all[form.name]?.provider else { return text }
    return text.replacing(
      "{provider}", with: form.identityProvider?.name.map(brief) ?? provider)
  }

  private func channel(_ name: Substring) -> String {
    ["sms": "SMS", "call": "phone call"][name] ?? String(name)
  }

  /// How to find options that a person may look for; nil if there are none.
  func hint(at options: [Remediation]) -> String? {
    guard let first = options.first else { return nil }
    if options.count == 1, let hint = StepWords.all[first.name]?.hint { return hint }
    let titles = options.map(title(ofAlternative:)).joined(separator: ", ")
    return "Type ? for other options: \(titles)."
  }

  /// That some forms cannot be used in a terminal; nil if there are none.
  func notice(ofUnavailable forms: [Remediation]) -> String? {
    guard let first = forms.first else { return nil }
    if forms.count == 1 {
      let activity = StepWords.all[first.name]?.activity ?? title(ofAlternative: first)
      return "\(activity) doesn't work in a terminal."
    }
    let titles = forms.map(title(ofAlternative:)).joined(separator: ", ")
    return "These options don't work in a terminal: \(titles)."
  }

  /// What a person must know to do a step; nil if the title is enough.
  func instruction(for step: Step) -> String? {
    guard let rules = step.passwordRules else { return nil }
    let needed = rules.checkable.map(\.description)
    let sentences = [
      needed.isEmpty ? nil : "Password rules: \(needed.joined(separator: ", ")).",
      rules.history.map { "Do not use one of your last \($0) passwords." },
    ].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// What to do with the number that connects the phone to this sign-in.
  func instruction(toChoose number: String, at step: Step) -> String {
    "Choose \(number) in \(step.authenticator.map(phraseWithDetail) ?? "the app on your phone"):"
  }

  /// The reason for a wait, without punctuation at its end.
  func waiting(at step: Step) -> String {
    let authenticator = step.authenticator
    let channel = step.remediation.name == .enrollPoll ? authenticator?.selectedChannel : nil
    let subject =
      switch channel {
      case "qrcode"?: "you to scan the QR code"
      case "sms"?: "you to open the link in the text message"
      case "email"?: "you to open the link in the email"
      default:
        words(of: authenticator)?.wait ?? authenticator.map(phraseWithDetail)
          ?? "you to continue on another device"
      }
    return "Waiting for \(subject)"
  }

  /// What to report after the server has accepted a form; nil if the next step shows it.
  func confirmation(of form: Remediation, _ authenticator: IDXAuthenticator?) -> String? {
    switch form.name {
    // A code has to be typed after the poll.
    case .enrollPoll where authenticator?.key == .nfcPIN: nil
    case .enrollAuthenticator, .enrollPoll, .enrollAuthenticatorPromotion:
      authenticator.map { "\(name(of: $0)) is set up." }
    case .challengePoll: "Approved."
    case .resend: "Sent again."
    default: nil
    }
  }

  // MARK: Questions

  /// The label of a question.
  func label(of question: Question) -> String {
    let field = question.field
    let authenticator = question.step.authenticator
    if question.isRepetition { return "Repeat the new password" }
    if field.name == "passcode", let label = words(of: authenticator)?.codeLabel { return label }
    if field.name == "answer", let text = authenticator?.enrolledQuestion?.text { return text }
    if let label = field.label { return label }
    return field.name == "consent" ? "Allow access?" : humanized(field.name)
  }

  /// The label of an option, with a detail that distinguishes it from others of its kind.
  func label(of option: Remediation.Field.Option) -> String {
    let authenticator = option.authenticator
    let name = option.label ?? authenticator.map(name) ?? option.value?.string ?? "(no name)"
    return adding(authenticator, to: name)
  }

  /// What to do about a message; nil if the message is enough.
  func advice(on message: IDXMessage, at step: Step, secondsRemaining: Int) -> String? {
    switch message.key {
    case .softTokenUsed?: return "Wait \(secondsRemaining) s for the next code."
    case .softTokenInvalid?, .passcodeInvalid?:
      // The codes of other tokens may change at another pace.
      return step.authenticator?.key == .googleAuthenticator
        ? "Check the clock of your phone, or wait \(secondsRemaining) s for the next code." : nil
    default: return nil
    }
  }

  // MARK: Authenticators

  private func words(of authenticator: IDXAuthenticator?) -> AuthenticatorWords? {
    authenticator?.key.flatMap { AuthenticatorWords.all[$0] }
  }

  private func name(of authenticator: IDXAuthenticator) -> String {
    authenticator.displayName.map(brief)
      ?? humanized(
        brief(authenticator.key?.rawValue ?? authenticator.type?.rawValue ?? "authenticator"))
  }

  /// A name of the server as a part of texts: many forms can name the same authenticator.
  private func brief(_ name: String) -> String { name.shortened(to: 200) }

  /// The name as part of a sentence: “your phone” for the name “Phone”.
  private func phrase(for authenticator: IDXAuthenticator) -> String {
    let name = name(of: authenticator)
    guard let phrase = words(of: authenticator)?.phrase,
      phrase.lowercased().hasSuffix(name.lowercased())
    else { return name }
    return phrase
  }

  private func phraseWithDetail(for authenticator: IDXAuthenticator) -> String {
    adding(authenticator, to: phrase(for: authenticator))
  }

  /// A name, followed by a detail of the enrollment unless the name contains it.
  private func adding(_ authenticator: IDXAuthenticator?, to name: String) -> String {
    let detail = authenticator?.nickname ?? authenticator?.phoneNumber ?? authenticator?.email
    let name = brief(name)
    return detail.map(brief).map { name.contains($0) ? name : "\(name) (\($0))" } ?? name
  }

  /// A key as words: `device-assurance` and `deviceAssurance` become “Device assurance”.
  private func humanized(_ name: String) -> String {
    var words = ""
    for character in name {
      if "-_.".contains(character) {
        words += " "
      } else if character.isUppercase, words.last?.isLowercase == true {
        words += " " + character.lowercased()
      } else {
        words.append(character)
      }
    }
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

/// The words of one authenticator.
struct AuthenticatorWords {
  /// The usual name with an article or a pronoun, for use in a sentence.
  ///
  /// It replaces a server name that is the same without the article; other names are used as they are.
  var phrase: String?
  /// The label of the field for a code; nil for the server's label.
  var codeLabel: String?
  /// What the person has to do during a wait, after “Waiting for”; nil for the name.
  var wait: String?

  static let all: [IDXAuthenticator.Key: AuthenticatorWords] = [
    .password: AuthenticatorWords(phrase: "your password"),
    .email: AuthenticatorWords(phrase: "your email", wait: "you to open the link in the email"),
    .phone: AuthenticatorWords(phrase: "your phone"),
    .securityQuestion: AuthenticatorWords(phrase: "a security question"),
    .webAuthn: AuthenticatorWords(phrase: "a passkey or security key"),
    .googleAuthenticator: AuthenticatorWords(codeLabel: "Code from the app"),
  ]
}

/// The words of one kind of step.
///
/// Texts may contain `{authenticator}`, `{provider}`, `{app}` and `{org}`.
struct StepWords {
  /// The title of the step; empty if it has none, nil for the name of the remediation.
  var title: String?
  /// The step as one of several options; nil for the name of the remediation.
  var option: String?
  /// How to find the option when it is the only one; nil for the usual sentence.
  var hint: String?
  /// The option as the subject of a sentence; nil if `option` already is a noun.
  var activity: String?
  /// The text for `{provider}` if the server does not name the identity provider.
  var provider: String?

  static let all: [Remediation.Name: StepWords] = [
    .identify: StepWords(title: "Sign in to {org}", option: "Sign in with a username"),
    .selectIdentify: StepWords(option: "Back to sign-in"),

    .challengeAuthenticator: challenge,
    .authenticatorVerificationData: challenge,
    .challengePoll: StepWords(title: "Verify with {authenticator}"),
    .selectAuthenticatorAuthenticate: StepWords(
      title: "Choose how to verify", option: "Verify in another way"),
    .launchPasskeysAuthenticator: passkey,
    .challengeWebAuthnAutofill: passkey,
    .deviceChallengePoll: StepWords(title: "Verify with Okta Verify on this device"),
    .launchAuthenticator: StepWords(
      title: "Verify with Okta Verify on this device", option: "Okta FastPass"),
    .deviceAppleSSOExtension: StepWords(
      title: "Sign in with this device", option: "Sign in with this device",
      activity: "Signing in with this device"),

    .selectAuthenticatorEnroll: StepWords(option: "Set up something else"),
    .enrollAuthenticator: StepWords(
      title: "Set up {authenticator}", option: "Back to setting up {authenticator}"),
    .authenticatorEnrollmentData: StepWords(title: "Set up {authenticator}"),
    .enrollPoll: StepWords(title: "Set up {authenticator}"),
    .enrollAuthenticatorPromotion: StepWords(
      title: "Set up {authenticator}?", option: "Set up {authenticator}"),
    .selectEnrollmentChannel: StepWords(
      title: "Choose how to set up {authenticator}", option: "Set it up in another way"),
    .enrollmentChannelData: StepWords(title: "Choose where to send the link"),

    .recover: StepWords(
      option: "Reset your password", hint: "Forgot your password? Type ?"),
    .identifyRecovery: StepWords(title: "Reset your password"),
    .resetAuthenticator: StepWords(title: "Choose a new password"),
    .reenrollAuthenticator: StepWords(title: "Your password has expired. Choose a new one"),
    .reenrollCustomPasswordExpiry: StepWords(title: "Your password has expired"),
    .unlockAccount: StepWords(
      title: "Unlock your account", option: "Unlock your account",
      hint: "Account locked? Type ?"),
    .selectAuthenticatorUnlockAccount: StepWords(title: "Unlock your account"),
    .selectEnrollProfile: StepWords(option: "Sign up", hint: "No account yet? Type ?"),
    .requestActivationEmail: StepWords(
      title: "Activate your account", option: "Send another email"),

    .redirectIdP: page("Sign in with {provider}", "an identity provider"),
    .smartCard: page("Sign in with {provider}", "a smart card"),
    .redirectIdVerify: page("Verify your identity with {provider}", "a verification service"),

    .consent: consent,
    .adminConsent: consent,
    .granularConsent: consent,
    .emailChallengeConsent: StepWords(title: "Did you try to sign in?"),
    .deviceAssuranceGracePeriod: StepWords(
      title: "Your device needs attention", option: "Continue for now"),
    .userCode: StepWords(title: "Connect a device"),
    .keepMeSignedIn: StepWords(title: ""),

    .resend: StepWords(title: "", option: "Send it again"),
    .send: StepWords(option: "Send it"),
    .poll: StepWords(title: ""),
    .skip: StepWords(option: "Skip for now", hint: "Type ? to skip this for now."),
    .previous: StepWords(option: "Go back"),
    .cancel: StepWords(option: "Start over"),
    .cancelPolling: StepWords(option: "Continue without it"),
    .cancelPollingTransaction: StepWords(option: "Continue without it"),
    .cancelTransaction: StepWords(option: "Continue without it"),
  ]

  private static let challenge = StepWords(
    title: "Verify with {authenticator}", option: "Back to {authenticator}")
  private static let passkey = StepWords(
    title: "Sign in with a passkey", option: "Sign in with a passkey",
    activity: "Signing in with a passkey")
  private static let consent = StepWords(title: "{app} asks for access")

  private static func page(_ text: String, _ provider: String) -> StepWords {
    StepWords(title: text, option: text, provider: provider)
  }
}
