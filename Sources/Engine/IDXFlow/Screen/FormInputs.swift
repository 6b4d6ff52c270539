import IDX
import IDXBase

/// Makes the inputs of a screen from the fields of a form.
struct FormInputs {
  let phrases: Phrases
  /// Fields to leave out if they are optional.
  let omittedFields: Set<String>

  /// Whether Okta Verify on this device may be asked.
  private let usesFastPass: Bool
  private let problems: [String: InvalidAnswers.Problem.Reason]

  init(_ phrases: Phrases, omittedFields: Set<String> = []) {
    self.phrases = phrases
    usesFastPass = phrases.step.screens.fastPass != .never
    self.omittedFields = omittedFields
    problems = Dictionary(phrases.step.problems.map { ($0.path, $0.reason) }) { first, _ in first }
  }

  private var step: Step { phrases.step }

  /// The inputs, and the answers of the last attempt that were not refused.
  func make() -> (inputs: [Screen.Input], kept: Answers) {
    let asked = inputs(of: step.remediation.form, at: "")
    guard let previous = step.previous else { return (asked, [:]) }
    var inputs = asked
    if step.messagesOfNoField.contains(where: \.isError) {
      if keepUsername(previous, in: &inputs) { return (inputs, previous) }
      // The only text was refused, such as a phone number, and not what was chosen before it. Other errors can be about
      // the choice, such as a method that a phone does not have.
      let isInvalid = step.messagesOfNoField.filter(\.isError).allSatisfy { message in
        message.key?.rawValue.contains("invalid") == true
      }
      let others = isInvalid ? keepChoices(previous, in: &inputs) : nil
      return others == 1 && inputs != asked ? (inputs, previous) : (asked, [:])
    }
    // A refused field of an option that was not chosen would leave nothing to ask.
    return keep(previous, in: &inputs) ? (inputs, previous) : (asked, [:])
  }

  /// Keeps the username, and switches, of a form that asks for a username and a password; returns whether
  /// there is a username to keep.
  ///
  /// A person who types the password again, because it was refused, must not be asked for something that is
  /// shown while it is typed.
  private func keepUsername(_ previous: Answers, in inputs: inout [Screen.Input]) -> Bool {
    guard inputs.contains(where: { $0.contentType == .password && $0.isRequired }),
      inputs.contains(where: { $0.contentType == .username && $0.suggestion != nil }),
      inputs.allSatisfy({ $0.problem == nil })
    else { return false }
    for index in inputs.indices where previous[inputs[index].id] != nil {
      inputs[index].isKept = inputs[index].contentType == .username || inputs[index].kind == .toggle
    }
    return true
  }

  /// Keeps what was chosen; returns how many other inputs there are, or nil if something must be chosen.
  private func keepChoices(_ previous: Answers, in inputs: inout [Screen.Input]) -> Int? {
    var others = 0
    for index in inputs.indices {
      guard case .choice(var choices) = inputs[index].kind else {
        others += 1
        continue
      }
      guard let answer = previous[inputs[index].id],
        let chosen = inputs[index].position(ofChoice: answer),
        let inside = keepChoices(previous, in: &choices[chosen].inputs)
      else { return nil }
      others += inside
      inputs[index].isKept = true
      inputs[index].suggestion = choices[chosen].id
      inputs[index].kind = .choice(choices)
    }
    return others
  }

  /// Marks what was answered and not refused; returns whether something was refused.
  private func keep(_ previous: Answers, in inputs: inout [Screen.Input]) -> Bool {
    var isRefused = false
    var kept: Set<Screen.Input.ID> = []
    for index in inputs.indices {
      if inputs[index].problem != nil {
        isRefused = true
        continue
      }
      guard let answer = previous[inputs[index].repeats ?? inputs[index].id] else {
        inputs[index].isKept = !inputs[index].isRequired
        continue
      }
      guard case .choice(var choices) = inputs[index].kind else {
        inputs[index].isKept = inputs[index].repeats.map(kept.contains) ?? true
        kept.insert(inputs[index].id)
        continue
      }
      guard let chosen = inputs[index].position(ofChoice: answer) else { continue }
      inputs[index].isKept = true
      inputs[index].suggestion = choices[chosen].id
      if keep(previous, in: &choices[chosen].inputs) { isRefused = true }
      inputs[index].kind = .choice(choices)
    }
    return isRefused
  }

  private func inputs(of form: Remediation.Form, at prefix: String) -> [Screen.Input] {
    form.inputs(at: prefix).filter {
      $0.field.isRequired || !omittedFields.contains($0.field.name)
    }.flatMap { input -> [Screen.Input] in
      var made = self.input(input)
      // Nobody is asked to choose the only question, so it has to be seen beside its answer.
      if input.field.name == "answer", let question = form["questionKey"]?.onlyLabel {
        made.label = question.brief
      }
      guard step.setsPassword(in: input.field) else { return [made] }
      var repetition = Screen.Input(
        id: "\(input.path)#repetition", kind: .secret,
        label: phrases.text(.field("repetition")), isRequired: made.isRequired,
        contentType: .newPassword)
      repetition.repeats = input.path
      return [made, repetition]
    }
  }

  private func input(_ input: Remediation.Input) -> Screen.Input {
    let field = input.field
    let kind = kind(of: field, at: input.path)
    var made = Screen.Input(
      id: input.path, kind: kind, label: phrases.label(of: field),
      isRequired: isRequired(input, kind))
    made.field = field
    made.suggestion = suggestion(for: input, kind)
    // A yes or no is nothing that a program can fill in.
    if kind != .toggle { made.contentType = contentType(of: field, at: input.path) }
    // A format says that the server accepts other characters.
    made.digits =
      made.contentType == .oneTimeCode && field.format == nil ? digitsOfCode : nil
    made.rules = rules(of: field)
    made.hasRules = step.setsPassword(in: field) || step.authenticator?.key == .nfcPIN
    let messages = MessageExcerpt(field.messages).entries
    made.problem =
      problems[input.path].map(phrases.words.problem)
      ?? text(messages.filter { !phrases.isHarmless($0.message) })
    let hints = [
      text(messages.filter { phrases.isHarmless($0.message) }),
      field.raw["desc"]?.string.map(\.brief), phrases.words.text(.hint(field.name)),
    ].compactMap(\.self)
    made.hint = hints.isEmpty ? nil : hints.joined(separator: " ")
    return made
  }

  /// Messages as one line, with advice; nil if there are none.
  private func text(_ messages: [MessageExcerpt.Entry]) -> String? {
    let sentences = messages.flatMap { entry in
      let issuer = step.state.configuration.issuer
      let remarks = [
        phrases.advice(on: entry.message),
        Screen.remark(onLinksOf: entry.message, issuer, phrases.words),
      ].compactMap(\.self)
      return [TextSanitizer(oneLine: true).clean(entry.text).trimmed()] + remarks
        + Screen.links(of: entry.message, issuer).map(\.text)
    }.filter { !$0.isEmpty }
    guard let last = sentences.last else { return nil }
    // Each is a sentence of its own, also without a full stop.
    return sentences.dropLast().map { "\($0.asSentence) " }.joined() + last
  }

  private func kind(of field: Remediation.Field, at path: String) -> Screen.Input.Kind {
    let choices = field.choices
    if !choices.isEmpty { return .choice(self.choices(choices, at: path)) }
    if field.isBoolean { return .toggle }
    // Nobody may remember a new answer with a mistake that was not seen.
    if field.isSecret, step.setsAnswer { return .text }
    return field.isSecret || isPassword(field) ? .secret : .text
  }

  /// Some servers do not mark a password as secret.
  private func isPassword(_ field: Remediation.Field) -> Bool {
    field.name == "passcode"
      && (step.authenticator?.isPassword == true || step.remediation.name == .identify
        || step.setsPassword(in: field))
  }

  private func choices(
    _ options: [Remediation.Field.Option], at path: String
  ) -> [Screen.Choice] {
    var ids = UniqueIDs()
    let possible = options.enumerated().filter { !isWithoutUse($0.element, at: path) }
    // A form with nothing to choose could not be answered at all.
    let offered = possible.isEmpty ? Array(options.enumerated()) : possible
    let labels = DistinctLabels(
      offered.map { (phrases.label(of: $0.element), phrases.detail(of: $0.element)) }
    ).labels
    return zip(offered, labels).map { offer, label in
      let (position, option) = offer
      let name =
        option.authenticator?.key?.rawValue ?? option.value?.plainText ?? option.label ?? ""
      let clean = name.brief.trimmed()
      return Screen.Choice(
        id: ids.unique(clean.isEmpty ? String(position + 1) : clean),
        label: label,
        inputs: option.form.map { inputs(of: $0, at: path + ".") } ?? [], position: position)
    }
  }

  /// Whether an option is Okta FastPass, or only leads to it, and that is never used here.
  private func isWithoutUse(_ option: Remediation.Field.Option, at path: String) -> Bool {
    guard !usesFastPass else { return false }
    let fastPass: JSONValue = "signed_nonce"
    return path.hasSuffix("methodType") && option.value == fastPass
      || option.form?["methodType"]?.value == fastPass
  }

  /// Whether the form needs an answer; many servers omit `required` although they need the value.
  private func isRequired(_ input: Remediation.Input, _ kind: Screen.Input.Kind) -> Bool {
    if input.field.hasDefault { return false }
    // Real servers do not require what they cannot do without.
    let isNeeded = [
      "methodType", "channel", "phoneNumber", "passcode", "answer", "identifier", "authenticator",
    ]
    .contains(input.field.name)
    if input.field.isRequired || isNeeded && !input.canBeOmitted { return true }
    guard input.field.raw["required"] == nil, !input.canBeOmitted else { return false }
    return switch kind {
    case .secret: true
    case .toggle: false
    case .text, .choice: input.isAlone || input.path == "identifier"
    }
  }

  private func suggestion(
    for input: Remediation.Input, _ kind: Screen.Input.Kind
  ) -> String? {
    let field = input.field
    switch kind {
    case .secret: return nil
    case .choice(let choices):
      guard let value = field.value else { return nil }
      let position = field.choices.firstIndex { $0.value == value }
      return choices.first { $0.position == position }?.id
    case .toggle: return field.value?.bool.map { $0 ? "true" : "false" }
    case .text:
      guard let value = step.previous?[input.path]?.json, input.path == "identifier",
        field.messages.isEmpty, step.shownAnswers?.contains(input.path) != false
      else { return field.value?.plainText?.brief }
      // A name that is shown in another way would be sent in that way.
      return value.plainText.flatMap { $0.brief == $0 ? $0 : nil }
    }
  }

  private func contentType(
    of field: Remediation.Field, at path: String
  ) -> Screen.Input.ContentType? {
    switch field.name {
    case "passcode", "totp":
      if step.setsPassword(in: field) { return .newPassword }
      return isPassword(field) ? .password : field.isSecret ? nil : .oneTimeCode
    case "oldPassword": return .password
    case "identifier": return .username
    case "email", "userProfile.email": return .email
    case "phoneNumber", "mobilePhone", "userProfile.mobilePhone": return .telephone
    case "firstName", "userProfile.firstName": return .givenName
    case "lastName", "userProfile.lastName": return .familyName
    default: return nil
    }
  }

  /// How many digits the codes of the step's authenticator have; nil if that is not certain.
  private var digitsOfCode: ClosedRange<Int>? {
    switch step.authenticator?.key {
    case .googleAuthenticator?, .oktaVerify?: 6...6
    // The server chooses how many: usually 6, or 5 for a call.
    case .email?, .phone?: 4...10
    default: nil
    }
  }

  private func rules(of field: Remediation.Field) -> [String] {
    if step.setsPassword(in: field), let rules = step.passwordRules {
      return rules.checkable.map(phrases.words.rule)
    }
    // A text that is not empty has at least one character.
    return [
      field.minimumLength.flatMap { $0 > 1 ? $0 : nil }.flatMap {
        phrases.words.text(.rule("length"), count: $0)
      },
      field.maximumLength.flatMap { phrases.words.text(.rule("maximum"), count: $0) },
    ].compactMap(\.self)
  }
}

extension Step {
  /// Whether the answer to a security question is set up.
  fileprivate var setsAnswer: Bool {
    remediation.name == .enrollAuthenticator && authenticator?.key == .securityQuestion
  }

  /// The inputs of the step's form, also those that its screen leaves out because of a preset.
  ///
  /// A whole screen also has the options, for which all other forms of the response are read.
  package var inputs: [Screen.Input] { FormInputs(Phrases(self)).make().inputs }
}

/// Labels of a menu, none of which is there twice: equal ones get what distinguishes them, or else a number.
struct DistinctLabels {
  private(set) var labels: [String]

  /// Each entry is a label, and what can distinguish it from equal ones.
  init(_ entries: [(label: String, detail: String?)]) {
    let detailed = Self.changingEqual(entries.map(\.label)) { index, label in
      entries[index].detail.map { "\(label.shortened(to: 150)) (\($0.shortened(to: 40)))" }
    }
    var taken = Set(detailed.map { $0.lowercased() })
    var counts: [String: Int] = [:]
    labels = Self.changingEqual(detailed) { _, label in
      // A server can also send a label with a number at its end.
      while true {
        counts[label.lowercased(), default: 0] += 1
        let numbered = "\(label.shortened(to: 190)) (\(counts[label.lowercased()] ?? 1))"
        if taken.insert(numbered.lowercased()).inserted { return numbered }
      }
    }
  }

  /// Changes each label that is there more than once.
  private static func changingEqual(
    _ labels: [String], _ change: (Int, String) -> String?
  ) -> [String] {
    let counts = labels.reduce(into: [String: Int]()) { $0[$1.lowercased(), default: 0] += 1 }
    return labels.enumerated().map { index, label in
      counts[label.lowercased(), default: 1] > 1 ? change(index, label) ?? label : label
    }
  }
}

/// Names that get a number from the second time on.
struct UniqueIDs {
  private var taken: Set<String>
  private var counts: [String: Int] = [:]

  /// No name becomes one of the IDs that are taken.
  init(taken: Set<String> = []) { self.taken = taken }

  mutating func unique(_ name: String) -> String {
    var id = name
    // A server can also send a name with a number at its end.
    while !taken.insert(id).inserted {
      counts[name, default: 1] += 1
      id = "\(name)#\(counts[name] ?? 0)"
    }
    return id
  }
}
