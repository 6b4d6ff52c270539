/// What a key means to someone who edits a line.
enum Key: Sendable, Hashable {
  /// A character, or a part of one, such as a combining accent.
  case text(Unicode.Scalar)
  case enter
  /// Ctrl-D: the end of the input on an empty line, otherwise like ``delete``.
  case endOfInput
  case backspace, delete
  case left, right, wordLeft, wordRight, home, end
  case up, down
  case killToEnd, killLine, killWord, killNextWord
}

/// Decodes the bytes of a terminal: UTF-8, the escape sequences of keys, and pasted text.
///
/// Bytes can arrive in parts of any size. In text between the marks of a paste (xterm's mode 2004), only a
/// line break is a key: a pasted control character or escape sequence is dropped. Outside, unknown keys
/// are dropped. Invalid UTF-8 becomes U+FFFD.
struct KeyReader: Sendable {
  private var bytes: [UInt8] = []
  private var isPasting = false
  /// Whether the last byte was a carriage return, so that a line feed after it is no second Enter.
  private var followsReturn = false

  /// The keys that are complete after these bytes.
  mutating func read(_ more: some Sequence<UInt8>) -> [Key] {
    bytes += more
    var keys: [Key] = []
    var index = 0
    while index < bytes.count, let (key, length) = token(at: index) {
      followsReturn = bytes[index] == 0x0D
      index += length
      if let key { keys.append(key) }
    }
    bytes.removeFirst(index)
    return keys
  }

  /// Whether bytes are left that may be the start of a longer sequence, such as an Escape.
  var isIncomplete: Bool { !bytes.isEmpty }

  /// Ends an incomplete sequence, because no more bytes follow soon.
  mutating func flush() -> [Key] {
    defer { bytes = [] }
    return bytes.first.map { $0 >= 0x80 } == true ? [.text("\u{FFFD}")] : []
  }

  /// The key that begins here, nil to drop it, and its length; nil if more bytes are needed.
  private mutating func token(at start: Int) -> (Key?, Int)? {
    let byte = bytes[start]
    switch byte {
    case 0x1B: return escape(at: start)
    case 0x0A where followsReturn: return (nil, 1)
    case 0x0A, 0x0D: return (.enter, 1)
    case 0..<0x20, 0x7F: return (isPasting ? nil : Self.control[byte], 1)
    case ..<0x80: return (.text(Unicode.Scalar(byte)), 1)
    default: return scalar(at: start)
    }
  }

  private static let control: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x08: .backspace,
    0x0B: .killToEnd, 0x0E: .down, 0x10: .up, 0x15: .killLine, 0x17: .killWord, 0x7F: .backspace,
  ]

  private func scalar(at start: Int) -> (Key?, Int)? {
    let length =
      switch bytes[start] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    let available = bytes[start...].prefix(length)
    // The bytes up to the first that cannot continue the character.
    let valid = 1 + available.dropFirst().prefix { $0 & 0xC0 == 0x80 }.count
    if valid < length, valid == available.count, start + valid == bytes.count { return nil }
    let text = String(decoding: available.prefix(valid), as: UTF8.self).unicodeScalars
    guard text.count == 1, let scalar = text.first else { return (.text("\u{FFFD}"), valid) }
    return ((0x80...0x9F).contains(scalar.value) ? nil : .text(scalar), valid)
  }

  // MARK: Escape sequences

  private mutating func escape(at start: Int) -> (Key?, Int)? {
    guard start + 1 < bytes.count else { return nil }
    switch bytes[start + 1] {
    case UInt8(ascii: "["): return parameters(at: start)
    case UInt8(ascii: "O"):
      guard start + 2 < bytes.count else { return nil }
      return (key(Self.final[bytes[start + 2]]), 3)
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      return string(at: start)
    // A second Escape begins another sequence.
    case 0x1B: return (nil, 1)
    case UInt8(ascii: "b"), UInt8(ascii: "B"): return (key(.wordLeft), 2)
    case UInt8(ascii: "f"), UInt8(ascii: "F"): return (key(.wordRight), 2)
    case UInt8(ascii: "d"), UInt8(ascii: "D"): return (key(.killNextWord), 2)
    case 0x08, 0x7F: return (key(.killWord), 2)
    // Enter must not be lost with an Escape before it.
    case 0x0A, 0x0D: return (nil, 1)
    default: return (nil, bytes[start + 1] < 0x80 ? 2 : 1)
    }
  }

  private func key(_ key: Key?) -> Key? { isPasting ? nil : key }

  private static let final: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    UInt8(ascii: "M"): .enter, UInt8(ascii: "c"): .wordRight, UInt8(ascii: "d"): .wordLeft,
  ]

  /// A sequence with parameters, such as `ESC [ 1 ; 5 D` for Ctrl-Left.
  private mutating func parameters(at start: Int) -> (Key?, Int)? {
    var index = start + 2
    while index < bytes.count, (0x20...0x3F).contains(bytes[index]) { index += 1 }
    guard index < bytes.count else { return nil }
    let last = bytes[index]
    // Not a sequence: the byte is read again as a key of its own.
    guard (0x40...0x7E).contains(last) else { return (nil, index - start) }
    let text = String(decoding: bytes[(start + 2)..<index], as: UTF8.self)
    let length = index + 1 - start
    switch (text, last) {
    case ("200", UInt8(ascii: "~")):
      isPasting = true
      return (nil, length)
    case ("201", UInt8(ascii: "~")):
      isPasting = false
      return (nil, length)
    default: return (key(Self.key(text.split(separator: ";").compactMap { Int($0) }, last)), length)
    }
  }

  private static func key(_ numbers: [Int], _ last: UInt8) -> Key? {
    // The second number is 1 and the sum of Shift 1, Alt 2 and Ctrl 4.
    let modifiers = (numbers.count > 1 ? numbers[1] : 1) - 1
    let isWord = modifiers & 0b110 != 0
    let key: Key? =
      if last == UInt8(ascii: "~") {
        switch numbers.first {
        case 1, 7: .home
        case 3: .delete
        case 4, 8: .end
        default: nil
        }
      } else {
        last == UInt8(ascii: "M") ? nil : final[last]
      }
    switch key {
    case .left where isWord: return .wordLeft
    case .right where isWord: return .wordRight
    case .delete where isWord: return .killNextWord
    default: return key
    }
  }

  /// A string that only terminals send, such as the response to a query of its colors.
  private func string(at start: Int) -> (Key?, Int)? {
    for index in (start + 2)..<max(bytes.count, start + 2) {
      if bytes[index] == 0x07 { return (nil, index + 1 - start) }
      if bytes[index] == 0x1B {
        guard index + 1 < bytes.count else { return nil }
        return (nil, index - start + (bytes[index + 1] == UInt8(ascii: "\\") ? 2 : 0))
      }
      if bytes[index] == 0x0A || bytes[index] == 0x0D { return (nil, index - start) }
    }
    return nil
  }
}
