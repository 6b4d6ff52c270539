/// Makes text from elsewhere safe to show, on a terminal above all.
///
/// Gone afterwards are escape sequences (ECMA-48: CSI, OSC, DCS and the like, in their forms of seven
/// and of eight bits), control characters, and characters that are not seen but change what is: those
/// that turn the direction of writing, of no width, fillers, tags. `ESC[31mred` becomes `red`. Joiners
/// stay inside scripts and emoji, which need them. Line breaks of every kind become line feeds, tabs
/// become spaces.
public struct TextSanitizer: Sendable, Hashable {
  /// Whether line breaks become spaces, as suits a label.
  public let oneLine: Bool

  /// A sanitizer that keeps line breaks, or one that makes a single line.
  public init(oneLine: Bool = false) {
    self.oneLine = oneLine
  }

  /// The text without what is not to be shown.
  ///
  /// To do it twice changes nothing more.
  public func clean(_ text: String) -> String {
    let breaks: Set<Unicode.Scalar> = ["\t", "\n", "\u{B}", "\u{C}", "\r", "\u{85}"]
    let obeyed = ControlSequences.removed(from: text, keeping: breaks)
    var result = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in obeyed.unicodeScalars {
      defer { previous = scalar }
      switch scalar {
      case "\n" where previous == "\r": continue
      case "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}": result.append("\n")
      case "\t": result.append(" ")
      default:
        if Self.isShown(scalar, after: result.last) { result.append(scalar) }
      }
    }
    return oneLine ? Self.folded(String(result)) : String(result)
  }

  private static func isShown(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    switch scalar {
    case "\u{200C}", "\u{200D}": previous.map { !$0.isASCII && !isJoiner($0) } ?? false
    case "\u{FE0E}", "\u{FE0F}": previous.map { $0 != "\n" && $0 != " " } ?? false
    case "\u{FFF9}"..."\u{FFFB}": false
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200C}" || scalar == "\u{200D}"
  }

  private static func folded(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: " ")
  }
}
