/// Wraps text, and indents the second and later lines under the first.
package struct TextWrapper {
  /// The most columns of a line.
  let width: Int

  package init(width: Int) { self.width = width }

  /// The columns for text in the window of a terminal; nil if the descriptor is no terminal with a window.
  package static func width(ofTerminal descriptor: Int32) -> Int? {
    TerminalDevice.size(of: descriptor).map { min($0.columns, longest) }
  }

  /// Wraps text to the window of a terminal.
  init(for terminal: InteractiveTerminal) {
    // A break in a sentence is read aloud as a pause.
    width = terminal.style.isAccessible ? .max : min(terminal.columns, Self.longest)
  }

  /// Longer lines are hard to read.
  static let longest = 100

  /// The lines of the text, without line feeds.
  ///
  /// Lines break at spaces and beside characters of two columns, because Chinese is written without
  /// spaces. A word longer than a line is not broken, so that an address can be copied; nor is text with
  /// no-break spaces, such as a command to copy, in which they become spaces. Line feeds in the text are
  /// kept. An empty text is one line. Of the arguments, only `styledPrefix`, which replaces
  /// the prefix and has the same width, may contain escape sequences.
  package func lines(
    of text: String, prefix: String = "", styledPrefix: String? = nil
  ) -> [String] {
    let indent = String(repeating: " ", count: prefix.columns)
    let available = max(width - prefix.columns, 1)
    let wrapped = text.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { wrap($0, to: available) }
    return wrapped.enumerated().map { index, line in
      let line = line.replacing("\u{A0}", with: " ")
      if index == 0 { return (styledPrefix ?? prefix) + line }
      return line.isEmpty ? "" : indent + line
    }
  }

  private func wrap(_ paragraph: Substring, to available: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in paragraph.split(separator: " ") {
      for part in parts(of: word) {
        let space = line.isEmpty || part.startIndex > word.startIndex ? "" : " "
        let longer = "\(line)\(space)\(part)"
        if !line.isEmpty, longer.columns > available {
          lines.append(line)
          line = String(part)
        } else {
          line = longer
        }
      }
    }
    return lines + [line]
  }

  /// The parts of a word between which a line may break.
  private func parts(of word: Substring) -> [Substring] {
    var parts: [Substring] = []
    var start = word.startIndex
    for (before, index) in zip(word.indices, word.indices.dropFirst())
    where word[before].columns == 2 || word[index].columns == 2 {
      parts.append(word[start..<index])
      start = index
    }
    return parts + [word[start...]]
  }
}

extension StringProtocol {
  /// The columns of the text on a terminal; sequences that only change colors take none.
  package var columns: Int {
    guard utf8.contains(0x1B) else { return reduce(0) { $0 + $1.columns } }
    return String(self).replacing(/\u{1B}\[[0-9;]*m/, with: "").reduce(0) { $0 + $1.columns }
  }
}

extension Character {
  /// The columns on a terminal: two for East Asian wide characters and emoji, none for marks without a
  /// base character, one for all others.
  ///
  /// Terminals differ in the width of emoji; this is what Unicode says (UAX #11, UTS #51).
  var columns: Int {
    // ASCII, for which the properties of Unicode need not be looked up.
    if utf8.count == 1, let byte = utf8.first { return byte < 0x20 || byte == 0x7F ? 0 : 1 }
    guard let first = unicodeScalars.first else { return 0 }
    if Self.isWide(first) || unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return 1
    }
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isEmojiPresentation { return true }
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
