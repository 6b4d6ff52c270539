import Expectations
import Testing

@testable import IDXQRCode

/// Examples and tables of the standard.
struct StandardTests {
  @Test("The format information of level M and mask 5 is the standard's example")
  func formatExample() {
    expectEqual(InformationBits.format(correction: .medium, mask: .crosses), 0b100_0000_1100_1110)
  }

  @Test("Any two values of format information differ in at least seven bits")
  func formatDistance() {
    let formats = QRCode.Correction.allCases.flatMap { correction in
      Mask.allCases.map { InformationBits.format(correction: correction, mask: $0) }
    }
    for (index, format) in formats.enumerated() {
      for other in formats.dropFirst(index + 1) {
        expect((format ^ other).nonzeroBitCount >= 7)
      }
    }
  }

  @Test(
    "Version information has the bits of the standard's table",
    arguments: [(7, 0x07C94), (8, 0x085BC), (21, 0x15683), (32, 0x209D5), (40, 0x28C69)])
  func versionInformation(version: Int, bits: Int) {
    expectEqual(InformationBits.version(version), bits)
  }

  @Test("The generator of seven correction codewords is the standard's")
  func generator() {
    expectEqual(ReedSolomon(correctionCount: 7).generator, [87, 229, 146, 149, 238, 102, 21])
  }

  @Test("The correction codewords of version 1 are the standard's example")
  func correctionExample() {
    let data: [UInt8] = [
      0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC,
      0x11,
    ]
    let correction = ReedSolomon(correctionCount: 10).correction(of: data[...])
    expectEqual(correction, [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55])
  }

  @Test("The correction codewords of zeros are zeros")
  func correctionOfZeros() {
    let zeros = [UInt8](repeating: 0, count: 20)
    expectEqual(
      ReedSolomon(correctionCount: 10).correction(of: zeros[...]), Array(zeros.prefix(10)))
  }

  @Test("The alignment patterns are at the positions in the standard's table", arguments: 1...40)
  func alignment(version: Int) {
    expectEqual(QRVersion(version).alignmentCenters, alignmentCenters[version - 1])
  }

  @Test("Each version has the capacity in the standard's table", arguments: 1...40)
  func capacity(version: Int) {
    for correction in QRCode.Correction.allCases {
      let capacity = Payload("").capacity(of: QRVersion(version), at: correction)
      expectEqual(capacity, byteCapacity(version: version, at: correction))
    }
  }

  @Test("A terminator and alternating padding codewords follow the text")
  func padding() {
    let codewords = Payload("AB").codewords(in: QRVersion(1), at: .high)
    expectEqual(codewords, [0x40, 0x24, 0x14, 0x20, 0xEC, 0x11, 0xEC, 0x11, 0xEC])
  }
}
