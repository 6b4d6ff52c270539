import Testing

@testable import IDXQRCode

@Suite("What the standard states outright")
struct StandardTests {
  @Test("The format of level M and mask 5 is the standard's example")
  func formatExample() {
    #expect(InformationBits.format(correction: .medium, mask: .crosses) == 0b100_0000_1100_1110)
  }

  @Test("Two formats differ in seven bits at least")
  func formatDistance() {
    let formats = QRCode.Correction.allCases.flatMap { correction in
      Mask.allCases.map { InformationBits.format(correction: correction, mask: $0) }
    }
    for (index, format) in formats.enumerated() {
      for other in formats.dropFirst(index + 1) {
        #expect((format ^ other).nonzeroBitCount >= 7)
      }
    }
  }

  @Test(
    "Version information has the bits of the standard's table",
    arguments: [(7, 0x07C94), (8, 0x085BC), (21, 0x15683), (32, 0x209D5), (40, 0x28C69)])
  func versionInformation(version: Int, bits: Int) {
    #expect(InformationBits.version(version) == bits)
  }

  @Test("The generator of seven correction codewords is the standard's")
  func generator() {
    #expect(ReedSolomon(correctionCount: 7).generator == [87, 229, 146, 149, 238, 102, 21])
  }

  @Test("The standard's example of a version 1 code has its correction codewords")
  func correctionExample() {
    let data: [UInt8] = [
      0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC,
      0x11,
    ]
    let correction = ReedSolomon(correctionCount: 10).correction(of: data[...])
    #expect(correction == [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55])
  }

  @Test("Zeros have zeros for correction")
  func correctionOfZeros() {
    let zeros = [UInt8](repeating: 0, count: 20)
    #expect(ReedSolomon(correctionCount: 10).correction(of: zeros[...]) == Array(zeros.prefix(10)))
  }

  @Test("Alignment patterns are where the standard's table has them", arguments: 1...40)
  func alignment(version: Int) {
    #expect(QRVersion(version).alignmentCentres == alignmentCentres[version - 1])
  }

  @Test("Each version holds the bytes of the standard's table", arguments: 1...40)
  func capacity(version: Int) {
    for correction in QRCode.Correction.allCases {
      let capacity = Payload("").capacity(of: QRVersion(version), at: correction)
      #expect(capacity == byteCapacity(version: version, at: correction))
    }
  }

  @Test("A text is followed by a terminator and the two padding codewords in turn")
  func padding() {
    let codewords = Payload("AB").codewords(in: QRVersion(1), at: .high)
    #expect(codewords == [0x40, 0x24, 0x14, 0x20, 0xEC, 0x11, 0xEC, 0x11, 0xEC])
  }
}
