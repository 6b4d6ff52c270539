import IDX

/// Counts the values that are read, so that the compiler cannot remove the reads.
///
/// The fuzzer uses this file too, without the rest of this module.
struct Sink {
  var count = 0

  mutating func resolve(_ response: IDXResponse) {
    for message in response.allMessages { read(message.text) }
    for form in response.remediations + response.actions {
      count &+= form.authenticators.count
      resolve(form.form)
    }
  }

  private mutating func resolve(_ form: Remediation.Form) {
    for field in form.fields {
      if field.authenticator != nil { count &+= 1 }
      field.form.map { resolve($0) }
      for option in field.options {
        if option.authenticator != nil { count &+= 1 }
        option.form.map { resolve($0) }
      }
    }
  }

  /// Reads every public property of a response and of the values in it, except the bytes under `raw`.
  mutating func read(_ response: IDXResponse) {
    read(response.version)
    read(response.intent)
    read(response.stateHandle?.revealed)
    read(response.expiresAtText)
    if response.expiresAt != nil { count &+= 1 }
    read(response.user?.id)
    read(response.user?.identifier)
    read(response.application?.id)
    read(response.application?.name)
    read(response.application?.label)
    read(response.messages)
    for form in response.remediations + response.actions { read(form) }
    response.issue.map { read($0) }
    read(response.interactionCode?.revealed)
    read(response.successRedirect?.revealed)
    if response.isTerminal { count &+= 1 }
    if response.webAuthnAutofillChallenge != nil { count &+= 1 }
    response.deviceChallenge.map { read($0) }
    if response.original != nil { count &+= 1 }
    if let code = response.userCode {
      read(code.text)
      count &+= code.address == code.completeAddress ? 1 : 2
      count &+= code.scannedAddress == code.address ? 1 : 2
    }
    if response.currentAuthenticator != nil { count &+= 1 }
    count &+= response.allForms.count + response.allMessages.count
    for authenticator in response.authenticators { read(authenticator) }
  }

  private mutating func read(_ authenticator: IDXAuthenticator) {
    read(authenticator.container.rawValue)
    if authenticator.index != nil { count &+= 1 }
    read(authenticator.id)
    read(authenticator.key?.rawValue)
    read(authenticator.type?.rawValue)
    read(authenticator.displayName)
    for method in authenticator.methods { read(method.rawValue) }
    for action in authenticator.actions { read(action) }
    if let password = authenticator.oneTimePassword {
      read(password.sharedSecret?.revealed)
      read(password.image)
    }
    read(authenticator.qrCode)
    read(authenticator.numberChallenge)
    read(authenticator.selectedChannel)
    if authenticator.usesMagicLink == true { count &+= 1 }
    for question in authenticator.questions { read(question) }
    authenticator.enrolledQuestion.map { read($0) }
    if authenticator.webAuthnActivation != nil { count &+= 1 }
    if authenticator.webAuthnChallenge != nil { count &+= 1 }
    read(authenticator.credentialID)
    for transport in authenticator.transports { read(transport) }
    read(authenticator.email)
    read(authenticator.phoneNumber)
    read(authenticator.nickname)
    authenticator.passwordRules.map { read($0) }
  }

  private mutating func read(_ challenge: DeviceChallenge) {
    read(challenge.method.rawValue)
    read(challenge.request?.revealed)
    read(challenge.domain)
    read(challenge.httpsDomain)
    read(challenge.link)
    count &+= challenge.ports.count
    if challenge.probeTimeout > .zero { count &+= 1 }
  }

  private mutating func read(_ image: IDXAuthenticator.Image?) {
    read(image?.mediaType)
    count &+= image?.bytes.count ?? 0
  }

  private mutating func read(_ question: IDXAuthenticator.SecurityQuestion) {
    read(question.key)
    read(question.text)
  }

  private mutating func read(_ rules: IDXAuthenticator.PasswordRules) {
    // The numbers of a server can be too large for a sum.
    count &+= rules.minimumLength &+ rules.minimumLowerCase &+ rules.minimumUpperCase
    count &+= rules.minimumDigits &+ rules.minimumSymbols &+ (rules.maximumRepeats ?? 0)
    count &+= (rules.history ?? 0) &+ (rules.daysToExpiry ?? 0)
    count &+= rules.checkable.count &+ (rules.minimumAgeMinutes ?? 0)
    if rules.excludesUsername { count &+= 1 }
    for attribute in rules.excludedAttributes { read(attribute) }
  }

  private mutating func read(_ form: Remediation) {
    read(form.name.rawValue)
    read(form.method)
    read(form.href)
    read(form.accepts)
    read(form.produces)
    if form.refresh != nil { count &+= 1 }
    if form.isPolled { count &+= 1 }
    count &+= form.authenticators.count
    if let provider = form.identityProvider {
      read(provider.id)
      read(provider.name)
      read(provider.kind?.rawValue)
    }
    read(form.messages)
    let fields = form.form
    count &+= fields.allMessages.count
    read(fields)
  }

  private mutating func read(_ form: Remediation.Form) {
    for field in form.fields {
      read(field.name)
      read(field.label)
      read(field.type?.rawValue)
      if field.isRequired { count &+= 1 }
      if field.isVisible { count &+= 1 }
      if field.isMutable { count &+= 1 }
      if field.isSecret { count &+= 1 }
      if field.isFixed { count &+= 1 }
      if field.value != nil { count &+= 1 }
      if field.minimumLength != nil { count &+= 1 }
      if field.maximumLength != nil { count &+= 1 }
      read(field.format?.rawValue)
      read(field.hint)
      if field.authenticator != nil { count &+= 1 }
      read(field.messages)
      field.form.map { read($0) }
      count &+= field.choices.count
      for option in field.options {
        read(option.label)
        if option.value != nil { count &+= 1 }
        if option.authenticator != nil { count &+= 1 }
        option.form.map { read($0) }
      }
    }
  }

  private mutating func read(_ messages: [IDXMessage]) {
    for message in messages {
      read(message.kind?.rawValue)
      read(message.text)
      read(message.key?.rawValue)
      if message.isError { count &+= 1 }
      for link in message.links {
        count &+= link.url == link.url ? 1 : 0
        read(link.text)
        read(link.label)
      }
    }
  }

  private mutating func read(_ text: String?) { count &+= text?.utf8.count ?? 0 }
}

/// The first form of a response, with valid answers.
struct AnsweredForm {
  private let form: Remediation
  private let answers: Answers

  /// Nil if the form asks for nothing, or does not accept simple answers.
  init?(_ response: IDXResponse) {
    guard let form = response.remediations.first, form.href != nil else { return nil }
    var answers = Answers()
    for _ in 0..<8 {
      for input in form.form.inputs(answering: answers) where answers[input.path] == nil {
        let plain: Answer = input.field.type == .boolean ? true : "a1a1a1a1a1a1a1a1"
        answers[input.path] = input.field.choices.isEmpty ? plain : .option(0)
      }
    }
    guard !answers.entries.isEmpty, (try? form.encoding(answers)) != nil else { return nil }
    self.form = form
    self.answers = answers
  }

  /// Encodes the answers and returns the length of the body.
  func encode() throws -> Int { try form.encoding(answers).bytes.count }
}
