import Expectations
import Testing

@testable import IDXQRCode

/// QRCode.
struct QRCodeTests {
  @Test("A text takes the smallest version that holds it, with one byte less if it is not ASCII")
  func smallest() throws {
    for (count, version) in [
      (14, 1), (15, 2), (106, 6), (107, 7), (180, 9), (181, 10), (2331, 40),
    ] {
      try expectEqual(QRCode(String(repeating: "x", count: count)).version, version)
    }
    try expectEqual(QRCode("ä" + String(repeating: "x", count: 11)).version, 1)
    try expectEqual(QRCode("ä" + String(repeating: "x", count: 12)).version, 2)
    #expect(throws: QRCode.TooLong(byteCount: 2332, capacity: 2330)) {
      try QRCode(String(repeating: "ä", count: 1166))
    }
  }

  @Test(
    "A text too long for version 40 is refused with its length and the limit",
    arguments: [
      (QRCode.Correction.low, 2953), (.medium, 2331), (.quartile, 1663), (.high, 1273),
    ])
  func tooLong(correction: QRCode.Correction, capacity: Int) {
    #expect(throws: QRCode.TooLong(byteCount: capacity + 1, capacity: capacity)) {
      try QRCode(String(repeating: "x", count: capacity + 1), correction: correction)
    }
  }

  @Test("Every version has its fixed patterns, and everything outside is light", arguments: 1...40)
  func patterns(version: Int) throws {
    let code = try QRCode(Payload("idx"), correction: .low, smallest: version, mask: .rows)
    let size = code.size
    expectEqual(code.version, version)

    let finder = [
      "#######.", "#.....#.", "#.###.#.", "#.###.#.", "#.###.#.", "#.....#.", "#######.",
      "........",
    ].map(Array.init)
    for y in 0..<8 {
      for x in 0..<8 {
        let dark = finder[y][x] == "#"
        expectEqual(code[x: x, y: y], dark)
        expectEqual(code[x: size - 1 - x, y: y], dark)
        expectEqual(code[x: x, y: size - 1 - y], dark)
      }
    }
    for position in -2...size + 1 {
      expect(!code[x: position, y: -1] && !code[x: -1, y: position])
      expect(!code[x: position, y: size] && !code[x: size, y: position])
    }
    for position in 8..<size - 8 {
      expectEqual(code[x: position, y: 6], (position % 2 == 0))
      expectEqual(code[x: 6, y: position], (position % 2 == 0))
    }
    expect(code[x: 8, y: size - 8])
    if version >= 7 {
      for bit in 0..<18 {
        let dark = InformationBits.version(version) >> bit & 1 == 1
        expectEqual(code[x: bit / 3, y: size - 11 + bit % 3], dark)
        expectEqual(code[x: size - 11 + bit % 3, y: bit / 3], dark)
      }
    }
  }

  @Test("Neither the description nor a dump shows the modules")
  func description() throws {
    let code = try QRCode("JBSWY3DPEHPK3PXP")
    expectEqual("\(code)", "QR code, version 2, 25 x 25 modules")
    expectEqual(String(reflecting: [code]), "[QR code, version 2, 25 x 25 modules]")
    var dumped = ""
    dump(code, to: &dumped)
    expect(!dumped.contains("false"))
  }
}

/// Codes read by an independent reader, and their images by ours.
struct RoundTripTests {
  @Test(
    "Full codes of every version and correction give their text",
    arguments: (1...40).sample(every: 3))
  func full(version: Int) throws {
    for (index, correction) in QRCode.Correction.allCases.enumerated() {
      let count = byteCapacity(version: version, at: correction)
      let text = sampleText(count: count, seed: version * 4 + index)
      let mask = try require(Mask(rawValue: (version + index) % 8))
      let code = try QRCode(Payload(text), correction: correction, smallest: 1, mask: mask)
      expectEqual(code.version, version)
      expectEqual(code.size, 17 + 4 * version)

      let reading = try IndependentReader(code)
      expectEqual(reading.text, text)
      expectEqual(reading.correction, correction)
      expectEqual(reading.mask, mask.rawValue)
      expectEmpty(reading.padding)
      // Only one of four images: reading them takes long.
      guard version < 4 || index == version % 4 else { continue }
      let png = code.png(scale: version < 12 ? 2 : 1, quietZone: index)
      try expectEqual(QRCode.read(png: png), text)
    }
  }

  @Test("Codes with every mask give their text and the padding", arguments: Mask.allCases)
  func mask(_ mask: Mask) throws {
    let code = try QRCode(Payload("masked"), correction: .low, smallest: 8, mask: mask)
    let reading = try IndependentReader(code)
    expectEqual(reading.text, "masked")
    expectEqual(reading.mask, mask.rawValue)
    expectEqual(reading.padding.count, 186)
    expectEqual(reading.padding.prefix(3), [0xEC, 0x11, 0xEC])
  }

  @Test(
    "A text of any length is read back, and is declared as UTF-8 if it is not ASCII",
    arguments: [
      "", "a", "otpauth://totp/Org:a%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Org",
      "Grüße", "\u{80}", "鍵 🔑", "e\u{301}\u{0}\n",
    ] + (12...28).map { sampleText(count: $0, seed: $0) })
  func texts(_ text: String) throws {
    let code = try QRCode(text)
    let reading = try IndependentReader(code)
    expectEqual(reading.text, text)
    expectEqual(Array(reading.text.utf8), Array(text.utf8))
    expectEqual(reading.declaresUTF8, !text.utf8.allSatisfy { $0 < 0x80 })
    try expectEqual(QRCode.read(png: code.png()), text)
  }
}
