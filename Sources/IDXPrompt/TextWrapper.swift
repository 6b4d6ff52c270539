/// Breaks text into lines of a width, the second and later ones indented under the first.
package struct TextWrapper: Sendable {
  private struct Word {
    let text: Substring
    let columns: Int
    let followsSpace: Bool
  }

  /// The columns that a line may take.
  package let width: Int

  /// A wrapper for lines of this width.
  package init(width: Int) {
    self.width = width
  }

  /// The lines of the text, without line feeds at their ends.
  ///
  /// Lines break at spaces and beside characters of two columns, as Chinese is written without spaces. A
  /// word longer than a line stays whole, so that an address can still be copied. Line feeds in the
  /// text stay line breaks. An empty text makes one line.
  ///
  /// - Parameters:
  ///   - text: Plain text without escape sequences.
  ///   - prefix: What the first line begins with. It may hold no escape sequences either.
  ///   - styledPrefix: What is written in place of the prefix, of the same width; nil for the prefix.
  package func lines(
    of text: String, prefix: String = "", styledPrefix: String? = nil
  ) -> [String] {
    let indent = String(repeating: " ", count: prefix.columns)
    let available = max(width - prefix.columns, 1)
    let wrapped = text.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { wrap($0, to: available) }
    return wrapped.enumerated().map { index, line in
      if index == 0 { return (styledPrefix ?? prefix) + line }
      return line.isEmpty ? "" : indent + line
    }
  }

  private func wrap(_ paragraph: Substring, to available: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var columns = 0
    for word in words(of: paragraph) {
      let space = word.followsSpace && !line.isEmpty ? 1 : 0
      if !line.isEmpty, columns + space + word.columns > available {
        lines.append(line)
        line = String(word.text)
        columns = word.columns
      } else {
        line += (space == 1 ? " " : "") + word.text
        columns += space + word.columns
      }
    }
    return lines + [line]
  }

  private func words(of paragraph: Substring) -> [Word] {
    paragraph.split(separator: " ").flatMap { chunk in
      var words: [Word] = []
      var start = chunk.startIndex
      for index in chunk.indices where index > start {
        let before = chunk[chunk.index(before: index)]
        guard before.columns == 2 || chunk[index].columns == 2 else { continue }
        words.append(word(chunk[start..<index], isFirst: words.isEmpty))
        start = index
      }
      words.append(word(chunk[start...], isFirst: words.isEmpty))
      return words
    }
  }

  private func word(_ text: Substring, isFirst: Bool) -> Word {
    Word(text: text, columns: text.columns, followsSpace: isFirst)
  }
}
