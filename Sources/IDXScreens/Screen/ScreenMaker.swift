import IDX
import IDXBase
public import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Screen {
  /// The screen of a step with a form, whatever the form is; handlers of special steps change it.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - words: The words.
  ///   - now: The current time, for the validity of codes and the end of a wait.
  ///   - omittedFields: Fields to leave out if they are optional.
  public init(
    _ step: Step, words: Words = .english, now: Date = Date(), omittedFields: Set<String> = []
  ) {
    let phrases = Phrases(words: words, step: step, now: now)
    let form = step.remediation
    self.init(
      title: phrases.title, host: step.state.configuration.issuer.hostAndPort,
      action: Option(id: Self.mainID, label: phrases.action, role: .submit),
      attempt: step.attempt, step: step, words: words)
    (inputs, kept) = FormInputs(step: step, phrases: phrases, omittedFields: omittedFields).make()
    if inputs.isEmpty, words.text(.action(form.name)) == nil {
      action.label = phrases.option(form)
    }
    if form["credentials.passcode"].map(step.setsPassword) == true {
      action.label = phrases.text("save.action")
    }
    messages = Self.messages(step.messages, words) { message, received in
      if let advice = phrases.advice(on: received) { message.text += " \(advice)" }
      if message.kind == .error, phrases.isHarmless(received) { message.kind = .info }
    }
    if let notice = step.notice {
      messages.insert(Message(.error, TextSanitizer().clean(notice.shortened())), at: 0)
    }
    options = Self.alternatives(of: step).map { id, form in
      Self.option(id, form, phrases)
    }
    options.append(Option(id: Self.quitID, label: phrases.text("quit.option"), role: .quit))
    let details = StepNotes(step: step, phrases: phrases)
    notes = details.passwordRules + details.consent + details.request
    if step.isAboutAuthenticator { setUp = AuthenticatorApp(step) }
    if let poll = step.isAboutAuthenticator ? step.authenticator?[.poll] : nil {
      wait = Wait(step, polling: poll, phrases, now)
    }
  }

  /// The screen of a sign-in that has ended without tokens; the main action starts over.
  public init(end state: FlowState, words: Words = .english) {
    let title: Words.Key = state.endsSuccessfully ? "end.done.title" : "end.title"
    self.init(
      title: words.text(title) ?? "", host: state.configuration.issuer.hostAndPort,
      action: Option(
        id: Self.mainID, label: words.text("restart.action") ?? "", role: .startOver),
      words: words)
    messages = Self.messages(state.response.allMessages, words)
    options = [Option(id: Self.quitID, label: words.text("quit.option") ?? "", role: .quit)]
  }

  /// The ID of the main action, which no form has as its name.
  static let mainID = ""
  /// The ID of the option to quit, which no form has as its name.
  static let quitID = " quit"

  /// The forms that are possible besides the step's own, with the IDs of their options.
  static func alternatives(of step: Step) -> [(id: Option.ID, form: Remediation)] {
    var ids = UniqueIDs()
    return step.alternatives.map { (ids.unique($0.name.rawValue), $0) }
  }

  static func option(_ id: String, _ form: Remediation, _ phrases: Phrases) -> Option {
    Option(
      id: id, label: phrases.option(form), role: role(of: form.name),
      question: phrases.words.text(.question(form.name)))
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
    _ received: [IDXMessage], _ words: Words,
    change: (inout Message, IDXMessage) -> Void = { _, _ in }
  ) -> [Message] {
    let excerpt = MessageExcerpt(received)
    var shown = excerpt.entries.compactMap { entry -> Message? in
      let text = TextSanitizer().clean(entry.text).trimmed()
      guard !text.isEmpty else { return nil }
      var message = Message(entry.message.kind ?? .info, text)
      change(&message, entry.message)
      return message
    }
    if excerpt.omitted > 0, let rest = words.text("more.messages", count: excerpt.omitted) {
      shown.append(Message(.info, rest))
    }
    return shown
  }
}

extension Screen.Wait {
  init(_ step: Step, polling form: Remediation, _ phrases: Phrases, _ now: Date) {
    text = phrases.wait
    number = step.authenticator?.numberChallenge.map(phrases.brief)
    instruction = number.map(phrases.instruction)
    end = step.timeLeft.map { now.addingTimeInterval($0 / .seconds(1)) }
    interval = form.pollInterval
  }
}

/// What a person needs to know about a step besides its messages and its form.
struct StepNotes {
  let step: Step
  let phrases: Phrases

  /// What a new password must follow.
  var passwordRules: [String] {
    guard let rules = step.passwordRules else { return [] }
    let needed = rules.checkable.map(phrases.words.rule)
    let sentences = [
      needed.isEmpty
        ? nil : phrases.text("rules", ["rules": needed.joined(separator: ", ")]),
      rules.history.flatMap { phrases.words.text("rules.history", count: $0) },
    ].compactMap(\.self)
    return sentences.isEmpty ? [] : [sentences.joined(separator: " ")]
  }

  /// What an app wants to be allowed (`scopes`).
  var consent: [String] {
    let scopes = step.remediation.raw["scopes"]?.array ?? []
    guard !scopes.isEmpty else { return [] }
    return [phrases.text("scopes")]
      + first(scopes) { scope in
        (scope["label"] ?? scope["name"])?.string.map { "- \($0)" }
      }
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
      phrases.text("password.elsewhere.name", ["name": phrases.brief(name), "link": link])
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
    return elements.prefix(30).compactMap { line($0).map(phrases.brief) }
      + (rest > 0 ? [phrases.text("more", ["count": String(rest)])] : [])
  }
}

extension URL {
  /// The host, and the port if it is given.
  fileprivate var hostAndPort: String { "\((host ?? "").brief)\(port.map { ":\($0)" } ?? "")" }
}
