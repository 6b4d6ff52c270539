public import IDX
public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a person does at a screen; a later version may add a case.
public enum Reply: Sendable, Hashable {
  /// The main action, with the values of the inputs by their IDs.
  ///
  /// The value of a choice is the ID of the choice, and that of a toggle is `true` or `false`. An empty text
  /// is no value. Values of inputs that are not visible (``Screen/visibleInputs(with:)``) are ignored. Two
  /// choices can have inputs with the same ID, because only one of them is chosen.
  case submit([Screen.Input.ID: Secret])
  /// One of the options, by its ID.
  case choose(Screen.Option.ID)
  /// The address that the browser returned to.
  case returned(URL)
  /// A passkey that was created.
  case created(PasskeyAttestation)
  /// A challenge that a passkey signed.
  case signed(PasskeyAssertion)
  /// What came of the challenge that was passed to Okta Verify.
  case fastPass(FastPassResult)
  /// Something failed outside the sign-in, such as a passkey or a browser: one sentence, which the person
  /// sees on the same screen.
  case failed(String)
  /// Cancel the sign-in.
  case cancel
}

extension Reply {
  /// Whether the person cancels the sign-in: by itself, or with the option for it.
  var isCancel: Bool { self == .cancel || self == .choose(Screen.quitID) }
}

// Answers are passwords and codes, and the address that a browser returns to contains a code.
extension Reply: Redacted {
  /// The kind of reply.
  public var description: String {
    switch self {
    case .submit: "answers"
    case .choose(let id): "option “\(id.brief)”"
    case .returned: "an address"
    case .created: "a passkey"
    case .signed: "a signature of a passkey"
    case .fastPass: "a result of Okta Verify"
    case .failed: "a failure"
    case .cancel: "cancel"
    }
  }
}

/// Why a reply cannot be used: it was not sent, and the person can correct it.
public struct InvalidReply: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problems with inputs, by their IDs; one sentence each.
  public let problems: [Screen.Input.ID: String]
  /// The problem with the reply as a whole; nil if the inputs explain it.
  public let message: String?

  /// Creates a refusal.
  public init(problems: [Screen.Input.ID: String] = [:], message: String? = nil) {
    self.problems = problems
    self.message = message
  }

  /// The message and all problems, in one line.
  public var description: String {
    ([message].compactMap(\.self) + problems.sorted { $0.key < $1.key }.map(\.value))
      .joined(separator: " ")
  }
}

extension Screen {
  /// The inputs that are visible with these values: a choice is followed by the inputs of what is chosen, and
  /// who refuses access as a whole chooses no scopes.
  public func visibleInputs(with values: [Input.ID: Secret]) -> [Input] {
    let visible = Self.visible(inputs, values)
    guard step?.remediation.name == .granularConsent, values["consent"] == "false" else {
      return visible
    }
    return visible.filter { $0.id == "consent" }
  }

  private static func visible(_ inputs: [Input], _ values: [Input.ID: Secret]) -> [Input] {
    inputs.flatMap { input in
      let typed = values[input.id]?.revealed ?? ""
      let id = typed.isEmpty ? input.suggestion : typed
      let chosen = input.choices.first { $0.id == id }
      return [input] + visible(chosen?.inputs ?? [], values)
    }
  }

  /// The screen after a refused reply: the same step, with the problems and what was entered, except
  /// secrets.
  public func refused(_ reply: Reply, because refusal: InvalidReply) -> Screen {
    var screen = self
    screen.startsByItself = false
    screen.attempt += 1
    screen.refusedInputID = nil
    screen.messages = refusal.message.map { [Message(.error, $0)] } ?? []
    let values = if case .submit(let values) = reply { values } else { [Input.ID: Secret]() }
    screen.inputs = Self.refused(inputs, values, refusal.problems)
    return screen
  }

  private static func refused(
    _ inputs: [Input], _ values: [Input.ID: Secret], _ problems: [Input.ID: String]
  ) -> [Input] {
    inputs.map { input in
      var input = input
      input.problem = problems[input.id]
      if let value = values[input.id]?.revealed, input.accepts(value) { input.suggestion = value }
      if case .choice(var choices) = input.kind {
        for index in choices.indices {
          choices[index].inputs = refused(choices[index].inputs, values, problems)
        }
        input.kind = .choice(choices)
      }
      return input
    }
  }

  /// Whether a reply asks for the main action.
  package func isMain(_ reply: Reply) -> Bool {
    switch reply {
    case .submit: true
    case .choose(let id): id == action.id
    default: false
    }
  }

  /// What a reply means: the answers to the step's form, another form, or a cancel.
  ///
  /// Throws an ``InvalidReply`` if the person must correct it: nothing of it is sent.
  public func decision(on reply: Reply) throws -> Decision {
    switch reply {
    case .cancel: return .cancel
    case .failed(let sentence): throw InvalidReply(message: sentence)
    case .submit(let values):
      if action.role == .wait || link != nil {
        guard wait != nil, let step else { throw notOffered }
        return .poll(step.remediation.isPolled ? nil : step.authenticatorPoll)
      }
      // These need more than a choice: the address or the answer that they bring.
      if page != nil || passkey != nil || deviceChallenge != nil {
        throw InvalidReply(message: words.sentence(.problem("elsewhere")))
      }
      // The step's own form cannot be used, so the main action is another one.
      if action.id != Self.mainID { return try decision(toChoose: action.id) }
      let answers = try answers(with: values)
      return .submit(presets.map(answers.adding) ?? answers)
    case .choose(let id):
      return isMain(reply)
        ? try decision(on: .submit([:])) : try decision(toChoose: id)
    case .returned(let url):
      do { return try step?.decision(onReturnTo: url) ?? .decline } catch let error as FlowError {
        throw InvalidReply(message: error.message)
      }
    case .fastPass(let result):
      guard deviceChallenge != nil, let step else { throw notOffered }
      return step.decision(after: result)
    case .created(let attestation):
      guard case .create? = passkey else { throw notOffered }
      return addingPresets(to: .submit(PasskeyAnswers(attestation, to: step?.remediation).answers))
    case .signed(let assertion):
      if case .sign? = passkey {
        return addingPresets(to: .submit(PasskeyAnswers(assertion, to: step?.remediation).answers))
      }
      guard autoFillPasskey != nil, let form = step?.autoFillForm else { throw notOffered }
      return addingPresets(to: .submit(PasskeyAnswers(assertion, to: form).answers, to: form))
    }
  }

  /// A decision with what the settings answer in place of the person.
  private func addingPresets(to decision: Decision) -> Decision {
    guard presets != nil, let step else { return decision }
    return step.screens.rememberDevice.completed(decision, at: step)
  }

  /// Whether an address belongs to this sign-in: it is the redirect URI, and its `state` is that of the
  /// sign-in.
  ///
  /// A listener must ignore all other addresses, because any program or web page can request one.
  public func isReturn(_ url: URL) -> Bool { step?.state.isReturn(url) ?? false }

  private func decision(toChoose id: Option.ID) throws -> Decision {
    if id == Self.quitID { return .cancel }
    // The page of an old step may name an option that is gone.
    guard let step, let form = Self.alternatives(of: step).first(where: { $0.id == id })?.form
    else { throw notOffered }
    return addingPresets(to: step.decision(toOpen: form))
  }

  var notOffered: InvalidReply {
    InvalidReply(message: words.sentence(.problem("option")))
  }

  /// What is wrong with the value of an input, as a sentence; nil if nothing is, as far as that is known
  /// before it is sent.
  public func problem(
    with value: Secret, for input: Input, among values: [Input.ID: Secret] = [:]
  ) -> String? {
    if let reason = reason(against: value, for: input, values) { return words.problem(reason) }
    guard let digits = input.digits, let code = input.answer(value)?.json?.plainText,
      !code.isCode(of: digits)
    else { return nil }
    return digits.count == 1
      ? words.sentence(.problem("code"), count: digits.lowerBound)
      : words.sentence(
        .problem("digits"),
        ["least": String(digits.lowerBound), "most": String(digits.upperBound)])
  }

  /// The answers to the step's form; throws an ``InvalidReply`` with all problems at once.
  ///
  /// Spaces around texts are removed, and spaces and other signs inside codes of digits and phone numbers; passwords
  /// stay as they are.
  public func answers(with values: [Input.ID: Secret]) throws(InvalidReply) -> Answers {
    var answers = Answers()
    var problems: [Input.ID: String] = [:]
    for input in visibleInputs(with: values) {
      let value = values[input.id] ?? ""
      // The repetition of a password that is refused does not matter.
      if let first = input.repeats, problems[first] != nil { continue }
      if let sentence = problem(with: value, for: input, among: values) {
        // Both are entered again, so the person begins at the first one.
        problems[value == "" ? input.id : input.repeats ?? input.id] = sentence
      } else if input.repeats == nil {
        answers[input.id] = input.answer(value) ?? (input.isKept ? kept[input.id] : nil)
      }
    }
    guard problems.isEmpty else { throw InvalidReply(problems: problems) }
    return answers
  }

  private func reason(
    against value: Secret, for input: Input, _ values: [Input.ID: Secret]
  ) -> InvalidAnswers.Problem.Reason? {
    if let first = input.repeats {
      let isKept =
        value.revealed.isEmpty && input.isKept && values[first]?.revealed.isEmpty != false
      return isKept || value == values[first] ?? "" ? nil : .differs
    }
    guard let answer = input.answer(value) else {
      let text = value.revealed
      if !input.tidied(text).isEmpty, !input.isDefault(text) {
        return input.kind == .toggle ? .wrongType(.boolean) : .notAnOption(allowed: [])
      }
      guard input.isRequired, !input.isKept else { return nil }
      return input.choices.isEmpty ? .missing : .notAnOption(allowed: [])
    }
    guard let field = input.field else { return nil }
    if let problem = field.problem(with: answer, at: input.id) { return problem.reason }
    return input.hasRules ? step?.problem(withPassword: answer, for: field) : nil
  }
}

extension String {
  fileprivate func isCode(of digits: ClosedRange<Int>) -> Bool {
    allSatisfy { $0.isASCII && $0.isNumber } && digits.contains(count)
  }
}

extension Screen.Input {
  /// Whether a text is the server's default as it is shown, which may be shortened: the default stays.
  fileprivate func isDefault(_ text: String) -> Bool {
    kind == .text && !text.isEmpty && text == suggestion
      && text == field?.value?.plainText?.brief
  }

  /// The text without surrounding spaces; a code of digits and a phone number also without spaces and other signs
  /// inside.
  fileprivate func tidied(_ text: String) -> String {
    guard kind == .text else { return text }
    let trimmed = text.trimmed()
    guard contentType == .oneTimeCode || contentType == .telephone else { return trimmed }
    let compact = trimmed.filter { !" -()".contains($0) }
    let digits =
      contentType == .telephone && compact.hasPrefix("+") ? compact.dropFirst() : compact[...]
    return digits.allSatisfy(\.isNumber) ? compact : trimmed
  }

  /// Whether a value can be shown again after a refusal.
  fileprivate func accepts(_ value: String) -> Bool {
    switch kind {
    case .text: true
    case .secret: false
    case .toggle: value == "true" || value == "false"
    case .choice(let choices): choices.contains { $0.id == value }
    }
  }

  /// The answer that a value means; nil if there is none.
  ///
  /// A choice that the front-end shows as chosen, and does not name in its reply, stays chosen.
  func answer(_ value: Secret) -> Answer? {
    let text = tidied(value.revealed)
    return switch kind {
    case .text, .secret:
      text.isEmpty || value.revealed == suggestion && isDefault(value.revealed)
        ? nil : .text(text)
    case .toggle:
      ["true": true, "false": false][text.lowercased()].map { .value(.bool($0)) }
    case .choice(let choices):
      choices.first { $0.id == (text.isEmpty && !isKept ? suggestion : text) }
        .map { .option($0.position) }
    }
  }
}
