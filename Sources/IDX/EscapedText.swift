/// The text of a JSON string that holds escapes, and is known to be well formed.
struct EscapedText {
  /// What stands between the quotes.
  let bytes: ArraySlice<UInt8>

  /// The characters that are meant.
  ///
  /// Half of a surrogate pair that stands alone becomes U+FFFD.
  var unescaped: String {
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
      case UInt8(ascii: "u"): result += character(at: &index)
      default: result.unicodeScalars.append(UnicodeScalar(escape))
      }
      plain = index
    }
    return result + String(decoding: bytes[plain...], as: UTF8.self)
  }

  /// The character whose digits stand next, with the other half where it is a pair.
  private func character(at index: inout Int) -> String {
    var units: [UInt16] = [unit(at: &index)]
    if (0xD800..<0xDC00).contains(units[0]), index + 1 < bytes.endIndex,
      bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
    {
      var ahead = index + 2
      let second = unit(at: &ahead)
      if (0xDC00..<0xE000).contains(second) {
        units.append(second)
        index = ahead
      }
    }
    return String(decoding: units, as: UTF16.self)
  }

  private func unit(at index: inout Int) -> UInt16 {
    let digits = bytes[index..<min(index + 4, bytes.endIndex)]
    index += digits.count
    return digits.reduce(0) { $0 << 4 | (Self.hexValue($1) ?? 0) }
  }

  /// What a hexadecimal digit stands for; nil for any other byte.
  static func hexValue(_ byte: UInt8) -> UInt16? {
    switch byte {
    case 0x30...0x39: UInt16(byte - 0x30)
    case 0x41...0x46: UInt16(byte - 0x41 + 10)
    case 0x61...0x66: UInt16(byte - 0x61 + 10)
    default: nil
    }
  }
}
