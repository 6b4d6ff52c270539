extension String {
  /// The text without characters that move a terminal's cursor or change the direction of writing, for
  /// server text in an error.
  package var printable: String {
    isPrintableASCII ? self : String(unicodeScalars.filter(\.isPrintable))
  }

  /// The text, or its start and “…” if it has more than `limit` scalars or 20 line breaks.
  ///
  /// A server may send a text of any length. Remove secrets before this, because a part of a secret is
  /// not found.
  package func shortened(to limit: Int = 1000) -> String {
    if utf8.count <= limit, isPrintableASCII { return self }
    var (end, count, breaks) = (unicodeScalars.startIndex, 0, 0)
    while end < unicodeScalars.endIndex {
      if "\n\u{B}\u{C}\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains(unicodeScalars[end]) {
        breaks += 1
      }
      guard count < limit, breaks <= 20 else { return String(unicodeScalars[..<end]) + "…" }
      count += 1
      unicodeScalars.formIndex(after: &end)
    }
    return self
  }

  /// The text with a full stop at its end, unless it ends like a sentence.
  package var asSentence: String {
    let text = String(trimmed())
    return text.last.map { ".!?…)。！？".contains($0) } ?? true ? text : text + "."
  }

  /// Whether the text has only ASCII characters that can be seen, and spaces.
  ///
  /// Most texts are like that, and need no work to be shown.
  package var isPrintableASCII: Bool { hasOnlyASCII(from: 0x20) }

  /// Whether the text has only ASCII characters that can be seen, and no spaces.
  package var isVisibleASCII: Bool { hasOnlyASCII(from: 0x21) }

  private func hasOnlyASCII(from first: UInt8) -> Bool {
    var text = self
    return text.withUTF8 { bytes in
      var index = 0
      // In a debug build, each step of `for` would take longer than the comparison.
      while index < bytes.count {
        guard bytes[index] >= first, bytes[index] < 0x7F else { return false }
        index += 1
      }
      return true
    }
  }

  /// The ``printable`` text in quotes, cut after 100 scalars, for server text in an error.
  package var quotedBriefly: String { "“\(printable.shortened(to: 100))”" }

  /// The ``printable`` text as one word of a POSIX shell, in quotes if it needs them, for a command in a
  /// message.
  package var shellWord: String {
    let text = printable
    let isPlain = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "@._/:,+-".utf8.contains($0) }
    guard !isPlain || text.isEmpty else { return text }
    // A quote with a combining mark is another character, and the same byte for a shell.
    let quoted = text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined()
    return "'" + quoted + "'"
  }

  /// The visible characters of ASCII, at most so many, without spaces around them, for a header field; nil if there are
  /// none.
  package func headerFieldValue(atMost count: Int = .max) -> String? {
    let visible = unicodeScalars.filter { (0x20...0x7E).contains($0.value) }.prefix(count)
    let line = String(String.UnicodeScalarView(visible)).trimmed()
    return line.isEmpty ? nil : String(line)
  }

  /// The text with zeros in front, so that it has at least this many characters.
  package func leadingZeros(to count: Int) -> String {
    String(repeating: "0", count: max(count - self.count, 0)) + self
  }

  /// Whether the text contains the bytes of another.
  ///
  /// `contains` compares characters, which takes many times longer.
  package func containsBytes(of other: String) -> Bool {
    let (mine, wanted) = (utf8, other.utf8)
    guard wanted.count <= mine.count else { return false }
    return mine.indices.contains { mine[$0...].starts(with: wanted) }
  }
}

extension Unicode.Scalar {
  /// Whether it neither controls a terminal nor changes the direction of writing.
  package var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

extension UInt8 {
  /// Whether this UTF-8 code unit is an ASCII letter or digit.
  package var isASCIIAlphanumeric: Bool {
    // Builds without optimization make many calls for a range.
    self >= 48 && self <= 57 || self >= 65 && self <= 90 || self >= 97 && self <= 122
  }
}
