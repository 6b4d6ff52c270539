import IDXQRCode

/// Draws QR codes that fit a terminal.
struct QRDrawing {
  /// Why a code cannot be drawn.
  enum Failure: Error, CustomStringConvertible {
    case noGlyphs
    case tooLong
    case tooNarrow(columns: Int)

    var description: String {
      switch self {
      case .noGlyphs: "This terminal cannot draw a QR code."
      case .tooLong: "The key is too long for a QR code."
      case .tooNarrow(let columns):
        "The window is too narrow for a QR code; \(columns) columns do."
      }
    }
  }

  let terminal: InteractiveTerminal

  /// The lines of the code of a text.
  func lines(
    of text: String, correction: QRCode.Correction = .medium
  ) throws(Failure) -> [String] {
    guard terminal.style.usesUnicode else { throw .noGlyphs }
    guard let code = try? QRCode(text, correction: correction) else { throw .tooLong }
    // The standard asks for four light modules around; two do where the window has no room for more.
    let isRoomy = (code.size + 9) / 2 + 2 < terminal.rows && code.columns() <= terminal.columns
    let zone = isRoomy ? 4 : 2
    let columns = code.columns(quietZone: zone)
    guard columns <= terminal.columns else { throw .tooNarrow(columns: columns) }
    return code.lines(style: terminal.style.usesColor ? .color : .plain, quietZone: zone)
  }
}
