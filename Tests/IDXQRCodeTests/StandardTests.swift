import Expectations
import Testing

@testable import IDXQRCode

/// Examples and tables of the standard.
struct StandardTests {
  @Test(
    "The information about format and version has the bits of the standard, and enough distance")
  func information() {
    expectEqual(InformationBits.format(correction: .medium, mask: .crosses), 0b100_0000_1100_1110)
    let formats = QRCode.Correction.allCases.flatMap { correction in
      Mask.allCases.map { InformationBits.format(correction: correction, mask: $0) }
    }
    for (index, format) in formats.enumerated() {
      for other in formats.dropFirst(index + 1) {
        expect((format ^ other).nonzeroBitCount >= 7)
      }
    }
    for (version, bits) in [
      (7, 0x07C94), (8, 0x085BC), (21, 0x15683), (32, 0x209D5), (40, 0x28C69),
    ] {
      expectEqual(InformationBits.version(version), bits, "version \(version)")
    }
  }

  @Test("The generator of correction codewords and an example are the standard's; zeros give zeros")
  func correction() {
    expectEqual(ReedSolomon(correctionCount: 7).generator, [87, 229, 146, 149, 238, 102, 21])
    let data: [UInt8] = [
      0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC,
      0x11,
    ]
    let code = ReedSolomon(correctionCount: 10)
    expectEqual(
      code.correction(of: data[...]),
      [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55])
    let zeros = [UInt8](repeating: 0, count: 20)
    expectEqual(code.correction(of: zeros[...]), Array(zeros.prefix(10)))
  }

  @Test("Each version has the alignment patterns and the capacity in the standard's tables")
  func tables() {
    for version in 1...40 {
      expectEqual(QRVersion(version).alignmentCenters, alignmentCenters[version - 1])
      for correction in QRCode.Correction.allCases {
        expectEqual(
          Payload("").capacity(of: QRVersion(version), at: correction),
          byteCapacity(version: version, at: correction), "version \(version), \(correction)")
      }
    }
  }

  @Test("A terminator and alternating padding codewords follow the text")
  func padding() {
    let codewords = Payload("AB").codewords(in: QRVersion(1), at: .high)
    expectEqual(codewords, [0x40, 0x24, 0x14, 0x20, 0xEC, 0x11, 0xEC, 0x11, 0xEC])
  }
}
