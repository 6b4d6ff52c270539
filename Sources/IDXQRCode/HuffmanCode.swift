/// A canonical Huffman code: of codes as long as each other, the one of the smaller symbol is less.
///
/// Source: RFC 1951, section 3.2.2.
struct HuffmanCode {
  private static let longest = 15

  /// How many codes there are of each length.
  private let counts: [Int]
  /// The symbols in the order of their codes.
  private let symbols: [Int]

  /// The code in which each symbol has a code of that many bits; none for 0.
  ///
  /// Codes that nobody needs may be missing, since a code for one symbol has to be so.
  init(lengths: some Collection<Int>) throws(QRCode.Unreadable) {
    var counts = Array(repeating: 0, count: Self.longest + 1)
    for length in lengths where length > 0 { counts[length] += 1 }
    var free = 1
    for count in counts.dropFirst() {
      free = free * 2 - count
      guard free >= 0 else { throw .imageIsDamaged }
    }

    var starts = [0]
    for count in counts.dropLast() { starts.append(starts[starts.count - 1] + count) }
    var symbols = Array(repeating: 0, count: counts.reduce(0, +))
    for (symbol, length) in lengths.enumerated() where length > 0 {
      symbols[starts[length]] = symbol
      starts[length] += 1
    }
    self.counts = counts
    self.symbols = symbols
  }

  /// Reads the symbol that comes next.
  func symbol(from bits: inout DeflateBits) throws(QRCode.Unreadable) -> Int {
    var code = 0
    var firstOfLength = 0
    var index = 0
    for length in 1...Self.longest {
      code = code << 1 | (try bits.take(1))
      let count = counts[length]
      if code - firstOfLength < count { return symbols[index + code - firstOfLength] }
      index += count
      firstOfLength = (firstOfLength + count) << 1
    }
    throw .imageIsDamaged
  }
}
