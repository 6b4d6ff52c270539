@testable import IDXQRCode

/// Writes PNG files of any kind.
struct TestPNG {
  var width: Int
  var height: Int
  var depth = 8
  var color = PNGHeader.Color.gray
  var interlaced = false
  var palette: [UInt8] = []
  var transparency: [UInt8] = []
  /// The number of the filter for each line.
  var filter: (_ line: Int) -> UInt8 = { _ in 0 }

  /// The file with these samples for each pixel.
  func file(_ pixel: (_ x: Int, _ y: Int) -> [Int]) -> [UInt8] {
    let lines = (0..<height).map { y in
      var bits = BitBuffer(capacity: width)
      for x in 0..<width {
        for sample in pixel(x, y) { bits.append(sample, width: depth) }
      }
      return bits.bytes
    }
    let distance = max(1, pixel(0, 0).count * depth / 8)
    var content: [UInt8] = []
    for (y, line) in lines.enumerated() {
      let number = filter(y)
      content.append(number)
      let above = y > 0 ? lines[y - 1] : line.map { _ in 0 }
      for (x, byte) in line.enumerated() {
        let (a, b) = (x >= distance ? Int(line[x - distance]) : 0, Int(above[x]))
        let c = x >= distance ? Int(above[x - distance]) : 0
        let paeth = [a, b, c].min { abs(a + b - c - $0) < abs(a + b - c - $1) }
        let prediction = [0, a, b, (a + b) / 2, paeth ?? 0][Int(number) % 5]
        content.append(byte &- UInt8(prediction))
      }
    }
    return file(zlib: Self.zlib(content))
  }

  /// The file with a stream that is already compressed.
  func file(zlib: [UInt8]) -> [UInt8] {
    let header = Self.bytes(width) + Self.bytes(height)
    // The stream is split into two chunks, as other writers do.
    let half = zlib.count / 2
    return [137, 80, 78, 71, 13, 10, 26, 10]
      + Self.chunk("IHDR", header + [UInt8(depth), color.rawValue, 0, 0, interlaced ? 1 : 0])
      + Self.chunk("tEXt", Array("Title\0ignored".utf8))
      + (palette.isEmpty ? [] : Self.chunk("PLTE", palette))
      + (transparency.isEmpty ? [] : Self.chunk("tRNS", transparency))
      + Self.chunk("IDAT", Array(zlib[..<half])) + Self.chunk("IDAT", Array(zlib[half...]))
      + Self.chunk("IEND", [])
  }

  static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let checked = Array(name.utf8) + content
    return bytes(content.count) + checked + bytes(Int(Checksum.crc32(checked)))
  }

  private static func zlib(_ content: [UInt8]) -> [UInt8] {
    var compressed: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: content.count, by: 0xFFFF) {
      let block = content[start..<min(start + 0xFFFF, content.count)]
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      compressed += [block.endIndex == content.count ? 1 : 0, low, high, ~low, ~high] + block
    }
    return compressed + bytes(Int(Checksum.adler32(content)))
  }

  private static func bytes(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
  }
}
