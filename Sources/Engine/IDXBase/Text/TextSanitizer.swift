/// Makes text from elsewhere safe to show on a terminal.
///
/// It removes escape sequences (ECMA-48: CSI, OSC, DCS and so on, in 7-bit and 8-bit form), control
/// characters, and invisible characters that can change what is shown: those that change the direction
/// of writing, zero-width characters, fillers and tags. `ESC[31mred` becomes `red`. Joiners stay within
/// scripts and emoji that need them. Line breaks of every kind become line feeds; tabs become spaces.
public struct TextSanitizer: Sendable, Hashable {
  /// Whether line breaks become spaces, as for a label.
  public let oneLine: Bool

  /// Creates a sanitizer that keeps line breaks, or one that returns a single line.
  public init(oneLine: Bool = false) {
    self.oneLine = oneLine
  }

  /// The text without unsafe characters; idempotent.
  public func clean(_ text: String) -> String {
    if text.isPrintableASCII { return text }
    let breaks: Set<Unicode.Scalar> = ["\t", "\n", "\u{B}", "\u{C}", "\r", "\u{85}"]
    var result = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in ControlSequences.removed(from: text, keeping: breaks).unicodeScalars {
      defer { previous = scalar }
      switch scalar {
      case "\n" where previous == "\r": continue
      case "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}": result.append("\n")
      case "\t": result.append(" ")
      default:
        if Self.isShown(scalar, after: result.last) { result.append(scalar) }
      }
    }
    let clean = String(result)
    return oneLine ? clean.split(separator: "\n").joined(separator: " ") : clean
  }

  private static func isShown(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    switch scalar {
    case "\u{200C}", "\u{200D}":
      previous.map { !$0.isASCII && $0 != "\u{200C}" && $0 != "\u{200D}" } ?? false
    case "\u{FE0E}", "\u{FE0F}": previous.map { $0 != "\n" && $0 != " " } ?? false
    case "\u{FFF9}"..."\u{FFFB}": false
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}

/// Finds and removes escape sequences (ECMA-48) and control characters.
package struct ControlSequences {
  package let scalars: [Unicode.Scalar]

  package init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

  /// The text without escape sequences and without the control characters C0, DEL and C1, except those
  /// in `keeping`.
  ///
  /// An incomplete or malformed sequence ends where it stops being well-formed; the text after it stays.
  package static func removed(from text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
    let sequences = ControlSequences(Array(text.unicodeScalars))
    var result = String.UnicodeScalarView()
    var index = 0
    while index < sequences.scalars.count {
      let scalar = sequences.scalars[index]
      if let end = sequences.end(from: index) {
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

  /// The index after the sequence that begins here; nil if none does.
  package func end(from start: Int) -> Int? {
    switch scalars[start] {
    case "\u{1B}": endOfEscape(at: start + 1)
    case "\u{9B}": endOfParameters(at: start + 1)
    case "\u{90}", "\u{98}", "\u{9D}", "\u{9E}", "\u{9F}": endOfString(at: start + 1)
    default: nil
    }
  }

  /// The end of a sequence after ESC.
  private func endOfEscape(at index: Int) -> Int {
    switch scalar(at: index) {
    case "[": endOfParameters(at: index + 1)
    case "P", "X", "]", "^", "_": endOfString(at: index + 1)
    // A single shift, which applies to the next character; function keys send it too.
    case "N", "O": skip(0x21...0x7E, from: index + 1, atMost: 1)
    default: skip(0x30...0x7E, from: skip(0x20...0x2F, from: index), atMost: 1)
    }
  }

  private func endOfParameters(at index: Int) -> Int {
    let afterParameters = skip(0x30...0x3F, from: index)
    return skip(0x40...0x7E, from: skip(0x20...0x2F, from: afterParameters), atMost: 1)
  }

  /// The end of a string, after BEL or ST.
  ///
  /// For a string that does not end, it is the end of the introducer, so that the text after it stays.
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

extension StringProtocol {
  /// The text without surrounding characters, by default without surrounding white space.
  package func trimmed(where isDropped: (Character) -> Bool = \.isWhitespace) -> String {
    guard let start = firstIndex(where: { !isDropped($0) }),
      let end = lastIndex(where: { !isDropped($0) })
    else { return "" }
    return String(self[start...end])
  }
}
