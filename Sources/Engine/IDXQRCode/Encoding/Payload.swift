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

  func fits(_ version: QRVersion, at correction: QRCode.Correction) -> Bool {
    bytes.count <= capacity(of: version, at: correction)
  }

  /// How many bytes of such a text a version holds.
  func capacity(of version: QRVersion, at correction: QRCode.Correction) -> Int {
    (version.blocks(at: correction).dataCount * 8 - headerWidth(in: version)) / 8
  }

  /// The data codewords: header, bytes, terminator and padding.
  ///
  /// The payload must fit.
  func codewords(in version: QRVersion, at correction: QRCode.Correction) -> [UInt8] {
    let capacity = version.blocks(at: correction).dataCount
    var bits = BitBuffer(capacity: capacity)
    if declaresUTF8 {
      bits.append(0b0111, width: Self.modeWidth)
      bits.append(Self.utf8, width: Self.designatorWidth)
    }
    bits.append(0b0100, width: Self.modeWidth)
    bits.append(bytes.count, width: version.byteCountWidth)
    for byte in bytes { bits.append(Int(byte), width: 8) }

    let terminator = min(4, capacity * 8 - bits.width)
    bits.append(0, width: terminator)
    var codewords = bits.bytes
    var padding: UInt8 = 0xEC
    while codewords.count < capacity {
      codewords.append(padding)
      padding ^= 0xEC ^ 0x11
    }
    return codewords
  }

  private static let modeWidth = 4
  private static let designatorWidth = 8
  /// The number of UTF-8 among the extended channel interpretations (ECI).
  private static let utf8 = 26

  private func headerWidth(in version: QRVersion) -> Int {
    let declaration = declaresUTF8 ? Self.modeWidth + Self.designatorWidth : 0
    return declaration + Self.modeWidth + version.byteCountWidth
  }
}

/// A growing sequence of bits; the first bit is the highest bit of the first byte.
struct BitBuffer {
  private(set) var bytes: [UInt8] = []
  private(set) var width = 0

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Appends the lowest `width` bits of a value, the highest of them first.
  mutating func append(_ value: Int, width: Int) {
    var bit = width
    while bit > 0 {
      bit -= 1
      if self.width % 8 == 0 { bytes.append(0) }
      let isSet = (value >> bit) & 1
      bytes[self.width / 8] |= UInt8(isSet << (7 - self.width % 8))
      self.width += 1
    }
  }
}
