package import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension Screen {
  /// The screen of a step with a form, whatever the form is; handlers of special steps change it.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - prominent: The forms whose options many people look for (``Option/isProminent``).
  public init(
    _ step: Step, prominent: [Remediation.Name] = []
  ) {
    let phrases = Phrases(step)
    let form = step.remediation
    self.init(
      title: phrases.title, host: step.state.configuration.issuer.hostAndPort,
      action: .main(.submit, phrases.action), attempt: step.attempt, step: step,
      words: phrases.words)
    guidance = StepGuidance(phrases: phrases).text
    // Only these ask for it beside what they are about.
    let permission = step.screens.rememberDevice
    let hasPresets =
      permission != .asks && [.identify, .challengeAuthenticator].contains(form.name)
    if hasPresets { presets = permission.answers(to: form) }
    (inputs, kept) = FormInputs(
      phrases, omittedFields: hasPresets ? permission.omittedFields : []
    ).make()
    if form.page != nil || inputs.isEmpty && words.text(.action(form.name)) == nil {
      action.label = phrases.option(form)
    }
    action.provider = form.identityProvider.map(Option.Provider.init)
    if form.name != .enrollProfile, form["credentials.passcode"].map(step.setsPassword) == true {
      action.label = phrases.text("save.action")
    }
    if inputs.contains(where: { $0.contentType == .password }),
      form.name == .identify || form.name == .challengeAuthenticator
    {
      action.label = phrases.text("password.action")
    }
    messages = Self.messages(step.messagesOfNoField, of: step.state, words) { message, received in
      if let advice = phrases.advice(on: received) { message.text += " \(advice)" }
      if message.kind == .error, phrases.isHarmless(received) { message.kind = .info }
    }
    let proofs = inputs.filter { $0.kind == .secret || $0.contentType == .oneTimeCode }
    if step.previous != nil, proofs.count == 1, step.messagesOfNoField.contains(where: \.isError),
      step.noMoreAnswers == nil
    {
      refusedInputID = proofs[0].id
    }
    let hasReason =
      step.notice != nil || !messages.isEmpty || inputs.contains { $0.problem != nil }
    if step.attempt > 1, proofs.count == 1, !hasReason {
      messages = [Message(.error, phrases.text("refused.wordless"))]
    }
    if let notice = step.notice {
      refusedInputID = nil
      messages.insert(Message(.error, TextSanitizer().clean(notice.shortened())), at: 0)
    }
    var sent: Set<String> = []
    options = Self.alternatives(of: step).filter { _, form in
      // The server can offer the same as a step and as an action of the authenticator.
      Self.role(of: form.name) != .resend || sent.insert(phrases.option(form)).inserted
    }.map { id, form in
      var option = Option(
        id: id, label: phrases.option(form), role: Self.role(of: form.name),
        reason: words.text(.reason(form.name)), isProminent: prominent.contains(form.name))
      if let provider = form.identityProvider {
        option.role = .identityProvider
        option.provider = Option.Provider(provider)
        option.page = form.page.flatMap { danger(of: $0) == nil ? $0 : nil }
      }
      return option
    }
    let labels = DistinctLabels(([action] + options).map { ($0.label, $0.provider?.id) }).labels
    action.label = labels[0]
    for (index, label) in labels.dropFirst().enumerated() { options[index].label = label }
    options.append(.quit(words))
    if !inputs.contains(where: { $0.contentType == .username }), let username = step.username {
      person = Person(
        username: username.brief, changeID: options.first { $0.role == .startOver }?.id)
    }
    let details = StepNotes(phrases: phrases)
    notes = details.passwordAge + details.request + details.instructions
    lists = [details.scopes, details.devices].compactMap(\.self)
    consent = Consent(inputs, phrases)
    setUp = step.authenticatorApp
    if form.name == .userCodePoll {
      userCode = step.response.userCode
      notes += details.userCode
    }
    let poll = step.isOverdue ? nil : step.authenticatorPoll
    wait = poll.map { Wait(step, polling: $0, phrases) }
    if inputs.contains(where: { $0.contentType == .username }) {
      autoFillPasskey = step.autoFillForm.flatMap {
        try? PasskeyRequestOptions(Step($0, state: step.state))
      }
    }
  }

  /// The screen of a sign-in that has ended without tokens; the main action starts over.
  public init(end state: FlowState, words: Words = .english) {
    self.init(
      title: words.sentence(state.endsSuccessfully ? "end.done.title" : "end.title"),
      host: state.configuration.issuer.hostAndPort,
      action: .main(.startOver, words.sentence("restart.action")), words: words)
    messages = Self.messages(state.response.allMessages, of: state, words)
    notes = DeviceEnrollment(state, words)?.notes ?? []
    let issuer = state.configuration.issuer
    let next = state.response.successRedirect.flatMap { URL(string: $0.revealed) }
    // The org's own address could contain a token.
    if let next, Origin(next) != Origin(issuer), !Self.safe([next], for: issuer).isEmpty {
      notes.append(words.sentence("end.redirect", ["origin": "\(Origin(next))"]))
    }
    options = [.quit(words)]
  }

  /// The screen of a sign-in that was interrupted between two screens; the main action continues it.
  init(interrupted state: FlowState, words: Words) {
    self.init(
      title: words.sentence("interrupted.title"),
      host: state.configuration.issuer.hostAndPort,
      action: .main(.submit, words.sentence("continue.action")), words: words)
    notes = [words.sentence("interrupted.note")]
    options = [.quit(words)]
  }

  /// The ID of the main action.
  static let mainID = ""
  /// The ID of the option to quit.
  public static let quitID: Option.ID = "quit"

  /// The forms that are possible besides the step's own, with the IDs of their options.
  static func alternatives(of step: Step) -> [(id: Option.ID, form: Remediation)] {
    var ids = UniqueIDs(taken: [mainID, quitID])
    return step.alternatives.map { (ids.unique($0.name.rawValue), $0) }
  }

  /// The pages that a message is about and that may be opened: at most 10, each once.
  package static func links(of message: IDXMessage, _ issuer: URL) -> [IDXMessage.Link] {
    var known: Set<URL> = []
    return message.links.filter {
      danger(of: $0.url, issuer: issuer) == nil && known.insert($0.url).inserted
    }
    .prefix(10).map { IDXMessage.Link(url: $0.url, label: $0.label?.brief) }
  }

  /// A sentence about the pages of a message that must not be opened; nil if there are none.
  package static func remark(
    onLinksOf message: IDXMessage, _ issuer: URL, _ words: Words
  ) -> String? {
    message.links.contains { danger(of: $0.url, issuer: issuer) != nil }
      ? words.sentence("link.left-out") : nil
  }

  private static func role(of name: Remediation.Name) -> Option.Role {
    switch name {
    case .skip: .skip
    case .previous, .selectIdentify: .back
    case .cancel: .startOver
    case .resend, .send: .resend
    default:
      name.rawValue.hasPrefix("resend-") || name.rawValue.hasPrefix("send-")
        ? .resend : .alternative
    }
  }

  /// The server's messages, each once.
  ///
  /// `change` adds advice to a message, or changes its severity.
  private static func messages(
    _ received: [IDXMessage], of state: FlowState, _ words: Words,
    change: (inout Message, IDXMessage) -> Void = { _, _ in }
  ) -> [Message] {
    let excerpt = MessageExcerpt(received)
    var shown = excerpt.entries.compactMap { entry -> Message? in
      let text = TextSanitizer().clean(entry.text).trimmed()
      guard !text.isEmpty else { return nil }
      var message = Message(entry.message.kind ?? .info, text)
      let issuer = state.configuration.issuer
      message.links = links(of: entry.message, issuer)
      if let remark = remark(onLinksOf: entry.message, issuer, words) {
        message.text = "\(message.text.asSentence) \(remark)"
      }
      change(&message, entry.message)
      return message
    }
    if excerpt.omitted > 0 {
      shown.append(Message(.info, words.sentence("more.messages", count: excerpt.omitted)))
    }
    return shown
  }
}

extension Screen.Consent {
  /// Nil if no input is a yes or no, or if the server suggests one of the two.
  init?(_ inputs: [Screen.Input], _ phrases: Phrases) {
    let name = phrases.step.remediation.name
    // Here the server suggests a “no”, but nobody should have to find a box.
    let asksToStay = name == .keepMeSignedIn && inputs.count == 1
    guard let input = asksToStay ? inputs.first : inputs.first(where: { $0.id == "consent" }),
      asksToStay || input.suggestion == nil
    else { return nil }
    switch input.kind {
    case .toggle:
      (allow, deny) = (phrases.text("consent.allow"), phrases.text("consent.deny"))
    case .choice(let choices) where choices.count == 2:
      // The server's words for the two values.
      guard let yes = choices.first(where: { $0.id == "true" }),
        let no = choices.first(where: { $0.id == "false" })
      else { return nil }
      (allow, deny) = (yes.label, no.label)
    default: return nil
    }
    if name != .consent {
      allow = phrases.words.text(Words.Key(rawValue: "\(name).allow")) ?? allow
      deny = phrases.words.text(Words.Key(rawValue: "\(name).deny")) ?? deny
    }
    inputID = input.id
  }
}

extension Screen.Option.Provider {
  init(_ provider: Remediation.IdentityProvider) {
    id = provider.id?.brief
    name = provider.name?.brief
  }
}

extension Screen.Option {
  /// The main action of a screen.
  static func main(_ role: Role, _ label: String) -> Self {
    Self(id: Screen.mainID, label: label, role: role)
  }

  fileprivate static func quit(_ words: Words) -> Self {
    Self(id: Screen.quitID, label: words.sentence("quit.option"), role: .quit)
  }
}

extension Step {
  /// The form for a passkey that is chosen before a username is entered; nil if there is none.
  var autoFillForm: Remediation? {
    response.remediations.first {
      [.challengeWebAuthnAutofill, .launchPasskeysAuthenticator].contains($0.name)
    }
  }

  /// The poll of the step's authenticator; nil if there is none.
  var authenticatorPoll: Remediation? {
    isAboutAuthenticator ? authenticator?[.poll] : nil
  }
}

extension Screen.Wait {
  init(_ step: Step, polling form: Remediation, _ phrases: Phrases) {
    self.form = form
    text = phrases.wait
    number = step.authenticator?.numberChallenge?.brief
    instruction = number.map(phrases.instruction)
    end = step.timeLeft.map { phrases.now.addingTimeInterval($0 / .seconds(1)) }
    if step.response.userCode != nil, let expiry = step.response.expiresAt {
      end = min(end ?? expiry, expiry)
    }
    interval = form.pollInterval
  }
}

/// What a person needs to know about a step besides its messages and its form.
struct StepNotes {
  let phrases: Phrases

  private var step: Step { phrases.step }

  /// What to know about a new password besides the rules of its input.
  var passwordAge: [String] {
    // Somebody without a password has no old ones.
    let isFirst = [.enrollProfile, .enrollAuthenticator].contains(step.remediation.name)
    let history = isFirst ? 0 : step.passwordRules?.history ?? 0
    let minutes = step.passwordRules?.minimumAgeMinutes ?? 0
    // The largest unit in which it is a whole number.
    let age: (key: Words.Key, count: Int) =
      minutes % 1440 == 0
      ? ("rules.age.days", minutes / 1440)
      : minutes % 60 == 0 ? ("rules.age.hours", minutes / 60) : ("rules.age.minutes", minutes)
    return [("rules.history", history), age].filter { $0.1 > 0 }
      .map { phrases.words.sentence($0.0, count: $0.1) }
  }

  /// What to do with the authenticator elsewhere.
  var instructions: [String] {
    guard let authenticator = step.authenticator, step.isAboutAuthenticator else { return [] }
    var notes = [authenticator.instruction?.brief].compactMap(\.self)
    if let here = authenticator.setUpHere {
      notes.append(phrases.text("set-up-here", ["org": here.org?.brief ?? phrases.text("org")]))
      // A relative address, which means nothing outside of the org's page, is none that may be opened.
      notes += Screen.safe(here.pages, for: step.state.configuration.issuer)
        .map { phrases.text("set-up-here.page", ["link": $0.absoluteString]) }
    }
    if authenticator.devicesForSetUp != nil { notes.append(phrases.text("set-up-elsewhere")) }
    return notes
  }

  /// The devices with which Okta Verify can be set up on another one; nil if it is set up in another way.
  var devices: Screen.List? {
    guard step.isAboutAuthenticator, let names = step.authenticator?.devicesForSetUp, !names.isEmpty
    else { return nil }
    return Screen.List(
      title: phrases.text("set-up-elsewhere.devices"),
      items: first(names.map(JSONValue.string), \.string))
  }

  /// What an app wants to be allowed (`scopes`, or the fields of `optedScopes`); nil if that is nothing.
  var scopes: Screen.List? {
    // A scope that cannot be refused may have no label.
    let opted = step.remediation["optedScopes"]?.form?.fields.filter { $0.label != nil }
    let scopes = step.remediation.raw["scopes"]?.array ?? opted?.map(\.raw.json) ?? []
    guard !scopes.isEmpty else { return nil }
    return Screen.List(
      title: phrases.text("scopes"),
      items: first(scopes) { scope in
        guard let label = (scope["label"] ?? scope["name"])?.string?.brief else { return nil }
        let explanation = scope["desc"]?.string?.brief ?? ""
        // “This allows the app to view your email address.” says the label too. The longer text stays, because it may
        // say more.
        let says = explanation.lowercased().contains(label.lowercased())
        if explanation.isEmpty { return label }
        return says ? explanation : "\(label.asSentence) \(explanation)"
      })
  }

  /// Where to enter the code of a sign-in in a browser, and the code.
  var userCode: [String] {
    guard let code = step.response.userCode else { return [] }
    // A part of an address or of a code is of no use.
    let clean = TextSanitizer(oneLine: true).clean
    return [
      phrases.text("user-code.address", ["address": clean(code.address.absoluteString)]),
      phrases.text("user-code.text", ["code": clean(code.text)]),
    ]
  }

  /// Who requested an email, and from where (`requestInfo`).
  var request: [String] {
    first(step.remediation.raw["requestInfo"]?.array ?? []) { fact in
      guard let name = (fact["label"] ?? fact["name"])?.string, let value = fact["value"]?.string
      else { return nil }
      return "\(name): \(value)"
    }
  }

  /// Where to change a password that is managed elsewhere.
  var passwordSite: [String] {
    guard let url = UnsupportedStep(step)?.link else { return [] }
    // A part of an address is of no use.
    let link = TextSanitizer(oneLine: true).clean(url.shortened())
    guard let name = step.remediation.raw["customExpiredPasswordName"]?.string else {
      return [phrases.text("password.elsewhere", ["link": link])]
    }
    return [
      phrases.text("password.elsewhere.name", ["name": name.brief, "link": link])
    ]
  }

  /// The ways to continue that a person may look for, and that cannot be used here.
  var unavailable: [String] {
    let labels = step.unsupportedRemediations.prefix(30).map(phrases.option)
    guard !labels.isEmpty else { return [] }
    let key: Words.Key = labels.count == 1 ? "unsupported.options.one" : "unsupported.options"
    return [phrases.text(key, ["options": labels.joined(separator: ", ")])]
  }

  /// The lines of the first elements, shortened, and how many more there are.
  private func first(_ elements: [JSONValue], _ line: (JSONValue) -> String?) -> [String] {
    let rest = elements.count - 30
    return elements.prefix(30).compactMap { line($0)?.brief }
      + (rest > 0 ? [phrases.text("more", ["count": String(rest)])] : [])
  }
}

/// How a device is enrolled that the org wants to manage (`$.deviceEnrollment.value`), at which a sign-in ends.
struct DeviceEnrollment {
  /// What to do, one sentence each.
  let notes: [String]

  /// Nil if the response asks for none.
  init?(_ state: FlowState, _ words: Words) {
    guard let device = state.response.raw["deviceEnrollment"]?["value"] else { return nil }
    let vendor = device["vendor"]?.string?.brief ?? words.sentence("org")
    let pages = ["enrollmentLink", "signInUrl"].compactMap {
      device[$0]?.string.flatMap(URL.init(string:))
    }
    notes =
      [words.sentence("device-enrollment", ["vendor": vendor])]
      + Screen.safe(pages, for: state.configuration.issuer).map {
        words.sentence("device-enrollment.page", ["link": $0.absoluteString])
      }
  }
}

extension URL {
  /// The host, and the port if it is given.
  fileprivate var hostAndPort: String { "\((host ?? "").brief)\(port.map { ":\($0)" } ?? "")" }
}
