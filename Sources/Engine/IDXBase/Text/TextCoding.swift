/// Base32, in which the keys of authenticator apps are written.
///
/// Source: RFC 4648, section 6.
package enum Base32 {
  /// The text in capital letters, without padding.
  package static func encode(_ bytes: [UInt8]) -> String { coding.encode(bytes) }

  /// The bytes of a text as people copy it; nil if it is not Base32.
  ///
  /// Lowercase letters, white space, hyphens and padding at the end are accepted. Bits after the last
  /// whole byte are ignored.
  package static func decode(_ text: String) -> [UInt8]? {
    var characters = text.utf8.filter { !separators.contains($0) }
    while characters.last == UInt8(ascii: "=") { characters.removeLast() }
    return coding.decode(characters.map(uppercased)[...], ignoringLeftover: true)
  }

  private static let coding = TextCoding(alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

  private static func uppercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
  }

  private static let separators = Array(" \t\r\n-".utf8)
}

/// Base64 for URLs and file names, without padding.
///
/// Source: RFC 4648, section 5; RFC 7515, section 2.
package enum Base64URL {
  /// The text of these bytes.
  package static func encode(_ bytes: [UInt8]) -> String { coding.encode(bytes) }

  /// The bytes of a text; nil unless it is exactly what ``encode(_:)`` writes.
  ///
  /// Padding, white space and leftover bits are refused, so that each value has only one text.
  package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)[...]) }

  /// The bytes of a text in ASCII, as from a `String`.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    coding.decode(text, ignoringLeftover: false)
  }

  private static let coding = TextCoding(
    alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}

/// Writes bytes as text with an alphabet whose size is a power of two.
///
/// Source: RFC 4648.
private struct TextCoding: Sendable {
  private let alphabet: [UInt8]
  private let bits: Int
  /// The value of each character, and 255 for a character that is not in the alphabet.
  private let values: [UInt8]

  /// Takes 2, 4, 8… ASCII characters; the first one stands for 0.
  init(alphabet: StaticString) {
    self.alphabet = Array(alphabet.description.utf8)
    bits = self.alphabet.count.trailingZeroBitCount
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in self.alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    self.values = values
  }

  func encode(_ bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity(bytes.count * 8 / bits + 1)
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

  /// The bytes; nil if a character is not in the alphabet or no bytes encode to this length.
  ///
  /// Leftover bits at the end must be zero, unless `ignoringLeftover` is true.
  func decode(_ text: ArraySlice<UInt8>, ignoringLeftover: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * bits / 8)
    var pending = 0
    var pendingBits = 0
    for character in text {
      let value = values[Int(character)]
      guard value < 255 else { return nil }
      pending = pending &<< bits | Int(value)
      pendingBits &+= bits
      if pendingBits >= 8 {
        pendingBits &-= 8
        bytes.append(UInt8(truncatingIfNeeded: pending &>> pendingBits))
        pending &= (1 &<< pendingBits) &- 1
      }
    }
    guard pendingBits < bits, ignoringLeftover || pending == 0 else { return nil }
    return bytes
  }
}

extension String {
  /// The text of bytes in UTF-8; nil if they are not valid.
  ///
  /// `String(validating:as:)` of the standard library needs macOS 15 and iOS 18.
  package init?(validUTF8 bytes: some Collection<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Invalid bytes were replaced.
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}
