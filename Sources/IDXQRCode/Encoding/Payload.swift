/// The bytes of a text, and how they are encoded as data codewords.
struct Payload {
  let bytes: [UInt8]
  /// Whether the code declares UTF-8, because readers otherwise assume Latin-1 or guess.
  ///
  /// ASCII is not declared, because a few readers do not know the declaration.
  private let declaresUTF8: Bool

  init(_ text: String) {
    bytes = Array(text.utf8)
    declaresUTF8 = bytes.contains { $0 >= 0x80 }
  }

  /// How many bytes of such a text a version holds.
  func capacity(of version: QRVersion, at correction: QRCode.Correction) -> Int {
    let declaration = declaresUTF8 ? Self.modeWidth + Self.designatorWidth : 0
    let header = declaration + Self.modeWidth + version.byteCountWidth
    return (version.blocks(at: correction).dataCount * 8 - header) / 8
  }

  /// The data codewords: header, bytes, terminator and padding.
  ///
  /// The payload must fit.
  func codewords(in version: QRVersion, at correction: QRCode.Correction) -> [UInt8] {
    let capacity = version.blocks(at: correction).dataCount
    var bits = BitBuffer()
    if declaresUTF8 {
      bits.append(0b0111, width: Self.modeWidth)
      bits.append(Self.utf8, width: Self.designatorWidth)
    }
    bits.append(0b0100, width: Self.modeWidth)
    bits.append(bytes.count, width: version.byteCountWidth)
    for byte in bytes { bits.append(Int(byte), width: 8) }

    bits.append(0, width: min(4, capacity * 8 - bits.width))
    let padding = (0..<capacity - bits.bytes.count).map { $0 % 2 == 0 ? 0xEC : 0x11 as UInt8 }
    return bits.bytes + padding
  }

  private static let modeWidth = 4
  private static let designatorWidth = 8
  /// The number of UTF-8 among the extended channel interpretations (ECI).
  private static let utf8 = 26
}

/// A growing sequence of bits; the first bit is the highest bit of the first byte.
struct BitBuffer {
  private(set) var bytes: [UInt8] = []
  private(set) var width = 0

  /// Appends the lowest `width` bits of a value, the highest of them first.
  mutating func append(_ value: Int, width: Int) {
    for bit in (0..<width).reversed() {
      if self.width % 8 == 0 { bytes.append(0) }
      bytes[self.width / 8] |= UInt8((value >> bit & 1) << (7 - self.width % 8))
      self.width += 1
    }
  }
}
