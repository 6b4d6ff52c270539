/// The bits by which a code tells a reader its format and its version, each with a BCH code.
enum InformationBits {
  /// The fifteen bits of correction and mask, lowest bit last.
  static func format(correction: QRCode.Correction, mask: Mask) -> Int {
    let level =
      switch correction {
      case .low: 0b01
      case .medium: 0b00
      case .quartile: 0b11
      case .high: 0b10
      }
    return coded(level << 3 | mask.rawValue, generator: 0b101_0011_0111, degree: 10)
      ^ 0b101_0100_0001_0010
  }

  /// The eighteen bits of a version, which versions from 7 on carry.
  static func version(_ number: Int) -> Int {
    coded(number, generator: 0b1_1111_0010_0101, degree: 12)
  }

  /// A value followed by the remainder of its division by a generator polynomial of that degree.
  private static func coded(_ value: Int, generator: Int, degree: Int) -> Int {
    let shifted = value << degree
    var remainder = shifted
    while remainder >> degree != 0 {
      let excess = Int.bitWidth - remainder.leadingZeroBitCount - 1 - degree
      remainder ^= generator << excess
    }
    return shifted | remainder
  }
}
