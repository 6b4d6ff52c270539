import IDXScreens

/// Numbered lists from which a person chooses, by number or by label.
struct Menu {
  let page: Page

  /// Lists options; nil if the person goes back to the question, and a cancel at the end of the input.
  func choose(_ options: [Screen.Option], mayGoBack: Bool = true) async throws -> Reply? {
    let labels = options.map(\.label)
    guard let position = try await choose(from: labels, mayGoBack: mayGoBack) else { return nil }
    return position < options.count ? .choose(options[position].id) : .cancel
  }

  /// Lists labels and asks for one of them; `?` lists them again.
  ///
  /// They have a heading if the person may go back, because they are then beside a question. Returns the
  /// position, the number of labels at the end of the input, or nil if the person goes back.
  func choose(from labels: [String], mayGoBack: Bool = true) async throws -> Int? {
    if mayGoBack { page.heading("Other options") }
    page.list(labels)
    let prompt = prompt(for: labels) + (mayGoBack ? ", or Enter to go back: " : ": ")
    while true {
      guard let text = try await page.ask(prompt) else { return labels.count }
      if text.isEmpty, mayGoBack { return nil }
      if let position = position(of: text, in: labels) { return position }
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
