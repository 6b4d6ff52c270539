import Expectations
import Testing

@testable import IDXQRCode

/// Writing PNG files.
struct PNGWriterTests {
  @Test("The checksums have the published values")
  func checksums() {
    expectEqual(Checksum.crc32(Array("123456789".utf8)), 0xCBF4_3926)
    expectEqual(Checksum.crc32(Array("IEND".utf8)), 0xAE42_6082)
    expectEqual(Checksum.crc32([]), 0)
    expectEqual(Checksum.adler32(Array("Wikipedia".utf8)), 0x11E6_0398)
    expectEqual(Checksum.adler32([]), 1)
  }

  @Test(
    "Each pixel shows its module; by default, a module has four pixels and the white zone four modules",
    arguments: [(1, 0), (3, 1), (4, 4), (7, 2)])
  func pixels(scale: Int, quietZone: Int) throws {
    let code = try QRCode("otpauth://totp/Org:jane?secret=JBSWY3DPEHPK3PXP&issuer=Org")
    let image = try Image(code.png(scale: scale, quietZone: quietZone))
    let side = (code.size + 2 * quietZone) * scale
    expectEqual(image.width, side)
    expectEqual(image.rows.count, side)
    for (y, row) in image.rows.enumerated() {
      let expected = (0..<side).map { x in
        !code[x: x / scale - quietZone, y: y / scale - quietZone]
      }
      expectEqual(row, expected)
    }
    expectEqual(code.png(), code.png(scale: 4, quietZone: 4))
  }

  @Test("A large image needs two stored blocks")
  func large() throws {
    let code = try QRCode(Payload("idx"), correction: .low, smallest: 40, mask: .rows)
    let image = try Image(code.png(scale: 5))
    expectEqual(image.blockCount, 2)
    expectEqual(image.rows.count, 925)
    expect((0..<177).allSatisfy { image.rows[(4 + $0) * 5][20] == !code[x: 0, y: $0] })
  }
}

/// Reads a grayscale PNG with one bit per pixel and stored blocks, and checks everything in it.
private struct Image {
  struct InvalidPart: Error {
    let name: String
  }

  let width: Int
  let blockCount: Int
  /// True means white.
  let rows: [[Bool]]

  init(_ file: [UInt8]) throws {
    var file = Bytes(rest: file[...])
    try Self.check(file.take(8) == [137, 80, 78, 71, 13, 10, 26, 10], "signature")
    var header = Bytes(rest: try Self.chunk("IHDR", &file))
    let (width, height) = (header.number(), header.number())
    try Self.check(header.rest == [1, 0, 0, 0, 0], "header")
    var content = Bytes(rest: try Self.chunk("IDAT", &file))
    try Self.check(Self.chunk("IEND", &file).isEmpty && file.rest.isEmpty, "end")

    let zlib = content.take(2)
    try Self.check(zlib[0] & 15 == 8 && (Int(zlib[0]) << 8 | Int(zlib[1])) % 31 == 0, "zlib")
    var pixels: [UInt8] = []
    var blockCount = 0
    var isLast = false
    while !isLast {
      let block = content.take(5)
      isLast = block[0] == 1
      try Self.check(block[0] <= 1 && block[1] == ~block[3] && block[2] == ~block[4], "block")
      pixels += content.take(Int(block[1]) | Int(block[2]) << 8)
      blockCount += 1
    }
    try Self.check(content.number() == Int(Checksum.adler32(pixels)), "Adler-32")
    try Self.check(content.rest.isEmpty, "end of zlib")

    var lines = Bytes(rest: pixels[...])
    var rows: [[Bool]] = []
    for _ in 0..<height {
      let line = lines.take(1 + (width + 7) / 8)
      try Self.check(line[0] == 0, "filter")
      let row = (0..<width).map { x in
        let eight = line[1 + x / 8]
        return eight & (0x80 >> UInt8(x % 8)) != 0
      }
      rows.append(row)
    }
    try Self.check(lines.rest.isEmpty, "rows")
    self.width = width
    self.blockCount = blockCount
    self.rows = rows
  }

  private static func chunk(_ name: String, _ file: inout Bytes) throws -> ArraySlice<UInt8> {
    let checked = file.take(4 + file.number())
    try check(checked.starts(with: name.utf8), name)
    try check(file.number() == Int(Checksum.crc32(checked)), "CRC-32 of \(name)")
    return checked.dropFirst(4)
  }

  private static func check(_ isValid: Bool, _ part: String) throws {
    if !isValid { throw InvalidPart(name: part) }
  }

  private struct Bytes {
    var rest: ArraySlice<UInt8>

    mutating func take(_ count: Int) -> [UInt8] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }

    mutating func number() -> Int { take(4).reduce(0) { $0 << 8 | Int($1) } }
  }
}
