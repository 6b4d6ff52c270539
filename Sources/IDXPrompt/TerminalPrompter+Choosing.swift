import IDX
import IDXFlow

extension TerminalPrompter {
  /// What was picked from a list.
  enum Pick {
    case entry(Int)
    case back
    case endOfInput
  }

  /// Lists what else can be done; nil where the person goes back to what was asked.
  func askAlternatives(_ forms: [Remediation]) async throws -> Reply? {
    page.heading("What else can be done here")
    return try await pick(among: forms, mayGoBack: true)
  }

  /// Lists forms and the end of the sign-in; nil where the person goes back.
  func pick(among forms: [Remediation], mayGoBack: Bool = false) async throws -> Reply? {
    let labels = forms.map(wording.title(ofAlternative:)) + ["Quit"]
    switch try await pick(from: labels, mayGoBack: mayGoBack) {
    case .entry(let position) where position < forms.count: return .instead(forms[position])
    case .entry, .endOfInput: return .cancel
    case .back: return nil
    }
  }

  /// Lists labels and asks for one of them; `?` lists them again.
  func pick(from labels: [String], mayGoBack: Bool) async throws -> Pick {
    page.list(labels)
    let prompt = choose(labels) + (mayGoBack ? ", or Enter to go back: " : ": ")
    while true {
      guard case .text(let line) = try await terminal.readLine(prompt: prompt)
      else { return .endOfInput }
      let text = line.trimmed
      if text.isEmpty, mayGoBack { return .back }
      if let position = position(of: text, in: labels) { return .entry(position) }
      if text == "?" { page.list(labels) } else { page.problem("\(numbers(of: labels)).") }
    }
  }

  func choose(_ labels: [String]) -> String {
    labels.count == 1 ? "Choose [1]" : "Choose [1-\(labels.count)]"
  }

  func numbers(of labels: [String]) -> String {
    labels.count == 1 ? "Type 1" : "Type a number from 1 to \(labels.count)"
  }

  /// Where in a list that is, which somebody named by its number or its words.
  func position(of text: String, in labels: [String]) -> Int? {
    let named = labels.firstIndex { page.inline($0).lowercased() == text.lowercased() }
    let counted = Int(text).flatMap { (1..<labels.count + 1).contains($0) ? $0 - 1 : nil }
    return counted ?? named
  }
}
