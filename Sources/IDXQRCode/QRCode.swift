import IDXBase

/// A text as a square of dark and light modules, for a camera to read.
///
/// The text is written in byte mode, as UTF-8. The smallest version that holds it is taken, and of
/// the eight masks the one with the lowest penalty. What it shows may be a secret (an enrollment
/// URI holds the key), so its description and its mirror tell the size alone.
/// Source: ISO/IEC 18004:2015, QR Code (not Micro QR Code).
package struct QRCode: Sendable, Hashable {
  /// How much of a code may be hidden or misread before it is lost.
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
    /// The length of the text, in bytes of UTF-8.
    package let byteCount: Int
    /// The bytes that version 40 holds of such a text, at the correction asked for.
    package let capacity: Int
  }

  /// The version, 1 to 40.
  package let version: Int
  /// The level of error correction.
  package let correction: Correction
  /// The mask, 0 to 7.
  package let mask: Int
  /// The modules of one side, without a quiet zone: 21 to 177.
  package let size: Int

  private let modules: [Bool]

  /// Encodes a text.
  ///
  /// Throws `TooLong` past what version 40 holds: 2953 bytes of ASCII at `low`, 2331 at `medium`.
  package init(_ text: String, correction: Correction = .medium) throws(TooLong) {
    try self.init(Payload(text), correction: correction, smallest: 1, mask: nil)
  }

  /// Encodes a payload in a version no smaller than the one named, and with that mask where given.
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
    let bare = QRMatrix(version: version, codewords: codewords)
    let masked = bare.masked(by: mask, correction: correction)

    self.version = version.number
    self.correction = correction
    self.mask = masked.mask.rawValue
    self.size = version.size
    self.modules = masked.matrix.modules
  }

  /// Whether the module of a column and a row is dark; light everywhere outside the code.
  package subscript(x x: Int, y y: Int) -> Bool {
    guard x >= 0, x < size, y >= 0, y < size else { return false }
    return modules[y * size + x]
  }
}

extension QRCode: Redacted {
  package var description: String { "QR code, version \(version), \(size) x \(size) modules" }

}
