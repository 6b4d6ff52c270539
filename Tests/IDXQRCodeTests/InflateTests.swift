import Expectations
import Testing

@testable import IDXQRCode

/// Inflate.
struct InflateTests {
  private static let fixed = bytes(
    hex: "78017354c84ead5428c9482c51c82c56c8cb2f51480489e84028b80498a7a7e048926a0077611ddb")

  @Test("Blocks that are stored, or have fixed or dynamic codes, are decompressed")
  func blocks() throws {
    let stored = bytes(hex: "7801010600f9ff73746f726564093c0292")
    try expectEqual(Inflate.content(ofZlib: stored, limit: 6), Array("stored".utf8))
    let text = "A key that is not a key, a key that is a key. "
    try expectEqual(Inflate.content(ofZlib: Self.fixed, limit: 92), Array((text + text).utf8))
    // A copy may overlap its source, up to the longest copy.
    let overlap = bytes(hex: "78da63601805a360140c77000003e80001")
    try expectEqual(Inflate.content(ofZlib: overlap, limit: 1000), Array(repeating: 0, count: 1000))
    let content = (0..<300).map { (index: Int) -> UInt8 in
      let cube = index * index * index
      return UInt8(0x41 + (cube / 5 + index) % 7)
    }
    try expectEqual(Inflate.content(ofZlib: bytes(hex: dynamic), limit: 300), content)
  }

  @Test("Many empty blocks are read quickly", .timeLimit(.minutes(10)))
  func emptyBlocks() throws {
    // Five bytes are four empty blocks with fixed codes; one last block follows.
    let blocks = (0..<100_000).flatMap { _ -> [UInt8] in [0x02, 0x08, 0x20, 0x80, 0x00] }
    let stream = [0x78, 0x01] + blocks + [0x03, 0x00] + [0, 0, 0, 1]
    try expectEmpty(Inflate.content(ofZlib: stream, limit: 0))
  }

  @Test("Unknown headers and blocks, random bytes, and content beyond the limit are refused")
  func refused() {
    for limit in [0, 1, 45, 91] {
      #expect(throws: QRCode.ReadError.self) {
        try Inflate.content(ofZlib: Self.fixed, limit: limit)
      }
    }
    for stream in [
      "7901", "7802", "8801", "78bb00000001", "780107", "7801010600f9fe", "78010304",
      // More codes than fit.
      "780105e0ffff",
    ] {
      #expect(throws: QRCode.ReadError.self, "\(stream)") {
        try Inflate.content(ofZlib: bytes(hex: stream), limit: 1000)
      }
    }
    var random = SampleNumbers(seed: 5)
    for _ in 0..<300 {
      let noise = (0..<200).map { _ in UInt8(random.next(below: 256)) }
      #expect(throws: QRCode.ReadError.self) {
        try Inflate.content(ofZlib: [0x78, 0x01] + noise, limit: 5000)
      }
    }
  }

  @Test("A stream that is truncated or has a changed bit is refused, at the latest by its checksum")
  func truncated() {
    for stream in [Self.fixed, bytes(hex: dynamic)] {
      for count in 0..<stream.count {
        #expect(throws: QRCode.ReadError.truncatedImage) {
          try Inflate.content(ofZlib: Array(stream[..<count]), limit: 1000)
        }
      }
    }
    for stream in [Self.fixed, bytes(hex: dynamic)] {
      for bit in 16..<stream.count * 8 {
        var stream = stream
        stream[bit / 8] ^= 1 << UInt8(bit % 8)
        let content = try? Inflate.content(ofZlib: stream, limit: 1000)
        // The padding of the last byte may have any value.
        expect(content == nil || content == (try? Inflate.content(ofZlib: stream, limit: 300)))
      }
    }
  }
}

/// A stream with dynamic codes.
private let dynamic =
  "78daedca410100300c02316d0785fa77d4c76c2cefa0914d0b218eab4cbc66a56d3ae597570eafa64f6a"
