import Foundation
import IDXQRCode
import Testing

private let environment = ProcessInfo.processInfo.environment
private let images = environment["QRCODE_IMAGES"]
private let corpus = environment["IDX_CORPUS"]

/// Reads codes that other programs drew: from the folder that `QRCODE_IMAGES` names, each `NAME.png`
/// beside what it must be read as in `NAME.txt`.
@Suite("Codes of other programs", .enabled(if: images != nil, "QRCODE_IMAGES is not set"))
struct ImageFolderTests {
  @Test("Every image is read as its text")
  func everyImage() throws {
    let folder = URL(fileURLWithPath: try #require(images), isDirectory: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".png") }
    for name in names.sorted() {
      let file = folder.appendingPathComponent(name)
      let text = try Data(contentsOf: folder.appendingPathComponent(name.dropLast(3) + "txt"))
      let image = Array(try Data(contentsOf: file))
      let reading = Result { try QRCode.read(png: image) }
      #expect(throws: Never.self, "\(name)") { try reading.get() }
      if let reading = try? reading.get() {
        #expect(Array(reading.utf8) == Array(text), "\(name)")
      }
    }
    #expect(!names.isEmpty)
  }
}

/// Reads the images in recorded responses, which are not ours to hand on, from the folder that
/// `IDX_CORPUS` names.
@Suite("Codes in responses", .enabled(if: corpus != nil, "IDX_CORPUS names no folder of responses"))
struct ResponseImageTests {
  @Test("Every image is read")
  func everyImage() throws {
    let folder = try #require(corpus)
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
    #expect(count > 0)
  }
}
