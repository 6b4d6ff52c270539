import Expectations
import Testing

@testable import IDXQRCode

/// Reading PNG files.
struct PNGReadingTests {
  private static let text = "otpauth://totp/Org:jane?secret=JBSWY3DPEHPK3PXP&issuer=Org"

  /// A file with a code whose modules are two pixels wide, with these samples for dark and light pixels.
  ///
  /// The left border has the samples `transparent`, if any.
  private func file(
    _ image: TestPNG, dark: [Int], light: [Int], transparent: [Int]? = nil
  ) throws -> [UInt8] {
    let code = try QRCode(Self.text)
    var image = image
    image.width = (code.size + 4) * 2
    image.height = image.width
    return image.file { x, y in
      if code[x: x / 2 - 2, y: y / 2 - 2] { return dark }
      return x < 4 ? transparent ?? light : light
    }
  }

  @Test("Grayscale and a palette, whose transparent color is white, are read in every depth")
  func depths() throws {
    for depth in [1, 2, 4, 8, 16] {
      let image = TestPNG(width: 0, height: 0, depth: depth)
      let file = try file(image, dark: [0], light: [1 << depth - 1])
      try expectEqual(QRCode.read(png: file), Self.text, "\(depth) bits")
    }
    for depth in [1, 2, 4, 8] {
      let image = TestPNG(
        width: 0, height: 0, depth: depth, color: .palette, palette: [0, 0, 0, 0, 0, 96],
        transparency: [0])
      let file = try file(image, dark: [1], light: [0])
      try expectEqual(QRCode.read(png: file), Self.text, "a palette of \(depth) bits")
    }
  }

  @Test(
    "Colors are read, with each filter and with all filters in turn", arguments: [8, 16], 0...5)
  func rgb(depth: Int, filter: Int) throws {
    let image = TestPNG(
      width: 0, height: 0, depth: depth, color: .rgb,
      filter: { line in UInt8(filter == 5 ? line % 5 : filter) })
    let full = 1 << depth - 1
    let file = try file(image, dark: [full / 9, 3, full / 5], light: [full, full - 7, full / 2])
    try expectEqual(QRCode.read(png: file), Self.text)
  }

  @Test("Transparent pixels, and those of the transparent color, are white, whatever their color")
  func transparency() throws {
    for full in [1 << 8 - 1, 1 << 16 - 1] {
      var image = TestPNG(
        width: 0, height: 0, depth: full == 255 ? 8 : 16, color: .grayAndAlpha)
      try expectEqual(QRCode.read(png: file(image, dark: [0, full], light: [0, 0])), Self.text)
      image.color = .rgbAndAlpha
      try expectEqual(
        QRCode.read(png: file(image, dark: [0, 0, 9, full], light: [0, 0, 9, 0])), Self.text)
    }
    var image = TestPNG(width: 0, height: 0, transparency: [0, 7])
    try expectEqual(
      QRCode.read(png: file(image, dark: [8], light: [255], transparent: [7])), Self.text)
    image = TestPNG(
      width: 0, height: 0, depth: 16, color: .rgb, transparency: [0, 1, 0, 2, 0, 3])
    let white = [0xFFFF, 0xFFFF, 0xFFFF]
    try expectEqual(
      QRCode.read(png: file(image, dark: [1, 2, 4], light: white, transparent: [1, 2, 3])),
      Self.text)
  }

  @Test(
    "Files that are unsupported, damaged or large, or have no code, are refused with the reason")
  func refusals() throws {
    let gif = Array("GIF89a".utf8)
    #expect(throws: QRCode.ReadError.notPNG) { try QRCode.read(png: gif) }
    #expect(throws: QRCode.ReadError.notPNG) { try QRCode.read(png: []) }
    for (width, height) in [(2049, 1), (1, 2049), (Int(UInt32.max), Int(UInt32.max))] {
      let large = TestPNG(width: width, height: height).file(zlib: [0x78, 0x01])
      #expect(throws: QRCode.ReadError.tooLarge) { try QRCode.read(png: large) }
    }
    let blank = TestPNG(width: 30, height: 30).file { _, _ in [255] }
    #expect(throws: QRCode.ReadError.noCode) { try QRCode.read(png: blank) }
    let other = TestPNG(width: 60, height: 60).file { x, y in [x * y % 7 == 0 ? 0 : 255] }
    #expect(throws: QRCode.ReadError.noCode) { try QRCode.read(png: other) }
    expectEqual("\(QRCode.ReadError.tooLarge)", "The image is too large.")

    var image = TestPNG(width: 8, height: 8)
    image.interlaced = true
    let interlaced = image.file { _, _ in [0] }
    #expect(throws: QRCode.ReadError.unsupportedImage) { try QRCode.read(png: interlaced) }
    let code = try QRCode(Self.text).png()
    let critical = Array(code[..<33]) + TestPNG.chunk("NEED", []) + code[33...]
    #expect(throws: QRCode.ReadError.unsupportedImage) { try QRCode.read(png: critical) }

    // The palette has no third color.
    let palette = TestPNG(width: 0, height: 0, color: .palette, palette: [0, 0, 0, 255, 255, 255])
    let damaged = try file(palette, dark: [0], light: [1], transparent: [2])
    #expect(throws: QRCode.ReadError.damagedImage) { try QRCode.read(png: damaged) }
  }

  @Test("A truncated file, a changed bit, and changed content with correct checksums are refused")
  func damage() throws {
    let file = try QRCode("idx").png(scale: 1)
    try expectEqual(QRCode.read(png: file), "idx")
    for count in 0..<file.count {
      #expect(throws: QRCode.ReadError.self) { try QRCode.read(png: Array(file[..<count])) }
    }
    for bit in 0..<(file.count - 12) * 8 {
      var file = file
      file[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: QRCode.ReadError.self) { try QRCode.read(png: file) }
    }
    var random = SampleNumbers(seed: 17)
    let image = TestPNG(width: 29, height: 29)
    // Fixed codes; a changed byte makes the rest wrong.
    let compressed = bytes(hex: "78017354c84ead5428c9482c51c82c56c8cb2f51480489e84028b80498a7a7e0")
    for _ in 0..<400 {
      var compressed = compressed
      for _ in 0..<3 {
        compressed[2 + random.next(below: compressed.count - 2)] ^= UInt8(random.next(below: 256))
      }
      let file = image.file(zlib: compressed)
      #expect(throws: QRCode.ReadError.self) { try QRCode.read(png: file) }
    }
  }
}
