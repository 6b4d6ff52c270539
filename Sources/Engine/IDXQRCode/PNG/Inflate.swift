/// Decompresses a zlib stream.
///
/// Source: RFC 1950 and RFC 1951.
struct Inflate {
  private var bits: DeflateBits
  private var output: [UInt8] = []
  private let limit: Int

  /// The content of a stream, after its checksum was checked.
  ///
  /// Throws if the content is longer than `limit` bytes. Bytes after the stream are ignored.
  static func content(
    ofZlib stream: [UInt8], limit: Int
  ) throws(QRCode.ReadError) -> [UInt8] {
    guard stream.count >= 2 else { throw .truncatedImage }
    let (method, flags) = (Int(stream[0]), Int(stream[1]))
    let isDeflate = method & 15 == 8 && method >> 4 <= 7
    let needsDictionary = flags & 0x20 != 0
    guard isDeflate, !needsDictionary, (method << 8 | flags) % 31 == 0 else {
      throw .damagedImage
    }

    var inflate = Inflate(bits: DeflateBits(stream.dropFirst(2)), limit: limit)
    while try !inflate.readBlock() {}
    let sum = try inflate.bits.takeBytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    guard sum == Checksum.adler32(inflate.output) else { throw .damagedImage }
    return inflate.output
  }

  private init(bits: DeflateBits, limit: Int) {
    self.bits = bits
    self.limit = limit
  }

  /// Decompresses a block; returns whether it is the last.
  private mutating func readBlock() throws(QRCode.ReadError) -> Bool {
    let isLast = try bits.take(1) == 1
    switch try bits.take(2) {
    case 0: try copyStored()
    case 1:
      let (literals, distances) = try Self.fixedCodes.get()
      try copyCoded(literals: literals, distances: distances)
    case 2:
      let (literals, distances) = try readCodes()
      try copyCoded(literals: literals, distances: distances)
    default: throw .damagedImage
    }
    return isLast
  }

  private mutating func copyStored() throws(QRCode.ReadError) {
    let header = try bits.takeBytes(4).map(Int.init)
    let count = header[0] | header[1] << 8
    guard count ^ 0xFFFF == header[2] | header[3] << 8 else { throw .damagedImage }
    try checkLimit(adding: count)
    output += try bits.takeBytes(count)
  }

  /// Copies literal bytes and earlier output, until the end-of-block symbol.
  private mutating func copyCoded(
    literals: HuffmanCode, distances: HuffmanCode
  ) throws(QRCode.ReadError) {
    while true {
      let symbol = try literals.symbol(from: &bits)
      switch symbol {
      case 0...255:
        try checkLimit(adding: 1)
        output.append(UInt8(symbol))
      case 256: return
      default:
        let count = try value(symbol - 257, in: Self.lengths)
        let distance = try value(try distances.symbol(from: &bits), in: Self.distances)
        guard distance <= output.count else { throw .damagedImage }
        try checkLimit(adding: count)
        // The copy may overlap its source, so it is done byte by byte.
        for _ in 0..<count { output.append(output[output.count - distance]) }
      }
    }
  }

  private func checkLimit(adding count: Int) throws(QRCode.ReadError) {
    guard count <= limit - output.count else { throw .damagedImage }
  }

  private mutating func value(
    _ symbol: Int, in ranges: [(base: Int, extraBits: Int)]
  ) throws(QRCode.ReadError) -> Int {
    guard symbol < ranges.count else { throw .damagedImage }
    return ranges[symbol].base + (try bits.take(ranges[symbol].extraBits))
  }
}

// MARK: - Codes

extension Inflate {
  /// The two codes at the start of a dynamic block; their lengths are Huffman-coded too.
  ///
  /// Source: RFC 1951, section 3.2.7.
  private mutating func readCodes() throws(QRCode.ReadError) -> (HuffmanCode, HuffmanCode) {
    let literalCount = 257 + (try bits.take(5))
    let distanceCount = 1 + (try bits.take(5))
    let lengthCount = 4 + (try bits.take(4))
    var codeLengths = Array(repeating: 0, count: Self.lengthOrder.count)
    for place in Self.lengthOrder.prefix(lengthCount) {
      codeLengths[place] = try bits.take(3)
    }
    let code = try HuffmanCode(lengths: codeLengths)

    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try code.symbol(from: &bits)
      switch symbol {
      case 0...15: lengths.append(symbol)
      case 16:
        guard let last = lengths.last else { throw .damagedImage }
        lengths += Array(repeating: last, count: 3 + (try bits.take(2)))
      case 17: lengths += Array(repeating: 0, count: 3 + (try bits.take(3)))
      default: lengths += Array(repeating: 0, count: 11 + (try bits.take(7)))
      }
    }
    guard lengths.count == literalCount + distanceCount else { throw .damagedImage }
    return (
      try HuffmanCode(lengths: lengths.prefix(literalCount)),
      try HuffmanCode(lengths: lengths.suffix(distanceCount))
    )
  }

  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  /// The codes of literals and distances of blocks with fixed codes.
  ///
  /// They are created once, because a stream can have a block in every ten bits.
  private static let fixedCodes = Result { () throws(QRCode.ReadError) in
    (
      try HuffmanCode(
        lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }),
      try HuffmanCode(lengths: Array(repeating: 5, count: 30))
    )
  }

  /// The length of a copy, by its symbol from 257.
  ///
  /// The first eight symbols have no extra bits; then four symbols share each number of extra bits.
  private static let lengths: [(base: Int, extraBits: Int)] =
    ranges(from: 3, widths: Array(repeating: 0, count: 8) + (4..<24).map { $0 / 4 }) + [(258, 0)]

  /// The distance of a copy, by its symbol.
  ///
  /// The first four symbols have no extra bits; then two symbols share each number of extra bits.
  private static let distances: [(base: Int, extraBits: Int)] =
    ranges(from: 1, widths: [0, 0] + (2..<30).map { $0 / 2 - 1 })

  /// Consecutive ranges; the size of each follows from its number of extra bits.
  private static func ranges(
    from start: Int, widths: [Int]
  ) -> [(base: Int, extraBits: Int)] {
    var base = start
    return widths.map { width in
      defer { base += 1 << width }
      return (base, width)
    }
  }
}

/// A canonical Huffman code: among codes of the same length, smaller symbols have smaller codes.
///
/// Source: RFC 1951, section 3.2.2.
struct HuffmanCode {
  private static let longest = 15

  /// The number of codes of each length.
  private let counts: [Int]
  /// The symbols in the order of their codes.
  private let symbols: [Int]

  /// Creates a code from the length in bits of each symbol's code; 0 means that the symbol is not used.
  ///
  /// The code may be incomplete, because a code for a single symbol always is.
  init(lengths: some Collection<Int>) throws(QRCode.ReadError) {
    var counts = Array(repeating: 0, count: Self.longest + 1)
    for length in lengths where length > 0 { counts[length] += 1 }
    var free = 1
    for count in counts.dropFirst() {
      free = free * 2 - count
      guard free >= 0 else { throw .damagedImage }
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

  /// Reads the next symbol.
  func symbol(from bits: inout DeflateBits) throws(QRCode.ReadError) -> Int {
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
    throw .damagedImage
  }
}

/// The bits of a deflate stream, the lowest bit of each byte first.
///
/// Source: RFC 1951, section 3.1.1.
struct DeflateBits {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private var buffered = 0
  private var bufferedCount = 0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Takes up to 16 bits as a number; the first bit is the lowest.
  mutating func take(_ count: Int) throws(QRCode.ReadError) -> Int {
    while bufferedCount < count {
      guard position < bytes.endIndex else { throw .truncatedImage }
      buffered |= Int(bytes[position]) << bufferedCount
      bufferedCount += 8
      position += 1
    }
    defer {
      buffered >>= count
      bufferedCount -= count
    }
    return buffered & (1 << count - 1)
  }

  /// Takes whole bytes; the rest of a partly read byte is skipped.
  mutating func takeBytes(_ count: Int) throws(QRCode.ReadError) -> ArraySlice<UInt8> {
    // At most seven bits are buffered between calls, so no whole byte is lost.
    buffered = 0
    bufferedCount = 0
    guard count <= bytes.endIndex - position else { throw .truncatedImage }
    defer { position += count }
    return bytes[position..<position + count]
  }
}
