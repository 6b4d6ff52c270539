import IDXQRCode
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

private let folder = ProcessInfo.processInfo.environment["QRCODE_FOLDER"]

/// Writes codes for a reader that is not ours, such as `zbarimg`, into the folder that
/// `QRCODE_FOLDER` names: `NAME.png`, and what it must be read as in `NAME.txt`.
@Suite("Codes for another reader", .enabled(if: folder != nil, "QRCODE_FOLDER is not set"))
struct OutsideReaderTests {
  @Test(
    "A full code of each version and level is written as a PNG",
    arguments: 1...40, QRCode.Correction.allCases)
  func write(version: Int, correction: QRCode.Correction) throws {
    let text = sampleText(count: byteCapacity(version: version, at: correction), seed: version)
    let code = try QRCode(text, correction: correction)
    #expect(code.version == version)

    let folder = URL(fileURLWithPath: try #require(folder), isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let name = "\(correction)-\(version)"
    try Data(code.png()).write(to: folder.appendingPathComponent(name + ".png"))
    try Data(text.utf8).write(to: folder.appendingPathComponent(name + ".txt"))
  }
}
