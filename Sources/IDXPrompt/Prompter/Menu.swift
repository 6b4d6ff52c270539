import IDX
import IDXFlow

/// Numbered lists from which a person chooses, by number or by label.
struct Menu {
  let page: Page

  enum Choice {
    case entry(Int)
    case back
    case endOfInput
  }

  /// Lists the other options of a step; nil if the person goes back to the question.
  func otherOptions(_ forms: [Remediation]) async throws -> Reply? {
    heading()
    return try await choose(among: forms, mayGoBack: true)
  }

  func heading() { page.heading("Other options") }

  /// Lists forms and “Quit”; nil if the person goes back.
  func choose(among forms: [Remediation], mayGoBack: Bool = false) async throws -> Reply? {
    let labels = forms.map(page.wording.title(ofAlternative:)) + ["Quit"]
    switch try await choose(from: labels, mayGoBack: mayGoBack) {
    case .entry(let position) where position < forms.count: return .instead(forms[position])
    case .entry, .endOfInput: return .cancel
    case .back: return nil
    }
  }

  /// Lists labels and asks for one of them; `?` lists them again.
  func choose(from labels: [String], mayGoBack: Bool) async throws -> Choice {
    page.list(labels)
    let prompt = prompt(for: labels) + (mayGoBack ? ", or Enter to go back: " : ": ")
    while true {
      guard case .text(let line) = try await page.terminal.readLine(prompt: prompt)
      else { return .endOfInput }
      let text = line.trimmed
      if text.isEmpty, mayGoBack { return .back }
      if let position = position(of: text, in: labels) { return .entry(position) }
      if text == "?" { page.list(labels) } else { page.problem("\(numbers(of: labels)).") }
    }
  }

  func prompt(for labels: [String]) -> String {
    labels.count == 1 ? "Choose [1]" : "Choose [1-\(labels.count)]"
  }

  /// The numbers that may be typed, as the start of a sentence.
  func numbers(of labels: [String]) -> String {
    labels.count == 1 ? "Type 1" : "Type a number from 1 to \(labels.count)"
  }

  /// The position of an entry that was typed as a number or a label.
  func position(of text: String, in labels: [String]) -> Int? {
    let named = labels.firstIndex { page.inline($0).lowercased() == text.lowercased() }
    let counted = Int(text).flatMap { (1..<labels.count + 1).contains($0) ? $0 - 1 : nil }
    return counted ?? named
  }
}
