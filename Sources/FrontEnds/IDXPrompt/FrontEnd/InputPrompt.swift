import IDXBase
package import IDXFlow

/// Asks for one input of a screen and reads the reply.
struct InputPrompt {
  /// What the person typed.
  enum Typed {
    /// The value of the input; empty to leave it out.
    case value(Secret)
    /// Something else.
    case reply(Reply)
    /// All inputs are asked for, also those whose last answer would be sent again.
    case askAll
  }

  let input: Screen.Input
  let screen: Screen
  let page: Page
  /// The inputs that are not asked for, because their last answer, which is shown, is sent again.
  let kept: [Screen.Input]
  /// Shows the key of the screen again; nil if it has none.
  let showKey: (() async throws -> Void)?

  private var words: Words { page.words }
  private var label: String { page.inline(input.label, limit: 200) }

  /// What is said about the input above the question.
  private var notes: [String] {
    [input.problem == nil ? screen.words.sentence(ofRules: input) : nil, input.hint]
      .compactMap(\.self)
  }

  /// The rows that the question needs when it is asked for the first time, with the prompt.
  var rows: Int {
    let prompt =
      switch input.kind {
      case .text, .secret, .toggle: page.rows(of: ["\(label)\(optional): "])
      // The label above the list, the list and the prompt.
      case .choice where screen.isClear(input): 1
      case .choice(let choices): choices.count + beside.count + 2
      }
    return notes.reduce(prompt) { $0 + page.rows(ofNote: $1) }
  }

  func ask() async throws -> Typed {
    if let problem = input.problem { page.problem(problem) }
    for note in notes { page.note(note) }
    while true {
      let typed =
        switch input.kind {
        case .text: try await askText(secret: false)
        case .secret: try await askText(secret: true)
        case .toggle: try await askConfirmation()
        case .choice(let choices): try await askChoice(choices)
        }
      if let typed { return typed }
    }
  }

  // Each of these returns nil to ask again.

  private func askText(secret: Bool) async throws -> Typed? {
    let hint =
      if let suggestion = input.suggestion, !secret {
        " [\(page.inline(suggestion, limit: 200))]"
      } else {
        optional
      }
    let prompt = label.hasSuffix("?") && hint.isEmpty ? "\(label) " : "\(label)\(hint): "
    guard let text = try await (secret ? readSecret(prompt) : readText(prompt)) else {
      return .reply(.cancel)
    }
    if text == "?" { return try await askForOtherOption() }
    return .value(text == "" ? Secret(input.suggestion ?? "") : text)
  }

  private func readSecret(_ prompt: String) async throws -> Secret? {
    // The next lines of a paste must not use up the attempts that the server allows.
    let line =
      screen.attempt == 1
      ? try await page.terminal.readLine(prompt: prompt, secret: true)
      : try await page.terminal.readSecretLine(prompt: prompt, dropNotice: page.droppedNotice)
    return if case .text(let text) = line { text } else { nil }
  }

  private func readText(_ prompt: String) async throws -> Secret? {
    // A new answer to a security question is shown, but no later question must show it again.
    let isRemembered = input.contentType != .oneTimeCode && input.field?.isSecret != true
    return try await page.ask(prompt, isRemembered: isRemembered).map { Secret($0) }
  }

  private func askConfirmation() async throws -> Typed? {
    let suggestion = input.suggestion.map { $0 == "true" }
    // A switch that is left out is off.
    let hint = page.yesOrNo(suggestion ?? (input.isRequired ? nil : false))
    guard let text = try await page.ask("\(label) \(hint): ") else { return .reply(.cancel) }
    switch text {
    case "?": return try await askForOtherOption()
    case "" where suggestion != nil || !input.isRequired:
      return .value(Secret(input.suggestion ?? ""))
    default: return page.confirmation(in: text).map { .value($0 ? "true" : "false") }
    }
  }

  /// The labels of the choices, which also say what cannot be done here.
  private func labels(of choices: [Screen.Choice]) -> [String] {
    guard let rows = screen.choiceRows, rows.inputID == input.id,
      rows.rows.contains(where: { !$0.isUsable })
    else { return choices.map(\.label) }
    return choices.map { choice in
      let detail = rows.rows.first { !$0.isUsable && $0.picks.first?.choice == choice.id }?.detail
      return [choice.label, detail].compactMap(\.self).joined(separator: ": ")
    }
  }

  private func askChoice(_ choices: [Screen.Choice]) async throws -> Typed? {
    if screen.isClear(input) {
      // The next input can be about it, such as the answer to the only question.
      page.note("\(label): \(page.inline(choices[0].label, limit: 200))")
      return .value(Secret(choices[0].id))
    }
    let menu = Menu<Typed>(
      page: page,
      entries: zip(choices, labels(of: choices)).map { .init(.value(Secret($0.id)), $1) }
        + beside.map { .init(.reply(.choose($0.id)), $0.label) })
    if screen.inputs.first?.id != input.id || screen.inputs.count > 1 { page.caption(input.label) }
    let preset = choices.firstIndex { $0.id == input.suggestion }
    menu.list(preset: preset)
    let hint = preset.map { " [\($0 + 1)]" } ?? optional
    let prompt = "\(words.choosing(among: menu.entries.count))\(hint): "
    while true {
      guard let text = try await page.ask(prompt, lines: menu.labels) else {
        return .reply(.cancel)
      }
      if text == "?" { return try await askForOtherOption() }
      if text.isEmpty, let preset { return .value(Secret(choices[preset].id)) }
      if text.isEmpty, !input.isRequired { return .value("") }
      if let isYes = page.meaning(of: text),
        let choice = choices.first(where: { $0.id == "\(isYes)" }),
        !menu.labels.contains(where: { $0.lowercased().hasPrefix(text.lowercased()) })
      {
        return .value(Secret(choice.id))
      }
      if let entry = menu.entry(for: text, alsoOther: true) {
        return entry.value
      }
    }
  }

  private var optional: String {
    input.isRequired ? "" : " (\(words.sentence("terminal.optional")))"
  }

  private func askForOtherOption() async throws -> Typed? {
    let others = screen.options.filter { option in !beside.contains { $0.id == option.id } }
      .map { option in
        var option = option
        if screen.canChangeUsername, option.id == screen.person?.changeID {
          option.label = words.sentence("terminal.person.change")
        }
        return option
      }
    let own = (showKey == nil ? [] : [.keyAgain]) + kept.map { OtherOption.change($0.label) }
    switch try await Menu(others, own: own, page: page).chooseBeside() {
    case .chosen(.screen(let id)): return .reply(.choose(id))
    case .chosen(.keyAgain): try await showKey?()
    case .chosen(.change): return .askAll
    case .chosen(.pasteAddress), .chosen(.tryAgain), .chosen(.waitAndTryAgain), .back: break
    case .endOfInput: return .reply(.cancel)
    }
    return nil
  }

  /// The options that are listed with the choices: to skip, if there is nothing else to fill in.
  private var beside: [Screen.Option] {
    guard !input.choices.isEmpty, screen.inputs.count == 1, screen.inputs.first?.id == input.id
    else { return [] }
    return screen.options.filter { $0.role == .skip && $0.isProminent }
  }
}

extension Screen {
  /// Whether an input has nothing to choose: a single choice that must be made, where nothing else can be done.
  ///
  /// After the first time, it would be made again and again.
  package func isClear(_ input: Input) -> Bool {
    input.choices.count == 1 && input.isRequired && input.problem == nil && attempt == 1
      && consent?.inputID != input.id
      && options.allSatisfy { [.startOver, .quit].contains($0.role) }
  }

  /// The reply, if it needs no question.
  package var onlyReply: Reply? {
    guard inputs.count == 1, let input = inputs.first, isClear(input),
      input.choices[0].inputs.allSatisfy(isClear)
    else { return nil }
    var values: [Input.ID: Secret] = [:]
    for input in [input] + input.choices[0].inputs {
      values[input.id] = Secret(input.choices[0].id)
    }
    return .submit(values)
  }
}

extension Page {
  /// Asks a yes-or-no question; an empty answer is the `preset`, `?` shows the `help`, and nil is the end of the
  /// input.
  ///
  /// What cannot be an answer is hidden: it may be a password for the question that the person expected.
  func confirm(
    _ question: String, preset: Bool = false, help: String? = nil
  ) async throws -> Bool? {
    let prompt = "\(inline(question)) \(yesOrNo(preset)): "
    while true {
      let line = try await terminal.readLine(
        prompt: prompt, lines: [], dropNotice: droppedNotice,
        shows: { text in text.isEmpty || text == "?" || meaning(of: text) != nil })
      guard case .text(let typed) = line else { return nil }
      let text = typed.revealed.trimmed()
      if text == "?", let help {
        note(help)
      } else if let isYes = text.isEmpty ? preset : confirmation(in: text) {
        return isYes
      }
    }
  }

  /// The answers to a yes-or-no question, the preset one in capitals.
  func yesOrNo(_ preset: Bool?) -> String {
    let (yes, no) = (words.sentence("terminal.yes"), words.sentence("terminal.no"))
    // Brackets have what Enter means.
    guard let preset else { return "(\(yes)/\(no))" }
    return "[\(preset ? yes.uppercased() : yes)/\(preset ? no : no.uppercased())]"
  }

  /// The answer to a yes-or-no question; nil, after a note about what to type, if it is neither.
  func confirmation(in text: String) -> Bool? {
    if let isYes = meaning(of: text) { return isYes }
    problem(words.sentence("terminal.yes-or-no"))
    return nil
  }

  /// Whether a text means yes; nil if it means neither yes nor no.
  ///
  /// The beginning of the word is enough. English works in every language, because many people type `y` anyway.
  func meaning(of text: String) -> Bool? {
    meaning(of: text.lowercased(), in: words) ?? meaning(of: text.lowercased(), in: .english)
  }

  private func meaning(of typed: String, in words: Words) -> Bool? {
    let answers: [(word: Words.Key, isYes: Bool)] = [
      ("terminal.yes.word", true), ("terminal.no.word", false),
    ]
    let meant = answers.filter { words.sentence($0.word).hasPrefix(typed) }
    return meant.count == 1 ? meant[0].isYes : nil
  }
}
