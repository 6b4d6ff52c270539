import Testing

@testable import IDXQRCode

@Suite("A PNG file read")
struct PNGReadingTests {
  private static let text = "otpauth://totp/Org:jane?secret=JBSWY3DPEHPK3PXP&issuer=Org"

  /// A file in which each module is two pixels, of the samples for dark and for light.
  private func file(
    _ image: TestPNG, dark: [Int], light: [Int], clear: [Int]? = nil
  ) throws -> [UInt8] {
    let code = try QRCode(Self.text)
    var image = image
    image.width = (code.size + 4) * 2
    image.height = image.width
    return image.file { x, y in
      if code[x: x / 2 - 2, y: y / 2 - 2] { return dark }
      return x < 4 ? clear ?? light : light
    }
  }

  @Test("Grey of every depth is read", arguments: [1, 2, 4, 8, 16])
  func grey(depth: Int) throws {
    let image = TestPNG(width: 0, height: 0, depth: depth)
    let file = try file(image, dark: [0], light: [1 << depth - 1])
    #expect(try QRCode.read(png: file) == Self.text)
  }

  @Test(
    "A palette of every depth is read, and its transparent colour is white",
    arguments: [1, 2, 4, 8])
  func palette(depth: Int) throws {
    let image = TestPNG(
      width: 0, height: 0, depth: depth, color: .palette, palette: [0, 0, 0, 0, 0, 96],
      transparency: [0])
    let file = try file(image, dark: [1], light: [0])
    #expect(try QRCode.read(png: file) == Self.text)
  }

  @Test("Colours are read, with each filter and with all in turn", arguments: [8, 16], 0...5)
  func rgb(depth: Int, filter: Int) throws {
    let image = TestPNG(
      width: 0, height: 0, depth: depth, color: .rgb,
      filter: { line in UInt8(filter == 5 ? line % 5 : filter) })
    let full = 1 << depth - 1
    let file = try file(image, dark: [full / 9, 3, full / 5], light: [full, full - 7, full / 2])
    #expect(try QRCode.read(png: file) == Self.text)
  }

  @Test("What is transparent is white, whatever its colour", arguments: [8, 16])
  func alpha(depth: Int) throws {
    let full = 1 << depth - 1
    var image = TestPNG(width: 0, height: 0, depth: depth, color: .greyAndAlpha)
    #expect(try QRCode.read(png: file(image, dark: [0, full], light: [0, 0])) == Self.text)
    image.color = .rgbAndAlpha
    #expect(
      try QRCode.read(png: file(image, dark: [0, 0, 9, full], light: [0, 0, 9, 0])) == Self.text)
  }

  @Test("The colour named as transparent is white")
  func transparentColor() throws {
    var image = TestPNG(width: 0, height: 0, transparency: [0, 7])
    #expect(
      try QRCode.read(png: file(image, dark: [8], light: [255], clear: [7])) == Self.text)
    image = TestPNG(
      width: 0, height: 0, depth: 16, color: .rgb, transparency: [0, 1, 0, 2, 0, 3])
    let white = [0xFFFF, 0xFFFF, 0xFFFF]
    #expect(
      try QRCode.read(png: file(image, dark: [1, 2, 4], light: white, clear: [1, 2, 3]))
        == Self.text)
  }

  @Test("An index without a colour is damage")
  func noColor() throws {
    let image = TestPNG(width: 0, height: 0, color: .palette, palette: [0, 0, 0, 255, 255, 255])
    let file = try file(image, dark: [0], light: [1], clear: [2])
    #expect(throws: QRCode.Unreadable.imageIsDamaged) { try QRCode.read(png: file) }
  }

  @Test("Interlaced files and chunks of an unknown need are refused")
  func unknownKinds() throws {
    var image = TestPNG(width: 8, height: 8)
    image.interlaced = true
    let interlaced = image.file { _, _ in [0] }
    #expect(throws: QRCode.Unreadable.imageIsOfAnUnknownKind) { try QRCode.read(png: interlaced) }

    let file = try QRCode(Self.text).png()
    let needed = Array(file[..<33]) + TestPNG.chunk("NEED", []) + file[33...]
    #expect(throws: QRCode.Unreadable.imageIsOfAnUnknownKind) { try QRCode.read(png: needed) }
  }

  @Test("What is no PNG, is too large or shows nothing is refused with its reason")
  func refusals() throws {
    let gif = Array("GIF89a".utf8)
    #expect(throws: QRCode.Unreadable.imageIsNotPNG) { try QRCode.read(png: gif) }
    #expect(throws: QRCode.Unreadable.imageIsNotPNG) { try QRCode.read(png: []) }
    for (width, height) in [(2049, 1), (1, 2049), (Int(UInt32.max), Int(UInt32.max))] {
      let large = TestPNG(width: width, height: height).file(zlib: [0x78, 0x01])
      #expect(throws: QRCode.Unreadable.imageIsTooLarge) { try QRCode.read(png: large) }
    }
    let blank = TestPNG(width: 30, height: 30).file { _, _ in [255] }
    #expect(throws: QRCode.Unreadable.nothingFound) { try QRCode.read(png: blank) }
    let other = TestPNG(width: 60, height: 60).file { x, y in [x * y % 7 == 0 ? 0 : 255] }
    #expect(throws: QRCode.Unreadable.nothingFound) { try QRCode.read(png: other) }
    #expect("\(QRCode.Unreadable.imageIsTooLarge)" == "The image is too large.")
  }

  @Test("A file that was cut anywhere, or a bit of which was turned, is refused")
  func damage() throws {
    let file = try QRCode("idx").png(scale: 1)
    #expect(try QRCode.read(png: file) == "idx")
    for count in 0..<file.count {
      #expect(throws: QRCode.Unreadable.self) { try QRCode.read(png: Array(file[..<count])) }
    }
    for bit in 0..<(file.count - 12) * 8 {
      var file = file
      file[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: QRCode.Unreadable.self) { try QRCode.read(png: file) }
    }
  }

  @Test(
    "Content that was changed, with the checksums of the file put right, ends in a text or an error"
  )
  func disturbed() throws {
    var random = SampleNumbers(seed: 17)
    let image = TestPNG(width: 29, height: 29)
    // Packed with the codes of the standard, and wrong throughout after a few bytes.
    let packed = bytes(hex: "78017354c84ead5428c9482c51c82c56c8cb2f51480489e84028b80498a7a7e0")
    for _ in 0..<400 {
      var packed = packed
      for _ in 0..<3 {
        packed[2 + random.next(below: packed.count - 2)] ^= UInt8(random.next(below: 256))
      }
      let file = image.file(zlib: packed)
      #expect(throws: QRCode.Unreadable.self) { try QRCode.read(png: file) }
    }
  }
}
