// What stands between and inside of tokens, taken eight bytes at a time: that is where the time goes.
extension JSONReader {
  /// The next byte that is not white space, without taking it; 0 at the end.
  @inline(__always)
  mutating func peek() -> UInt8 {
    if index < count, base[index] > 0x20 { return base[index] }
    return pastWhiteSpace()
  }

  private mutating func pastWhiteSpace() -> UInt8 {
    while index < count {
      switch base[index] {
      case 0x0A:
        index += 1
        skipIndentation()
      case 0x20, 0x0D, 0x09: index += 1
      case let byte: return byte
      }
    }
    return 0
  }

  private mutating func skipIndentation() {
    while let word = eightBytes(at: index) {
      let others = word ^ Self.each(0x20)
      index += others.trailingZeroBitCount / 8
      if others != 0 { return }
    }
  }

  /// Passes over the string whose quote stands next, and tells whether escapes stand in it.
  mutating func string() throws(JSONError) -> Bool {
    var isEscaped = false
    index += 1
    while true {
      skipPlainCharacters()
      guard index < count else { throw unexpected() }
      switch base[index] {
      case UInt8(ascii: "\""):
        index += 1
        return isEscaped
      case UInt8(ascii: "\\"):
        isEscaped = true
        try escape()
      case 0..<0x20: throw JSONError(reason: .controlCharacter, offset: index)
      default: index += 1
      }
    }
  }

  /// Goes to the next quote, backslash or control character, unless it is among the last bytes.
  private mutating func skipPlainCharacters() {
    while let word = eightBytes(at: index) {
      let found =
        Self.zeros(in: word ^ Self.each(UInt8(ascii: "\"")))
        | Self.zeros(in: word ^ Self.each(UInt8(ascii: "\\")))
        | (word &- Self.each(0x20)) & ~word & Self.each(0x80)
      index += found.trailingZeroBitCount / 8
      if found != 0 { return }
    }
  }

  private mutating func escape() throws(JSONError) {
    let start = index
    index += 1
    guard index < count else { throw unexpected() }
    let byte = base[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard index < count else { throw unexpected() }
        guard EscapedText.hexValue(base[index]) != nil else {
          throw JSONError(reason: .badEscape, offset: start)
        }
        index += 1
      }
    default: throw JSONError(reason: .badEscape, offset: start)
    }
  }

  // MARK: Eight bytes in a word, the first one lowest

  /// Nil where fewer are left.
  @inline(__always)
  func eightBytes(at position: Int) -> UInt64? {
    guard position + 8 <= count else { return nil }
    let word = UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self)
    return UInt64(littleEndian: word)
  }

  @inline(__always)
  static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// A word whose lowest bit that is set stands in the first byte that is zero; 0 where none is.
  @inline(__always)
  private static func zeros(in word: UInt64) -> UInt64 {
    (word &- each(1)) & ~word & each(0x80)
  }
}
