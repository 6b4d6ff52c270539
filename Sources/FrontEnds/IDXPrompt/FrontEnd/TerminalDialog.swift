package import IDXBase
package import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Questions of the program itself at a terminal, in the style of a sign-in.
package struct TerminalDialog: Sendable {
  private let page: Page

  /// Creates a dialog at a terminal, in the language of the words.
  package init(terminal: InteractiveTerminal, words: Words) {
    page = Page(terminal: terminal, words: words, now: { Date() })
  }

  /// Writes a title.
  package func heading(_ sentence: Sentence) { page.heading(text(sentence)) }

  /// Writes a sentence that explains something.
  package func note(_ sentence: Sentence) { page.note(text(sentence)) }

  /// Says why a response takes longer.
  package func note(_ retry: RetryingTransport.Retry) { page.note(retry) }

  /// Writes what worked.
  package func success(_ sentence: Sentence) { page.success(text(sentence)) }

  /// Writes what did not work.
  package func problem(_ sentence: Sentence) { page.problem(text(sentence)) }

  /// Asks for a line, which is returned without spaces around it; throws `CancellationError` if the person
  /// cancels.
  ///
  /// Up and Down change the text to one of the `lines`.
  package func ask(_ prompt: Sentence, recalling lines: [String] = []) async throws -> String {
    guard let line = try await page.ask(text(prompt), lines: lines) else {
      throw CancellationError()
    }
    return line
  }

  /// Writes a text, whose second and later lines are below its first word, and not below the `prefix`.
  package func text(_ text: String, after prefix: String = "") {
    page.text(page.inline(text), after: page.inline(prefix))
  }

  /// Asks a yes-or-no question; an empty answer is the `preset`, and `?` shows the `help`.
  ///
  /// Throws `CancellationError` if the person cancels.
  package func confirm(
    _ question: Sentence, preset: Bool = false, help: Sentence? = nil
  ) async throws -> Bool {
    let isYes = try await page.confirm(text(question), preset: preset, help: help.map(text))
    guard let isYes else { throw CancellationError() }
    return isYes
  }

  /// Lists labels and returns the position of the one that the person chooses: by number, by the beginning of
  /// the label, or with arrows; throws `CancellationError` if the person cancels.
  package func choose(among labels: [Sentence]) async throws -> Int {
    let entries = labels.enumerated().map { Menu<Int>.Entry($0.offset, text($0.element)) }
    guard case .chosen(let position) = try await Menu(page: page, entries: entries).choose() else {
      throw CancellationError()
    }
    return position
  }

  private func text(_ sentence: Sentence) -> String { page.words.text(of: sentence) }
}
