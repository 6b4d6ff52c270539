import Expectations
import Foundation
import IDXQRCode
import Testing

private let environment = ProcessInfo.processInfo.environment
private let images = environment["QRCODE_IMAGES"]
private let corpus = environment["IDX_CORPUS"]
private let output = environment["QRCODE_FOLDER"]

/// Reads codes of other programs from the folder in `QRCODE_IMAGES`, which contains `NAME.png` and the
/// expected text in `NAME.txt`.
@Suite("Codes of other programs", .enabled(if: images != nil, "QRCODE_IMAGES is not set"))
struct ImageFolderTests {
  @Test("Every image gives its text")
  func everyImage() throws {
    let folder = URL(fileURLWithPath: try require(images), isDirectory: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".png") }
    for name in names.sorted() {
      let file = folder.appendingPathComponent(name)
      let text = try Data(contentsOf: folder.appendingPathComponent(name.dropLast(3) + "txt"))
      let image = Array(try Data(contentsOf: file))
      let reading = Result { try QRCode.read(png: image) }
      #expect(throws: Never.self, "\(name)") { try reading.get() }
      if let reading = try? reading.get() {
        expectEqual(Array(reading.utf8), Array(text), "\(name)")
      }
    }
    expect(!names.isEmpty)
  }
}

/// Reads the images in recorded responses from the folder in `IDX_CORPUS`. The responses are not part of
/// this package.
@Suite("Codes in recorded responses", .enabled(if: corpus != nil, "IDX_CORPUS is not set"))
struct ResponseImageTests {
  @Test("Every image is read")
  func everyImage() throws {
    let folder = try require(corpus)
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    var count = 0
    for name in names.filter({ $0.hasSuffix(".json") }).sorted() {
      let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      for rest in text.split(separator: "\"data:image/png;base64,").dropFirst() {
        let base64 = String(rest.prefix { $0 != "\"" })
        guard let image = Data(base64Encoded: base64), !image.isEmpty else { continue }
        count += 1
        #expect(throws: Never.self, "\(name)") { try QRCode.read(png: Array(image)) }
      }
    }
    expect(count > 0)
  }
}

/// Writes codes for other readers, such as `zbarimg`, to the folder in `QRCODE_FOLDER`: `NAME.png` and
/// the expected text in `NAME.txt`.
@Suite("Codes for other readers", .enabled(if: output != nil, "QRCODE_FOLDER is not set"))
struct OtherReaderTests {
  @Test(
    "A full code of each version and level is written as a PNG",
    arguments: 1...40, QRCode.Correction.allCases)
  func write(version: Int, correction: QRCode.Correction) throws {
    let text = sampleText(count: byteCapacity(version: version, at: correction), seed: version)
    let code = try QRCode(text, correction: correction)
    expectEqual(code.version, version)

    let folder = URL(fileURLWithPath: try require(output), isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let name = "\(correction)-\(version)"
    try Data(code.png()).write(to: folder.appendingPathComponent(name + ".png"))
    try Data(text.utf8).write(to: folder.appendingPathComponent(name + ".txt"))
  }
}
