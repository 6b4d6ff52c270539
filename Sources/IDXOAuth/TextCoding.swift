/// An alphabet that writes bytes as text, some bits for each character.
///
/// Source: RFC 4648.
struct TextCoding: Sendable {
  private let alphabet: [UInt8]
  private let bits: Int

  /// An alphabet of 2, 4, 8… ASCII characters, the one that stands for 0 first.
  init(alphabet: StaticString) {
    self.alphabet = Array(alphabet.description.utf8)
    bits = self.alphabet.count.trailingZeroBitCount
  }

  /// The text without padding.
  func encode(_ bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    var pending = 0
    var pendingBits = 0
    for byte in bytes {
      pending = pending << 8 | Int(byte)
      pendingBits += 8
      while pendingBits >= bits {
        pendingBits -= bits
        characters.append(alphabet[pending >> pendingBits])
        pending &= (1 << pendingBits) - 1
      }
    }
    if pendingBits > 0 { characters.append(alphabet[pending << (bits - pendingBits)]) }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The bytes; nil where a character is foreign or no bytes make a text of this length.
  ///
  /// The bits that are left over at the end are to be zero, unless `ignoringLeftover` is set.
  func decode(_ text: some Sequence<UInt8>, ignoringLeftover: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    var pending = 0
    var pendingBits = 0
    for character in text {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      pending = pending << bits | value
      pendingBits += bits
      if pendingBits >= 8 {
        pendingBits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> pendingBits))
        pending &= (1 << pendingBits) - 1
      }
    }
    guard pendingBits < bits, ignoringLeftover || pending == 0 else { return nil }
    return bytes
  }
}
