extension StringProtocol {
  /// How many columns of a terminal the text takes, if it holds no control characters.
  package var columns: Int { reduce(0) { $0 + $1.columns } }
}

extension Character {
  /// Two for East Asian wide characters and emoji, none for marks that stand alone, one for the rest.
  ///
  /// Terminals differ over emoji; what is counted here is what Unicode (UAX #11, UTS #51) says.
  package var columns: Int {
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
