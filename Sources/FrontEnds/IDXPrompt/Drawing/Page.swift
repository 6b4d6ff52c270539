import IDX
package import IDXBase
package import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes headings, notes, messages and lists to a terminal, wrapped to the width of the window.
struct Page {
  let terminal: InteractiveTerminal
  let words: Words
  let now: @Sendable () -> Date

  private var style: TerminalStyle { terminal.style }
  private var wrapper: TextWrapper { TextWrapper(for: terminal) }

  /// A server text as part of a line, shortened to `limit` characters.
  func inline(_ text: String, limit: Int = 1000) -> String {
    TextSanitizer(oneLine: true).clean(text.shortened(to: limit))
  }

  func heading(_ text: String) {
    for line in wrapper.lines(of: inline(text)) { terminal.write(style.bold(line) + "\n") }
  }

  /// Asks for a line and returns it without surrounding spaces; nil at the end of the input.
  ///
  /// Up and Down change the text to one of the `lines`.
  func ask(
    _ prompt: String, lines: [String] = [], isRemembered: Bool = false
  ) async throws -> String? {
    let line = try await terminal.readLine(
      prompt: prompt, lines: isRemembered ? nil : lines, isRemembered: isRemembered,
      dropNotice: droppedNotice)
    guard case .text(let text) = line else { return nil }
    return text.revealed.trimmed()
  }

  /// A faint text without an indent.
  func hint(_ text: String) {
    for line in wrapper.lines(of: text) { terminal.write(style.dim(line) + "\n") }
  }

  /// A text, wrapped below its first word.
  func text(_ text: String, after prefix: String = "") { write(text, after: prefix) }

  /// The lines of a text with a prefix, wrapped.
  func wrapped(_ text: String, after prefix: String) -> [String] {
    wrapper.lines(of: text, prefix: prefix)
  }

  /// The rows that lines without escape sequences need in the window.
  func rows(of lines: [String]) -> Int {
    lines.reduce(0) { $0 + max($1.columns - 1, 0) / max(terminal.columns, 1) + 1 }
  }

  /// The rows of a text that is written as a note.
  func rows(ofNote text: String) -> Int { rows(of: wrapped(inline(text), after: "  ")) }

  /// The lines about text that was typed before a question.
  var droppedNotice: String { block(words.sentence("terminal.dropped")) }

  private func block(_ text: String) -> String {
    wrapper.lines(of: text).map { $0 + "\n" }.joined()
  }

  /// The label above a list.
  func caption(_ text: String) {
    let label = inline(text)
    write(label.hasSuffix("?") ? label : "\(label):", after: "")
  }

  func note(_ text: String) { write(inline(text), after: "  ") }

  /// A sentence that somebody who has read it before can pass over.
  func faintNote(_ text: String) {
    for line in wrapper.lines(of: inline(text), prefix: "  ") {
      terminal.write(style.dim(line) + "\n")
    }
  }

  /// Says why a response takes longer.
  func note(_ retry: RetryingTransport.Retry) { note(words.sentence(about: retry)) }

  func success(_ text: String) {
    style.isAccessible ? note(text) : write(inline(text), mark: style.check, style.green)
  }

  func problem(_ text: String) { problem(clean: inline(text)) }

  private func problem(clean text: String) {
    style.isAccessible
      ? spoken(text, "terminal.error") : write(text, mark: style.cross, style.red)
  }

  /// A text with a word in place of a mark.
  private func spoken(_ text: String, _ key: Words.Key) {
    write(words.sentence(key, ["text": text]), after: "  ")
  }

  func message(_ message: Screen.Message) {
    let text = TextSanitizer().clean(message.text)
    switch message.kind {
    case .error: problem(clean: text)
    case .warning where style.isAccessible: spoken(text, "terminal.warning")
    case .warning: write(text, mark: style.warning, style.yellow)
    default: write(text, after: "  ")
    }
    for link in message.links {
      if let label = link.label { write(inline(label, limit: 200), after: "  ") }
      // Whole, unbroken and at the start of a line, so that it can be read and copied in a window of any width.
      terminal.write("\(inline(link.url.absoluteString, limit: Screen.Page.longestAddress))\n")
    }
  }

  /// A list of numbers or letters and labels; of a very long one, only the start is shown.
  ///
  /// The entry that Enter takes has a pointer before its mark.
  func list(_ items: [(mark: String, label: String)], preset: Int? = nil) {
    let width = items.map(\.mark.columns).max() ?? 1
    var room = 10_000
    for (index, item) in items.enumerated() {
      let label = inline(item.label, limit: 200)
      room -= label.unicodeScalars.count
      guard room > 0, index < 100 else {
        return note(words.sentence("more", ["count": String(items.count - index)]))
      }
      let pad = "  " + String(repeating: " ", count: width - item.mark.columns)
      let isPreset = index == preset && !style.isAccessible
      let start = isPreset ? "\(style.pointer) " + pad.dropFirst(2) : pad
      write(
        label, after: "\(start)\(item.mark)  ",
        styled: "\(isPreset ? style.cyan(start) : start)\(style.cyan(item.mark))  ")
    }
  }

  private func write(_ text: String, mark: String, _ colored: (String) -> String) {
    write(text, after: "  \(mark) ", styled: "  \(colored(mark)) ")
  }

  private func write(_ text: String, after prefix: String, styled: String? = nil) {
    for line in wrapper.lines(of: text, prefix: prefix, styledPrefix: styled) {
      terminal.write(line + "\n")
    }
  }
}

extension Words {
  /// Why a response takes longer.
  package func sentence(about retry: RetryingTransport.Retry) -> String {
    let reason =
      if let response = retry.response {
        sentence(
          "terminal.retry.status", ["status": String(response.status), "place": response.place])
      } else {
        text(
          of: Sentence(
            template: "{1}", named: "error.network.retry", values: ["1": .text(retry.reason)]))
      }
    return sentence("terminal.retry", ["reason": reason])
  }
}

/// A number in digits of five rows, easy to compare with the number on a phone.
struct BigNumber {
  let terminal: InteractiveTerminal

  /// Three pixels by five for each digit, one number per row, the highest bit on the left.
  private static let font: [Character: [UInt8]] = [
    "0": [0b111, 0b101, 0b101, 0b101, 0b111],
    "1": [0b010, 0b110, 0b010, 0b010, 0b111],
    "2": [0b111, 0b001, 0b111, 0b100, 0b111],
    "3": [0b111, 0b001, 0b111, 0b001, 0b111],
    "4": [0b101, 0b101, 0b111, 0b001, 0b001],
    "5": [0b111, 0b100, 0b111, 0b001, 0b111],
    "6": [0b111, 0b100, 0b111, 0b101, 0b111],
    "7": [0b111, 0b001, 0b001, 0b001, 0b001],
    "8": [0b111, 0b101, 0b111, 0b101, 0b111],
    "9": [0b111, 0b101, 0b111, 0b001, 0b111],
  ]

  /// Draws the number, or writes it on one line if it cannot be drawn.
  ///
  /// In accessible mode it is only in the sentence before, because a drawing cannot be read aloud.
  func show(_ number: String) {
    if terminal.style.isAccessible { return }
    let rows = terminal.style.usesUnicode ? Self.rows(of: number) : nil
    guard let rows, rows.allSatisfy({ $0.columns + 4 < terminal.columns }) else {
      terminal.write("\n    \(terminal.style.bold(">>> \(number) <<<"))\n\n")
      return
    }
    terminal.write("\n" + rows.map { "    \(terminal.style.bold($0))\n" }.joined() + "\n")
  }

  /// The rows of the digits, without trailing spaces; nil if a character is not a digit.
  static func rows(of number: String) -> [String]? {
    let digits = number.compactMap { font[$0] }
    guard digits.count == number.count, !digits.isEmpty else { return nil }
    return (0..<5).map { row in
      let line = digits.map { digit in
        // A character is about twice as high as it is wide.
        [0b100, 0b010, 0b001].map { digit[row] & $0 == 0 ? "  " : "██" }.joined()
      }.joined(separator: "  ")
      return line.replacing(/\ +$/, with: "")
    }
  }
}

/// A status line: a spinner, the reason for the wait, the time left, and a hint.
struct StatusLine: Sendable {
  let terminal: InteractiveTerminal
  let words: Words
  /// The reason for the wait, without punctuation at its end.
  let subject: String
  /// Whether `?` lists other options.
  var hasOptions = true

  /// The line for a tick, not wider than the window.
  ///
  /// If lines cannot be replaced, it is a whole line at the start and every 300 ticks (30 seconds), and
  /// nil between.
  func text(at tick: Int, secondsLeft: Int?) -> String? {
    let style = terminal.style
    let left = max(secondsLeft ?? 0, 0)
    let clock = "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60)"
    let time = left == 0 ? "" : " " + words.sentence("terminal.left", ["time": clock])
    let hint = hasOptions ? words.sentence("terminal.options-hint") : ""
    guard style.redraws else {
      guard tick % 300 == 0 else { return nil }
      let text = "\(subject)\(style.ellipsis)\(time)\(hasOptions ? " (\(hint))" : "")"
      return TextWrapper(for: terminal).lines(of: text).joined(separator: "\n")
    }
    let frames = style.usesUnicode ? Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") : Array("|/-\\")
    let frame = String(frames[tick % frames.count])
    // The last column is left free: some terminals continue on the next row after it.
    let room = max(terminal.columns - 3, 0)
    let separator = style.usesUnicode ? " · " : " - "
    let whole = subject + style.ellipsis
    func head(before tail: String) -> String {
      Self.cut(whole, to: room - tail.columns, ending: style.ellipsis)
    }
    // The reason for the wait is worth more than the hint.
    let tails = [time + (hasOptions ? separator + hint : ""), time]
    let tail =
      tails.first { head(before: $0) == whole } ?? (time.columns + 20 <= room ? time : "")
    return style.cyan(frame) + " " + head(before: tail) + style.dim(tail)
  }

  /// The text, shortened to the columns with an ending; a word that does not fit is left out.
  private static func cut(_ text: String, to columns: Int, ending end: String) -> String {
    let room = columns - end.columns
    var kept = text.startIndex
    var taken = 0
    // From the start, because a server may send a text that is much longer than the line.
    for index in text.indices {
      taken += text[index].columns
      if taken > columns {
        let start = text[..<kept]
        let isBetweenWords =
          text[kept] == " " || text[kept].columns == 2 || start.last?.columns == 2
        let words = isBetweenWords ? start : start[..<(start.lastIndex(of: " ") ?? kept)]
        return room < 0 ? "" : words.trimmed() + end
      }
      if taken <= room { kept = text.index(after: index) }
    }
    return text
  }
}
