import IDXFlow

/// A list from which a person chooses by number, by the beginning of a name, or with arrows.
struct Menu<Value> {
  /// One line of the list.
  struct Entry {
    let value: Value
    let label: String
    /// The letter that is typed in place of a number; nil for all entries but a “yes”.
    var letter: Character?
    /// A name in the label that can be typed in its place.
    var name: String?

    init(_ value: Value, _ label: String, letter: Character? = nil, name: String? = nil) {
      (self.value, self.label, self.letter, self.name) = (value, label, letter, name)
    }
  }

  /// What the person did.
  enum Choice {
    case chosen(Value)
    case back
    case endOfInput
  }

  let page: Page
  let entries: [Entry]

  private var words: Words { page.words }
  /// The labels as they are shown.
  var labels: [String] { entries.map { page.inline($0.label, limit: 200) } }

  /// Lists the entries beside a question, and asks for one; Enter goes back.
  func chooseBeside() async throws -> Choice {
    page.heading(words.sentence("terminal.options"))
    return try await choose(
      prompt: words.choosing(among: entries.count) + words.sentence("terminal.or-back"),
      hasBack: true)
  }

  /// Lists the entries and asks for one.
  func choose() async throws -> Choice {
    let hasLetter = entries.contains { $0.letter != nil }
    return try await choose(
      prompt: hasLetter
        ? words.sentence("terminal.choose-listed") : words.choosing(among: entries.count),
      hasBack: false)
  }

  /// `?` lists the entries again.
  private func choose(prompt: String, hasBack: Bool) async throws -> Choice {
    list()
    while true {
      guard let text = try await page.ask(prompt + ": ", lines: labels) else { return .endOfInput }
      if text.isEmpty, hasBack { return .back }
      if text == "?" {
        list()
      } else if let entry = entry(for: text, shortestName: hasBack ? 2 : 1) {
        return .chosen(entry.value)
      }
    }
  }

  /// Lists the entries; Enter takes the `preset` one.
  func list(preset: Int? = nil) {
    var number = 0
    page.list(
      entries.map { entry in
        if let letter = entry.letter { return (String(letter), entry.label) }
        number += 1
        return (String(number), entry.label)
      }, preset: preset)
  }

  /// The entry that was typed; nil, after a sentence about what to type, if there is none.
  ///
  /// Beside a question, a letter alone is no name: somebody who wants to skip must not start over with it.
  func entry(for text: String, shortestName: Int = 1, alsoOther: Bool = false) -> Entry? {
    let wanted = text.lowercased()
    if let agreeing = entries.first(where: { $0.letter != nil }), page.meaning(of: text) == true {
      return agreeing
    }
    let numbered = entries.filter { $0.letter == nil }
    if let number = Int(text), number > 0, number <= numbered.count { return numbered[number - 1] }
    let names = zip(entries, labels).map { entry, label in
      (label: label.lowercased(), own: (entry.name ?? label).lowercased())
    }
    if let exact = names.firstIndex(where: { $0.label == wanted })
      ?? names.firstIndex(where: { $0.own == wanted })
    {
      return entries[exact]
    }
    let starts = names.indices.filter { index in
      let (label, own) = names[index]
      return wanted.count >= shortestName && (label.hasPrefix(wanted) || own.hasPrefix(wanted))
    }
    if starts.count == 1 { return entries[starts[0]] }
    if starts.count > 1 {
      page.problem(words.sentence("terminal.several", ["text": page.inline(text, limit: 40)]))
    } else {
      page.problem(
        words.sentence(alsoOther ? "terminal.choose-problem.other" : "terminal.choose-problem"))
    }
    return nil
  }
}

/// What a person can do beside answering a question.
enum OtherOption: Hashable {
  /// An option of the screen.
  case screen(Screen.Option.ID)
  /// Paste the address at which a browser returned.
  case pasteAddress
  /// Show the key of an authenticator app again.
  case keyAgain
  /// Answer although the server has just accepted no more answers.
  case tryAgain
  /// Wait until the server accepts answers again, and answer then.
  case waitAndTryAgain
  /// Change an answer that is sent again, and that is not asked for; with its label.
  case change(String)

  fileprivate func label(_ words: Words) -> String {
    switch self {
    case .screen: ""
    case .pasteAddress: words.sentence("terminal.paste-option")
    case .keyAgain: words.sentence("terminal.key-again")
    case .tryAgain: words.sentence("terminal.try-again")
    case .waitAndTryAgain: words.sentence("terminal.wait-and-try-again")
    case .change(let label): words.sentence("terminal.change", ["field": label])
    }
  }
}

extension Menu where Value == OtherOption {
  /// The main action of a screen that needs the person's agreement, with the letter of “yes”, and the options.
  ///
  /// The screen can replace another one at any moment, and a number that was typed for that one must not agree.
  init(agreeing action: Screen.Option, or options: [Screen.Option], page: Page) {
    let yes = page.words.sentence("terminal.yes").first
    entries =
      [Entry(.screen(action.id), action.label, letter: yes)]
      + options.map { Entry(.screen($0.id), $0.label, name: $0.provider?.name) }
    self.page = page
  }

  /// Options of the terminal's own, and those of a screen.
  init(_ options: [Screen.Option], own: [OtherOption] = [], page: Page) {
    entries =
      own.map { Entry($0, $0.label(page.words)) }
      + options.map { Entry(.screen($0.id), $0.label, name: $0.provider?.name) }
    self.page = page
  }
}

extension Words {
  /// How to choose by number.
  func choosing(among count: Int) -> String { sentence("terminal.choose", count: count) }
}
