import IDXQRCode

@testable import struct IDXQRCode.QRVersion

/// Reads a code from its modules as the standard describes, without the code of the encoder.
///
/// It corrects nothing, so a code that it reads has no errors.
struct IndependentReader {
  struct ReadError: Error {
    let reason: String
  }

  let correction: QRCode.Correction
  let mask: Int
  let text: String
  /// The padding after the text.
  let padding: [UInt8]
  let declaresUTF8: Bool

  init(_ code: QRCode) throws {
    let version = (code.size - 17) / 4
    let format = try Self.format(of: code)
    let level = format >> 3
    correction = level == 0 ? .medium : level == 1 ? .low : level == 2 ? .high : .quartile
    mask = format & 7

    let codewords = Self.codewords(of: code, version: version, mask: mask)
    let layout = QRVersion(version).blocks(at: correction)
    guard codewords.count == layout.codewordCount else {
      throw ReadError(reason: "\(codewords.count) codewords")
    }
    let data = try Self.data(
      codewords, dataCounts: layout.dataCounts, correctionCount: layout.correctionPerBlock)

    var bits = Bits(bytes: data)
    var mode = bits.next(4)
    declaresUTF8 = mode == 7
    if declaresUTF8 {
      guard bits.next(8) == 26 else { throw ReadError(reason: "another character set") }
      mode = bits.next(4)
    }
    guard mode == 4 else { throw ReadError(reason: "mode \(mode)") }
    let count = bits.next(version < 10 ? 8 : 16)
    text = String(decoding: (0..<count).map { _ in UInt8(bits.next(8)) }, as: UTF8.self)
    guard bits.next(min(4, bits.rest)) == 0, bits.next(bits.rest % 8) == 0 else {
      throw ReadError(reason: "no terminator")
    }
    padding = (0..<bits.rest / 8).map { _ in UInt8(bits.next(8)) }
  }

  // MARK: Format

  private static func format(of code: QRCode) throws -> Int {
    let last = code.size - 1
    let first =
      (0...5).map { (8, $0) } + [(8, 7), (8, 8), (7, 8)] + (0...5).reversed().map { ($0, 8) }
    let second = (0...7).map { (last - $0, 8) } + (0...6).reversed().map { (8, last - $0) }
    let values = [first, second].map { places in
      places.enumerated().reduce(0) { value, place in
        value | (code[x: place.element.0, y: place.element.1] ? 1 << place.offset : 0)
      }
    }
    let format = values[0] ^ 0b101_0100_0001_0010
    guard values[0] == values[1], remainder(of: format, by: 0b101_0011_0111) == 0 else {
      throw ReadError(reason: "format \(values)")
    }
    return format >> 10
  }

  /// The remainder of a division of polynomials over GF(2).
  static func remainder(of value: Int, by divisor: Int) -> Int {
    var value = value
    while value.leadingZeroBitCount <= divisor.leadingZeroBitCount {
      value ^= divisor << (divisor.leadingZeroBitCount - value.leadingZeroBitCount)
    }
    return value
  }

  // MARK: Codewords

  private static func codewords(of code: QRCode, version: Int, mask: Int) -> [UInt8] {
    let size = code.size
    let centers = alignmentCenters[version - 1]
    // The center of an alignment pattern that covers a row or column; 0 for none.
    let near = (0..<size).map { place in centers.first { abs($0 - place) <= 2 } ?? 0 }
    func isFree(_ x: Int, _ y: Int) -> Bool {
      if x == 6 || y == 6 { return false }
      if x < 9 && y < 9 || x >= size - 8 && y < 9 || x < 9 && y >= size - 8 { return false }
      if version >= 7, x < 6 && y >= size - 11 || y < 6 && x >= size - 11 { return false }
      let (across, down) = (near[x], near[y])
      guard across > 0, down > 0 else { return true }
      return across == 6 && down == 6 || across == 6 && down == size - 7
        || across == size - 7 && down == 6
    }

    var bits: [Bool] = []
    var upwards = true
    var right = size - 1
    while right > 0 {
      if right == 6 { right = 5 }
      // Not `for`, which is slow in a debug build.
      var y = upwards ? size - 1 : 0
      let step = upwards ? -1 : 1
      while y >= 0, y < size {
        if isFree(right, y) { bits.append(code[x: right, y: y] != masks(mask, right, y)) }
        let left = right - 1
        if isFree(left, y) { bits.append(code[x: left, y: y] != masks(mask, left, y)) }
        y += step
      }
      upwards.toggle()
      right -= 2
    }
    return (0..<bits.count / 8).map { index in
      bits[index * 8..<index * 8 + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }

  private static func masks(_ mask: Int, _ column: Int, _ row: Int) -> Bool {
    let product = row * column
    return switch mask {
    case 0: (row + column) % 2 == 0
    case 1: row % 2 == 0
    case 2: column % 3 == 0
    case 3: (row + column) % 3 == 0
    case 4: (row / 2 + column / 3) % 2 == 0
    case 5: product % 2 + product % 3 == 0
    case 6: (product % 2 + product % 3) % 2 == 0
    default: ((row + column) % 2 + product % 3) % 2 == 0
    }
  }

  private static func data(
    _ codewords: [UInt8], dataCounts: [Int], correctionCount: Int
  ) throws -> [UInt8] {
    var blocks = dataCounts.map { _ in [UInt8]() }
    var rest = codewords[...]
    for index in 0..<(dataCounts.max() ?? 0) {
      for block in blocks.indices where index < dataCounts[block] {
        blocks[block].append(rest.removeFirst())
      }
    }
    let data = blocks.flatMap { $0 }
    for _ in 0..<correctionCount {
      for block in blocks.indices { blocks[block].append(rest.removeFirst()) }
    }
    for (number, block) in blocks.enumerated() {
      var root: UInt8 = 1
      for power in 0..<correctionCount {
        var (syndrome, index) = (UInt8(0), 0)
        while index < block.count {
          syndrome = products[Int(syndrome) << 8 | Int(root)] ^ block[index]
          index += 1
        }
        guard syndrome == 0 else {
          throw ReadError(reason: "syndrome \(power) of block \(number)")
        }
        root = products[Int(root) << 8 | 2]
      }
    }
    return data
  }

  /// The products of all pairs of bytes in GF(256).
  private static let products = (0..<65536).map { pair in
    product(UInt8(pair >> 8), UInt8(pair & 0xFF))
  }

  /// A product in GF(256), computed by adding and doubling.
  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var (result, a, b) = (UInt8(0), a, b)
    while b != 0 {
      if b & 1 == 1 { result ^= a }
      a = a << 1 ^ (a & 0x80 == 0 ? 0 : 0x1D)
      b >>= 1
    }
    return result
  }

  private struct Bits {
    let bytes: [UInt8]
    var position = 0
    var rest: Int { bytes.count * 8 - position }

    mutating func next(_ width: Int) -> Int {
      var value = 0
      for _ in 0..<width {
        value = value << 1 | Int(bytes[position / 8] >> (7 - position % 8) & 1)
        position += 1
      }
      return value
    }
  }
}
