#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Questions of the program itself at a terminal, in the style of a sign-in.
package struct TerminalDialog: Sendable {
  private let page: Page

  /// Creates a dialog at a terminal.
  package init(terminal: InteractiveTerminal) {
    page = Page(terminal: terminal, words: .english, now: { Date() })
  }

  /// Writes a title.
  package func heading(_ text: String) { page.heading(text) }

  /// Writes a sentence that explains something.
  package func note(_ text: String) { page.note(text) }

  /// Writes what worked.
  package func success(_ text: String) { page.success(text) }

  /// Writes what did not work.
  package func problem(_ text: String) { page.problem(text) }

  /// Asks for a line, which is returned without spaces around it; throws `CancellationError` if the person
  /// cancels.
  ///
  /// Up and Down change the text to one of the `lines`.
  package func ask(_ prompt: String, recalling lines: [String] = []) async throws -> String {
    guard let text = try await page.ask(prompt, lines: lines) else { throw CancellationError() }
    return text
  }

  /// Writes a text without an indent.
  package func text(_ text: String) { page.text(page.inline(text)) }

  /// Asks a yes-or-no question; an empty answer is the `preset`, and `?` shows the `help`.
  ///
  /// Throws `CancellationError` if the person cancels.
  package func confirm(
    _ question: String, preset: Bool = false, help: String? = nil
  ) async throws -> Bool {
    guard let isYes = try await page.confirm(question, preset: preset, help: help) else {
      throw CancellationError()
    }
    return isYes
  }

  /// Lists labels and returns the position of the one that the person chooses: by number, by the beginning of
  /// the label, or with arrows; throws `CancellationError` if the person cancels.
  package func choose(among labels: [String]) async throws -> Int {
    let entries = labels.enumerated().map { Menu<Int>.Entry($0.offset, $0.element) }
    guard case .chosen(let position) = try await Menu(page: page, entries: entries).choose() else {
      throw CancellationError()
    }
    return position
  }
}
