extension JSONReader {
  /// Refuses what is not UTF-8, once for the whole text, so that strings need no check of their own.
  func checkUTF8() throws(JSONError) {
    var position = 0
    while position < count {
      // ASCII is nearly all there is: in strides, then byte by byte.
      position = endOfASCII(from: position)
      guard position < count else { return }
      let lead = base[position]
      let length: Int
      let second: ClosedRange<UInt8>
      switch lead {
      case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: throw JSONError(reason: .notUTF8, offset: position)
      }
      guard position + length <= count, second.contains(base[position + 1]) else {
        throw JSONError(reason: .notUTF8, offset: position)
      }
      for offset in 2..<max(length, 2) where !(0x80...0xBF).contains(base[position + offset]) {
        throw JSONError(reason: .notUTF8, offset: position)
      }
      position += length
    }
  }

  /// Where the first byte stands that is not ASCII; the end where there is none.
  private func endOfASCII(from start: Int) -> Int {
    var position = start
    while position + 32 <= count {
      let words = UnsafeRawPointer(base + position).loadUnaligned(as: SIMD4<UInt64>.self)
      let halves = words.lowHalf | words.highHalf
      guard (halves.x | halves.y) & Self.each(0x80) == 0 else { break }
      position += 32
    }
    while position < count, base[position] < 0x80 { position += 1 }
    return position
  }
}
