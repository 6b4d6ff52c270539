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
    let file = code.png(scale: scale, quietZone: quietZone)
    let image = try PNGImage(file)
    let side = (code.size + 2 * quietZone) * scale
    expect(image.header.width == side && image.header.height == side)
    expect(image.header.color == .gray && image.header.depth == 1)
    let expected = (0..<side * side).map { (pixel: Int) -> UInt8 in
      let (x, y) = (pixel % side / scale - quietZone, pixel / side / scale - quietZone)
      return code[x: x, y: y] ? 0 : 255
    }
    try expectEqual(image.grayValues(), expected)
    // The last part is empty.
    expectEqual(file.suffix(12), [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    expectEqual(code.png(), code.png(scale: 4, quietZone: 4))
  }

  @Test("A large image, which needs two stored blocks, has all its lines")
  func large() throws {
    let code = try QRCode(Payload("idx"), correction: .low, smallest: 40, mask: .rows)
    let image = try PNGImage(code.png(scale: 5))
    let bytes = image.header.bytesPerLine
    expect(image.header.height == 925 && image.lines.count == 925 * bytes && 925 * bytes > 0xFFFF)
    // The pixel 20 of a line is the first one of the code.
    let column = (0..<177).map { image.lines[($0 + 4) * 5 * bytes + 2] & 0x08 == 0 }
    expectEqual(column, (0..<177).map { code[x: 0, y: $0] })
  }
}
