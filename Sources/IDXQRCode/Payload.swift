/// The bytes of a code and how they become its data codewords.
struct Payload {
  let bytes: [UInt8]
  /// Whether the bytes need the mark that says UTF-8, as readers take them for Latin-1 or guess.
  ///
  /// ASCII goes without, for the few readers that do not know the mark.
  private let isMarked: Bool

  init(_ text: String) {
    bytes = Array(text.utf8)
    isMarked = bytes.contains { $0 >= 0x80 }
  }

  func fits(_ version: QRVersion, at correction: QRCode.Correction) -> Bool {
    bytes.count <= capacity(of: version, at: correction)
  }

  /// The most bytes of such a payload that a version holds.
  func capacity(of version: QRVersion, at correction: QRCode.Correction) -> Int {
    (version.blocks(at: correction).dataCount * 8 - headerWidth(in: version)) / 8
  }

  /// The data codewords: header, bytes, terminator and padding.
  ///
  /// The payload must fit.
  func codewords(in version: QRVersion, at correction: QRCode.Correction) -> [UInt8] {
    let capacity = version.blocks(at: correction).dataCount
    var bits = BitBuffer(capacity: capacity)
    if isMarked {
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
  /// UTF-8's number among the extended channel interpretations.
  private static let utf8 = 26

  private func headerWidth(in version: QRVersion) -> Int {
    let mark = isMarked ? Self.modeWidth + Self.designatorWidth : 0
    return mark + Self.modeWidth + version.byteCountWidth
  }
}
