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

/// Escape sequences (ECMA-48) and control characters.
enum ControlSequences {
  /// The text without escape sequences and without the control characters C0, DEL and C1, except those
  /// in `keeping`.
  ///
  /// An incomplete or malformed sequence ends where it stops being well-formed; the text after it stays.
  static func removed(from text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
    // Most texts contain none, and the pattern is slow.
    guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return text
    }
    return text.replacing(pattern.matchingSemantics(.unicodeScalar)) { match in
      match.output.unicodeScalars.first.map(kept.contains) == true ? match.output : ""
    }
  }

  /// Sequences with parameters; strings, of which only the introducer matches if they do not end; single
  /// shifts, which apply to the next character (function keys send them too); other sequences; control
  /// characters.
  private static var pattern: Regex<Substring> {
    #/
      (?: \x1B\[ | \x9B ) [0-?]* [\x20-\/]* [@-~]?
      | (?: \x1B[PX\]^_] | [\x90\x98\x9D-\x9F] )
        (?: [^\x00-\x1F\x7F-\x9F]*+ (?: \x07 | \x9C | \x1B\\ ) )?
      | \x1B[NO] [!-~]?
      | \x1B [\x20-\/]* [0-~]?
      | [\x00-\x1F\x7F-\x9F]
    /#
  }
}

extension StringProtocol {
  /// The text without surrounding characters, by default without surrounding white space.
  func trimmed(where isDropped: (Character) -> Bool = \.isWhitespace) -> String {
    guard let start = firstIndex(where: { !isDropped($0) }),
      let end = lastIndex(where: { !isDropped($0) })
    else { return "" }
    return String(self[start...end])
  }
}
