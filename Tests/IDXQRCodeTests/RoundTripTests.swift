import Testing

@testable import IDXQRCode

@Suite("A code read back")
struct RoundTripTests {
  @Test("Every version and level gives its text back when full", arguments: 1...40)
  func full(version: Int) throws {
    for (index, correction) in QRCode.Correction.allCases.enumerated() {
      let count = byteCapacity(version: version, at: correction)
      let text = sampleText(count: count, seed: version * 4 + index)
      let mask = try #require(Mask(rawValue: (version + index) % 8))
      let code = try QRCode(Payload(text), correction: correction, smallest: 1, mask: mask)
      #expect(code.version == version)
      #expect(code.size == 17 + 4 * version)

      let reading = try IndependentReader(code)
      #expect(reading.text == text)
      #expect(reading.correction == correction)
      #expect(reading.mask == mask.rawValue)
      #expect(reading.padding.isEmpty)
    }
  }

  @Test("Every mask gives the text back, and pads in turn", arguments: Mask.allCases)
  func mask(_ mask: Mask) throws {
    let code = try QRCode(Payload("masked"), correction: .low, smallest: 8, mask: mask)
    let reading = try IndependentReader(code)
    #expect(reading.text == "masked")
    #expect(reading.mask == mask.rawValue)
    #expect(reading.padding.count == 186)
    #expect(reading.padding.prefix(3) == [0xEC, 0x11, 0xEC])
  }

  @Test(
    "A text gives itself back and is marked as UTF-8 where it is not ASCII",
    arguments: [
      "", "a", "otpauth://totp/Org:a%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Org",
      "Grüße", "\u{80}", "鍵 🔑", "e\u{301}\u{0}\n",
    ])
  func texts(_ text: String) throws {
    let reading = try IndependentReader(QRCode(text))
    #expect(reading.text == text)
    #expect(Array(reading.text.utf8) == Array(text.utf8))
    #expect(reading.isMarkedAsUTF8 == !text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("Each length from one version into the next gives the text back", arguments: 12...28)
  func lengths(count: Int) throws {
    let text = sampleText(count: count, seed: count)
    #expect(try IndependentReader(QRCode(text)).text == text)
  }
}
