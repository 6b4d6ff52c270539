/// Finding and removing what a terminal would obey instead of showing: escape sequences (ECMA-48) and
/// control characters.
struct ControlSequences {
  private let scalars: [Unicode.Scalar]

  private init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  /// The text without escape sequences and without the control characters C0, DEL and C1, apart from
  /// those that `keeping` holds.
  ///
  /// A sequence that is cut off or malformed goes as far as it is well-formed; the text after it stays.
  static func removed(from text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
    let sequences = ControlSequences(text)
    var result = String.UnicodeScalarView()
    var index = 0
    while index < sequences.scalars.count {
      let scalar = sequences.scalars[index]
      if let end = sequences.endOfSequence(at: index) {
        index = end
      } else {
        if !isControl(scalar) || kept.contains(scalar) { result.append(scalar) }
        index += 1
      }
    }
    return String(result)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// The index after the sequence that begins here; nil where none does.
  private func endOfSequence(at start: Int) -> Int? {
    switch scalars[start] {
    case "\u{1B}": endOfEscape(at: start + 1)
    case "\u{9B}": endOfParameters(at: start + 1)
    case "\u{90}", "\u{98}", "\u{9D}", "\u{9E}", "\u{9F}": endOfString(at: start + 1)
    default: nil
    }
  }

  /// What follows ESC.
  private func endOfEscape(at index: Int) -> Int {
    switch scalar(at: index) {
    case "[": endOfParameters(at: index + 1)
    case "P", "X", "]", "^", "_": endOfString(at: index + 1)
    // A shift of the one character after it; also what function keys send.
    case "N", "O": skip(0x21...0x7E, from: index + 1, atMost: 1)
    default: skip(0x30...0x7E, from: skip(0x20...0x2F, from: index), atMost: 1)
    }
  }

  private func endOfParameters(at index: Int) -> Int {
    let afterParameters = skip(0x30...0x3F, from: index)
    return skip(0x40...0x7E, from: skip(0x20...0x2F, from: afterParameters), atMost: 1)
  }

  /// A string ends with BEL or ST.
  ///
  /// One that does not end loses its introducer alone, as it would otherwise take all that follows
  /// with it.
  private func endOfString(at start: Int) -> Int {
    var index = start
    while let scalar = scalar(at: index) {
      if scalar == "\u{07}" || scalar == "\u{9C}" { return index + 1 }
      if scalar == "\u{1B}" { return self.scalar(at: index + 1) == "\\" ? index + 2 : start }
      if Self.isControl(scalar) { return start }
      index += 1
    }
    return start
  }

  private func scalar(at index: Int) -> Unicode.Scalar? {
    index < scalars.count ? scalars[index] : nil
  }

  private func skip(_ range: ClosedRange<UInt32>, from start: Int, atMost limit: Int = .max) -> Int
  {
    var index = start
    while index - start < limit, let scalar = scalar(at: index), range.contains(scalar.value) {
      index += 1
    }
    return index
  }
}
