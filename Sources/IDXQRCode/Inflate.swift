/// Unpacks a zlib stream.
///
/// Source: RFC 1950 and RFC 1951.
struct Inflate {
  private var bits: DeflateBits
  private var output: [UInt8] = []
  private let limit: Int

  /// The content of a stream, its checksum checked; refused where it is more than `limit` bytes.
  ///
  /// What follows the stream is passed over.
  static func content(
    ofZlib stream: [UInt8], limit: Int
  ) throws(QRCode.Unreadable) -> [UInt8] {
    guard stream.count >= 2 else { throw .imageIsCutShort }
    let (method, flags) = (Int(stream[0]), Int(stream[1]))
    let isDeflate = method & 15 == 8 && method >> 4 <= 7
    let needsDictionary = flags & 0x20 != 0
    guard isDeflate, !needsDictionary, (method << 8 | flags) % 31 == 0 else {
      throw .imageIsDamaged
    }

    var inflate = Inflate(bits: DeflateBits(stream.dropFirst(2)), limit: limit)
    while try !inflate.readBlock() {}
    let sum = try inflate.bits.takeBytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    guard sum == Checksum.adler32(inflate.output) else { throw .imageIsDamaged }
    return inflate.output
  }

  private init(bits: DeflateBits, limit: Int) {
    self.bits = bits
    self.limit = limit
  }

  /// Unpacks a block, and tells whether it is the last.
  private mutating func readBlock() throws(QRCode.Unreadable) -> Bool {
    let isLast = try bits.take(1) == 1
    switch try bits.take(2) {
    case 0: try copyStored()
    case 1:
      let (literals, distances) = try Self.fixedCodes.get()
      try copyCoded(literals: literals, distances: distances)
    case 2:
      let (literals, distances) = try readCodes()
      try copyCoded(literals: literals, distances: distances)
    default: throw .imageIsDamaged
    }
    return isLast
  }

  private mutating func copyStored() throws(QRCode.Unreadable) {
    let header = try bits.takeBytes(4).map(Int.init)
    let count = header[0] | header[1] << 8
    guard count ^ 0xFFFF == header[2] | header[3] << 8 else { throw .imageIsDamaged }
    try makeRoom(for: count)
    output += try bits.takeBytes(count)
  }

  /// Literal bytes, and references to what came before, up to the mark of the end.
  private mutating func copyCoded(
    literals: HuffmanCode, distances: HuffmanCode
  ) throws(QRCode.Unreadable) {
    while true {
      let symbol = try literals.symbol(from: &bits)
      switch symbol {
      case 0...255:
        try makeRoom(for: 1)
        output.append(UInt8(symbol))
      case 256: return
      default:
        let count = try value(symbol - 257, in: Self.lengths)
        let distance = try value(try distances.symbol(from: &bits), in: Self.distances)
        guard distance <= output.count else { throw .imageIsDamaged }
        try makeRoom(for: count)
        // A reference may reach into what it makes itself, so it is copied byte by byte.
        for _ in 0..<count { output.append(output[output.count - distance]) }
      }
    }
  }

  private func makeRoom(for count: Int) throws(QRCode.Unreadable) {
    guard count <= limit - output.count else { throw .imageIsDamaged }
  }

  private mutating func value(
    _ symbol: Int, in ranges: [(base: Int, extraBits: Int)]
  ) throws(QRCode.Unreadable) -> Int {
    guard symbol < ranges.count else { throw .imageIsDamaged }
    return ranges[symbol].base + (try bits.take(ranges[symbol].extraBits))
  }
}

// MARK: - Codes

extension Inflate {
  /// The two codes at the start of a dynamic block, the lengths of which are in a code themselves.
  ///
  /// Source: RFC 1951, section 3.2.7.
  private mutating func readCodes() throws(QRCode.Unreadable) -> (HuffmanCode, HuffmanCode) {
    let literalCount = 257 + (try bits.take(5))
    let distanceCount = 1 + (try bits.take(5))
    let lengthCount = 4 + (try bits.take(4))
    var lengthsOfLengths = Array(repeating: 0, count: Self.orderOfLengths.count)
    for place in Self.orderOfLengths.prefix(lengthCount) {
      lengthsOfLengths[place] = try bits.take(3)
    }
    let code = try HuffmanCode(lengths: lengthsOfLengths)

    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try code.symbol(from: &bits)
      switch symbol {
      case 0...15: lengths.append(symbol)
      case 16:
        guard let last = lengths.last else { throw .imageIsDamaged }
        lengths += Array(repeating: last, count: 3 + (try bits.take(2)))
      case 17: lengths += Array(repeating: 0, count: 3 + (try bits.take(3)))
      default: lengths += Array(repeating: 0, count: 11 + (try bits.take(7)))
      }
    }
    guard lengths.count == literalCount + distanceCount else { throw .imageIsDamaged }
    return (
      try HuffmanCode(lengths: lengths.prefix(literalCount)),
      try HuffmanCode(lengths: lengths.suffix(distanceCount))
    )
  }

  private static let orderOfLengths = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  /// The codes of literals and distances that need not be sent.
  ///
  /// They are made once: a stream may have a block for every ten of its bits.
  private static let fixedCodes = Result { () throws(QRCode.Unreadable) in
    (
      try HuffmanCode(
        lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }),
      try HuffmanCode(lengths: Array(repeating: 5, count: 30))
    )
  }

  /// How long a reference is, by its symbol from 257: eight singles, then four of each width.
  private static let lengths: [(base: Int, extraBits: Int)] =
    ranges(from: 3, widths: Array(repeating: 0, count: 8) + (4..<24).map { $0 / 4 }) + [(258, 0)]

  /// How far back a reference goes, by its symbol: four singles, then two of each width.
  private static let distances: [(base: Int, extraBits: Int)] =
    ranges(from: 1, widths: [0, 0] + (2..<30).map { $0 / 2 - 1 })

  /// Ranges that follow each other, each as wide as its extra bits can count.
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
