import Expectations
import Testing

@testable import IDXQRCode

/// Reading a code from an image.
struct CodeReadingTests {
  @Test("Codes with every scale, quiet zone and mask are read", arguments: 1...8, 0...4)
  func layouts(scale: Int, quietZone: Int) throws {
    let mask = try require(Mask(rawValue: (scale + quietZone) % 8))
    let code = try QRCode(Payload("masked"), correction: .low, smallest: quietZone + 1, mask: mask)
    try expectEqual(QRCode.read(png: code.png(scale: scale, quietZone: quietZone)), "masked")
  }

  @Test("Modules may have a fractional number of pixels, with hard or soft edges")
  func fractionalScales() throws {
    let text = "otpauth://totp/Org:jane?secret=JBSWY3DPEHPK3PXP&issuer=Org"
    let code = try QRCode(text)
    for side in [49, 61, 77, 100, 143] {
      let file = TestPNG(width: side + 10, height: side + 4).file { x, y in
        let (column, row) = ((x - 7) * code.size, (y - 1) * code.size)
        guard column >= 0, row >= 0 else { return [255] }
        return [code[x: column / side, y: row / side] ? 0 : 255]
      }
      try expectEqual(QRCode.read(png: file), text, "\(side) pixels")
    }
    for scale in [1.5, 2.3, 3.1] {
      let side = Int(Double(code.size + 8) * scale)
      let file = TestPNG(width: side, height: side).file { x, y in
        // The mean of 8 x 8 points in the pixel.
        var light = 0
        for point in 0..<64 {
          let column = (Double(x) + (Double(point % 8) + 0.5) / 8) / scale
          let row = (Double(y) + (Double(point / 8) + 0.5) / 8) / scale
          if !code[x: Int(column) - 4, y: Int(row) - 4] { light += 1 }
        }
        return [light * 255 / 64]
      }
      try expectEqual(QRCode.read(png: file), text, "scaled down to \(scale) pixels")
    }
  }

  @Test("A code with high correction is read although a logo covers a part")
  func logo() throws {
    let text = sampleText(count: 60, seed: 1)
    let code = try QRCode(text, correction: .high)
    let middle = code.size / 2 - 3..<code.size / 2 + 4
    let file = TestPNG(width: code.size, height: code.size).file { x, y in
      [middle.contains(x) && middle.contains(y) || !code[x: x, y: y] ? 255 : 0]
    }
    try expectEqual(QRCode.read(png: file), text)
  }

  @Test(
    "Inverted modules are corrected or refused, never give another text, and random ones are refused"
  )
  func invertedModules() throws {
    var random = SampleNumbers(seed: 3)
    let text = sampleText(count: 40, seed: 2)
    let code = try QRCode(text, correction: .medium)
    var (read, refused) = (0, 0)
    for errors in stride(from: 2, through: 120, by: 2) {
      var inverted: Set<Int> = []
      for _ in 0..<errors {
        inverted.insert(
          random.next(below: code.size - 1) * code.size + random.next(below: code.size))
      }
      let modules = (0..<code.size * code.size).map { place in
        code[x: place % code.size, y: place / code.size] != inverted.contains(place)
      }
      if let result = try? QRReader(version: QRVersion(code.version), modules: modules).text() {
        expectEqual(result, text)
        read += 1
      } else {
        refused += 1
      }
    }
    expect(read > 3)
    expect(refused > 3)
    for version in [1, 2, 7, 14, 40] {
      let size = QRVersion(version).size
      for _ in 0..<20 {
        let modules = (0..<size * size).map { _ in random.next(below: 2) == 0 }
        #expect(throws: QRCode.ReadError.self) {
          try QRReader(version: QRVersion(version), modules: modules).text()
        }
      }
    }
  }
}

/// Reed–Solomon correction.
struct ReedSolomonTests {
  @Test(
    "Errors are corrected up to half the number of correction codewords, and no more",
    arguments: [7, 10, 18, 30])
  func errors(correctionCount: Int) throws {
    var random = SampleNumbers(seed: UInt64(correctionCount))
    let code = ReedSolomon(correctionCount: correctionCount)
    for errors in 0...correctionCount {
      let data = (0..<40).map { _ in UInt8(random.next(below: 256)) }
      let block = data + code.correction(of: data[...])
      var broken = block
      var places: Set<Int> = []
      while places.count < errors { places.insert(random.next(below: block.count)) }
      for place in places { broken[place] ^= UInt8(1 + random.next(below: 255)) }
      let corrected = code.corrected(broken)
      if errors <= correctionCount / 2 {
        expectEqual(corrected, block)
      } else {
        expect(corrected != block)
      }
    }
  }
}

/// Segments of a code.
struct SegmentDecoderTests {
  private func text(of pieces: [(value: Int, width: Int)], version: Int = 1) throws -> String {
    var bits = BitBuffer(capacity: 64)
    for piece in pieces { bits.append(piece.value, width: piece.width) }
    return try SegmentDecoder(bits.bytes, version: QRVersion(version)).text()
  }

  @Test(
    "Digits are read in groups of three with leading zeros, and alphanumeric characters in pairs",
    arguments: [(1, 10, 9), (9, 10, 9), (10, 12, 11), (26, 12, 11), (27, 14, 13), (40, 14, 13)])
  func groups(version: Int, digits: Int, alphanumerics: Int) throws {
    try expectEqual(
      text(of: [(1, 4), (8, digits), (12, 10), (345, 10), (7, 7), (0, 4)], version: version),
      "01234507")
    try expectEqual(text(of: [(1, 4), (1, digits), (9, 4)], version: version), "9")
    try expectEqual(
      text(
        of: [(2, 4), (3, alphanumerics), (10 * 45 + 44, 11), (36, 6), (0, 4)], version: version),
      "A: ")
  }

  @Test(
    "Several segments are read, whatever character set is declared",
    arguments: [[(26, 8)], [(0x8100, 16)], [(0xC0_0001, 24)]])
  func mixed(designator: [(Int, Int)]) throws {
    let bytes = [(4, 4), (2, 8), (0xC3, 8), (0xBC, 8)]
    let digits = [(1, 4), (2, 10), (42, 7)]
    try expectEqual(text(of: digits + [(7, 4)] + designator + bytes + digits), "42ü42")
  }

  @Test("Bytes that are not UTF-8 are read as Latin-1, and the text may end without a terminator")
  func latin1() throws {
    try expectEqual(text(of: [(4, 4), (2, 8), (0xFC, 8), (0x41, 8), (0, 4)]), "üA")
    try expectEqual(text(of: [(4, 4), (1, 8), (0x41, 8)]), "A")
    try expectEmpty(text(of: []))
  }

  @Test(
    "Excessive lengths and invalid values are damage; kanji and structured append are not supported"
  )
  func damage() {
    let damaged: [[(Int, Int)]] = [
      [(4, 4), (200, 8), (0, 8)], [(1, 4), (900, 10), (0, 10)], [(1, 4), (3, 10), (1000, 10)],
      [(1, 4), (1, 10), (12, 4)], [(2, 4), (2, 9), (2025, 11)], [(2, 4), (1, 9), (45, 6)],
      [(7, 4), (0xE0, 8)], [(7, 4)], [(4, 4)],
    ]
    for pieces in damaged {
      #expect(throws: QRCode.ReadError.damagedCode) { try text(of: pieces) }
    }
    for mode in [3, 5, 8, 9, 15] {
      #expect(throws: QRCode.ReadError.unsupportedCode, "mode \(mode)") {
        try text(of: [(mode, 4), (0, 20)])
      }
    }
  }
}
