import Expectations
import Testing

@testable import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys

/// Reading DER.
struct DERReaderTests {
  @Test("The content may have any length", arguments: [0, 1, 127, 128, 255, 256, 65535, 65536])
  func lengths(count: Int) throws {
    let content = [UInt8](repeating: 7, count: count)
    let bytes = TestCertificate.element(0x04, content)
    var reader = DERReader(bytes[...])
    try expectEqual(reader.content(of: .octetString), content[...])
    try reader.end()
    var cut = DERReader(bytes.dropLast())
    #expect(throws: DERReader.InvalidDER.self) { try cut.next() }
  }

  @Test("An element with another tag is refused")
  func otherTag() {
    var reader = DERReader([0x04, 0x00][...])
    #expect(throws: DERReader.InvalidDER.self) { try reader.content(of: .integer) }
  }

  @Test(
    "Lengths that are indefinite, too long or could be shorter, and tags of several bytes, are refused",
    arguments: [
      [], [0x1f, 0x01, 0x00], [0x04], [0x04, 0x01], [0x04, 0x80, 0x00, 0x00], [0x04, 0x81],
      [0x04, 0x81, 0x01, 0x07],
      [0x04, 0x82, 0x00, 0x80] + [UInt8](repeating: 7, count: 128), [0x04, 0x83, 0xff, 0xff, 0xff],
      [0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 0x07], [0x04, 0xff, 0x07],
      [0x04, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ] as [[UInt8]])
  func wrongLengths(bytes: [UInt8]) {
    var reader = DERReader(bytes[...])
    #expect(throws: DERReader.InvalidDER.self) { try reader.next() }
  }

  @Test(
    "A truth value is false if it is missing, and has only two forms",
    arguments: [
      ([0x01, 0x01, 0xff], true), ([0x01, 0x01, 0x00], false), ([], false), ([0x02, 0x00], false),
      ([0x01, 0x01, 0x01], nil), ([0x01, 0x00], nil), ([0x01, 0x02, 0xff, 0xff], nil),
    ] as [([UInt8], Bool?)])
  func flags(bytes: [UInt8], value: Bool?) {
    var reader = DERReader(bytes[...])
    expectEqual((try? reader.flag()), value)
  }
}
