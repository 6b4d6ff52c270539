// Strings: found first, made into text only where somebody wants the text.
extension JSONReader {
  /// A string as it stands in the text, between its quotes.
  struct Name {
    fileprivate let start: UnsafePointer<UInt8>
    fileprivate let length: Int
    fileprivate let isEscaped: Bool

    /// Lets a `switch` compare a member's name with a literal, without making a string of it.
    static func ~= (literal: StaticString, name: Name) -> Bool {
      guard !name.isEscaped else { return JSONReader.unescaped(name) == literal.description }
      guard name.length == literal.utf8CodeUnitCount else { return false }
      for offset in 0..<name.length where name.start[offset] != literal.utf8Start[offset] {
        return false
      }
      return true
    }
  }

  /// The characters of a string.
  func text(of name: Name) -> String {
    name.isEscaped
      ? Self.unescaped(name)
      : String(
        decoding: UnsafeBufferPointer(start: name.start, count: name.length), as: UTF8.self)
  }

  mutating func scanString() throws(JSONError) -> Name {
    try take(UInt8(ascii: "\""))
    let start = index
    var isEscaped = false
    while index < count {
      let byte = base[index]
      if byte == UInt8(ascii: "\"") {
        let name = Name(start: base + start, length: index - start, isEscaped: isEscaped)
        index += 1
        return name
      }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        try scanEscape()
      } else if byte < 0x20 {
        throw JSONError(reason: .controlCharacter, offset: index)
      } else {
        index += 1
      }
    }
    throw unexpected()
  }

  private mutating func scanEscape() throws(JSONError) {
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
        guard Self.hexValue(base[index]) != nil else {
          throw JSONError(reason: .badEscape, offset: start)
        }
        index += 1
      }
    default: throw JSONError(reason: .badEscape, offset: start)
    }
  }

  private static func hexValue(_ byte: UInt8) -> UInt16? {
    switch byte {
    case 0x30...0x39: UInt16(byte - 0x30)
    case 0x41...0x46: UInt16(byte - 0x41 + 10)
    case 0x61...0x66: UInt16(byte - 0x61 + 10)
    default: nil
    }
  }

  /// Undoes the escapes of a string that was scanned, and so is known to be well formed.
  private static func unescaped(_ name: Name) -> String {
    let bytes = UnsafeBufferPointer(start: name.start, count: name.length)
    var result = ""
    var plain = bytes.startIndex
    var index = bytes.startIndex
    while index < bytes.endIndex {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.endIndex else {
        index += 1
        continue
      }
      result += String(decoding: bytes[plain..<index], as: UTF8.self)
      let escape = bytes[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "b"): result += "\u{8}"
      case UInt8(ascii: "f"): result += "\u{C}"
      case UInt8(ascii: "n"): result += "\n"
      case UInt8(ascii: "r"): result += "\r"
      case UInt8(ascii: "t"): result += "\t"
      case UInt8(ascii: "u"):
        var units: [UInt16] = [unit(at: &index, of: bytes)]
        // A pair is decoded together; a half that stands alone is repaired to U+FFFD below.
        if (0xD800..<0xDC00).contains(units[0]), index + 1 < bytes.endIndex,
          bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        {
          var ahead = index + 2
          let second = unit(at: &ahead, of: bytes)
          if (0xDC00..<0xE000).contains(second) {
            units.append(second)
            index = ahead
          }
        }
        result += String(decoding: units, as: UTF16.self)
      default: result.unicodeScalars.append(UnicodeScalar(escape))
      }
      plain = index
    }
    return result + String(decoding: bytes[plain...], as: UTF8.self)
  }

  private static func unit(at index: inout Int, of bytes: UnsafeBufferPointer<UInt8>) -> UInt16 {
    let digits = bytes[index..<min(index + 4, bytes.endIndex)]
    index += digits.count
    return digits.reduce(0) { $0 << 4 | (hexValue($1) ?? 0) }
  }
}
