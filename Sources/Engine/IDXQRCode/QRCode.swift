import IDXBase

/// A text as a square of dark and light modules that a camera can read.
///
/// The text is encoded in byte mode as UTF-8, in the smallest version that holds it, with the mask that
/// has the lowest penalty. The text may be a secret, such as the key in an enrollment URI. So the
/// description and the mirror show only the size.
/// Source: ISO/IEC 18004:2015, QR Code (not Micro QR Code).
package struct QRCode: Sendable, Hashable {
  /// How much of a code may be damaged.
  package enum Correction: Sendable, Hashable, CaseIterable {
    /// About 7 % of the codewords.
    case low
    /// About 15 % of the codewords.
    case medium
    /// About 25 % of the codewords.
    case quartile
    /// About 30 % of the codewords.
    case high
  }

  /// The text does not fit the largest code, version 40.
  package struct TooLong: Error, Sendable, Hashable {
    /// The length of the text in bytes of UTF-8.
    package let byteCount: Int
    /// How many bytes of such a text fit, with the same error correction.
    package let capacity: Int
  }

  /// The version, 1 to 40.
  package let version: Int
  package let correction: Correction
  /// The mask, 0 to 7.
  package let mask: Int
  /// The number of modules on one side, without a quiet zone: 21 to 177.
  package let size: Int

  private let modules: [Bool]

  /// Encodes a text.
  ///
  /// Throws ``TooLong`` if version 40 cannot hold it: that is 2953 bytes of ASCII with low correction,
  /// and 2331 bytes with medium correction.
  package init(_ text: String, correction: Correction = .medium) throws(TooLong) {
    try self.init(Payload(text), correction: correction, smallest: 1, mask: nil)
  }

  /// Encodes a payload in version `smallest` or a larger one, with the best mask by default.
  init(
    _ payload: Payload, correction: Correction, smallest: Int, mask: Mask?
  ) throws(TooLong) {
    let largest = QRVersion.numbers.upperBound
    let fitting = (smallest...largest).lazy.map(QRVersion.init).first {
      payload.fits($0, at: correction)
    }
    guard let version = fitting else {
      throw TooLong(
        byteCount: payload.bytes.count,
        capacity: payload.capacity(of: QRVersion(largest), at: correction))
    }

    let layout = version.blocks(at: correction)
    let codewords = layout.interleaved(payload.codewords(in: version, at: correction))
    let unmasked = QRMatrix(version: version, codewords: codewords)
    let masked = unmasked.masked(by: mask, correction: correction)

    self.version = version.number
    self.correction = correction
    self.mask = masked.mask.rawValue
    self.size = version.size
    self.modules = masked.matrix.modules
  }

  /// Whether the module in column `x` and row `y` is dark; false outside the code.
  package subscript(x x: Int, y y: Int) -> Bool {
    guard x >= 0, x < size, y >= 0, y < size else { return false }
    return modules[y * size + x]
  }
}

extension QRCode: Redacted {
  package var description: String { "QR code, version \(version), \(size) x \(size) modules" }
}

// MARK: - Drawing in a terminal

extension QRCode {
  /// The number of columns that each line needs in a terminal.
  package func columns(quietZone: Int = 4) -> Int { size + 2 * quietZone }

  /// Draws the code with half blocks: lines without line ends, two rows of modules per line.
  ///
  /// It is black on white with escape sequences, whatever colors the terminal has, because many apps do not
  /// read an inverted code. The colors 16 and 231 of the 256 are fixed; themes change only the first sixteen.
  ///
  /// `quietZone` is the number of light modules on each side. The standard requires 4, but most readers
  /// accept 2, with which version 6 fits 24 rows. The number of rows is always odd, so the last line
  /// has one more light row.
  package func lines(quietZone: Int = 4) -> [String] {
    let span = -quietZone..<size + quietZone
    return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { y in
      Self.line(span.map { x in (above: self[x: x, y: y], below: self[x: x, y: y + 1]) })
    }
  }

  /// Draws the lower module as background, and the upper as a block if its color is different.
  ///
  /// Many terminals leave a gap between the blocks of two lines, but not between their backgrounds. So
  /// dark areas have no light gaps, which some readers cannot handle.
  private static func line(_ cells: [(above: Bool, below: Bool)]) -> String {
    var line = ""
    var background: Bool?
    for cell in cells {
      if cell.below != background {
        line += cell.below ? "\u{1B}[38;5;231;48;5;16m" : "\u{1B}[38;5;16;48;5;231m"
        background = cell.below
      }
      line += cell.above == cell.below ? " " : "▀"
    }
    return line + "\u{1B}[0m"
  }
}
