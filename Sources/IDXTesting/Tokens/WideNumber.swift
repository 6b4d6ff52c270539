/// A natural number of many words, with as much arithmetic as a signature needs.
struct WideNumber: Sendable, Hashable {
  /// The lowest first.
  private var words: [UInt64]

  /// A number of one word.
  init(_ word: UInt64) { words = [word] }

  /// The number that bytes write, the highest first.
  init(bytes: [UInt8]) {
    words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
    for (position, byte) in bytes.reversed().enumerated() {
      words[position / 8] |= UInt64(byte) << UInt64(position % 8 * 8)
    }
  }

  /// The lowest bytes of the number, the highest of them first.
  func bytes(_ count: Int) -> [UInt8] {
    (0..<count).reversed().map { position in
      guard position / 8 < words.count else { return 0 }
      return UInt8(truncatingIfNeeded: words[position / 8] >> UInt64(position % 8 * 8))
    }
  }

  /// How many bits it takes to write the number.
  var bitWidth: Int {
    guard let top = words.lastIndex(where: { $0 != 0 }) else { return 0 }
    return (top + 1) * 64 - words[top].leadingZeroBitCount
  }

  /// Multiplies by one word and adds another.
  mutating func multiply(by factor: UInt64, adding summand: UInt64 = 0) {
    var carry = summand
    for index in words.indices {
      let (high, low) = words[index].multipliedFullWidth(by: factor)
      let (sum, overflows) = low.addingReportingOverflow(carry)
      words[index] = sum
      carry = high + (overflows ? 1 : 0)
    }
    if carry > 0 { words.append(carry) }
  }

  func remainder(by divisor: UInt64) -> UInt64 {
    words.reversed().reduce(0) { divisor.dividingFullWidth(($0, $1)).remainder }
  }
}
