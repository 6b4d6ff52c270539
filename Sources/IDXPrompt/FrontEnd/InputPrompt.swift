import IDXBase
import IDXScreens

/// Asks for one input of a screen and reads the reply.
struct InputPrompt {
  /// What the person typed.
  enum Typed {
    /// The value of the input; empty to leave it out.
    case value(String)
    /// Something else.
    case reply(Reply)
  }

  let input: Screen.Input
  let screen: Screen
  let page: Page

  private var menu: Menu { Menu(page: page) }
  private var label: String { page.inline(input.label, limit: 200) }

  func ask() async throws -> Typed {
    if let problem = input.problem { page.problem(problem) }
    if input.problem == nil, let rules = screen.words.sentence(ofRules: input) { page.note(rules) }
    if let hint = input.hint { page.note(hint) }
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
        input.isRequired ? "" : " (optional)"
      }
    let prompt = label.hasSuffix("?") && hint.isEmpty ? "\(label) " : "\(label)\(hint): "
    guard case .text(let line) = try await page.terminal.readLine(prompt: prompt, secret: secret)
    else { return .reply(.cancel) }
    let text = secret ? line : line.trimmed()
    if text == "?" { return try await askForOtherOption() }
    return .value(text.isEmpty ? input.suggestion ?? "" : text)
  }

  private func askConfirmation() async throws -> Typed? {
    let suggestion = input.suggestion.map { $0 == "true" }
    let choice = suggestion == true ? "[Y/n]" : suggestion == false ? "[y/N]" : "[y/n]"
    let hint = choice + (input.isRequired || suggestion != nil ? "" : " (optional)")
    guard let text = try await page.ask("\(label) \(hint): ") else { return .reply(.cancel) }
    switch text {
    case "?": return try await askForOtherOption()
    case "" where suggestion != nil || !input.isRequired: return .value(input.suggestion ?? "")
    default: return page.confirmation(in: text).map { .value($0 ? "true" : "false") }
    }
  }

  private func askChoice(_ choices: [Screen.Choice]) async throws -> Typed? {
    let labels = choices.map(\.label) + beside.map(\.label)
    if screen.inputs.first?.id != input.id || screen.inputs.count > 1 { page.caption(input.label) }
    page.list(labels)
    while true {
      let prompt = "\(menu.prompt(for: labels))\(input.isRequired ? "" : " (optional)"): "
      guard let text = try await page.ask(prompt) else { return .reply(.cancel) }
      if text == "?" { return try await askForOtherOption() }
      if text.isEmpty, !input.isRequired { return .value("") }
      if let position = menu.position(of: text, in: labels) {
        return position < choices.count
          ? .value(choices[position].id)
          : .reply(.choose(beside[position - choices.count].id))
      }
      page.problem("\(menu.numbers(of: labels)), or ? for other options.")
    }
  }

  private func askForOtherOption() async throws -> Typed? {
    let others = screen.options.filter { option in !beside.contains { $0.id == option.id } }
    return try await menu.choose(others).map(Typed.reply)
  }

  /// The options that are listed with the choices: to skip, if there is nothing else to fill in.
  private var beside: [Screen.Option] {
    guard !input.choices.isEmpty, screen.inputs.count == 1, screen.inputs.first?.id == input.id
    else { return [] }
    return screen.options.filter { $0.role == .skip && $0.isProminent }
  }
}

extension Page {
  /// The answer to a yes-or-no question; nil, after a note about what to type, if it is neither.
  func confirmation(in text: String) -> Bool? {
    switch text.lowercased() {
    case "y", "yes": return true
    case "n", "no": return false
    default:
      problem("Type y for yes or n for no.")
      return nil
    }
  }
}
