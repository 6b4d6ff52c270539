extension QRCode {
  /// Writes the code as a PNG file, black on white with one bit per pixel.
  ///
  /// `scale` is the number of pixels on one side of a module, 1 or more. `quietZone` is the number of
  /// white modules on each side, 0 or more; the standard requires 4.
  package func png(scale: Int = 4, quietZone: Int = 4) -> [UInt8] {
    precondition(scale > 0 && quietZone >= 0, "scale must be 1 or more, and quietZone 0 or more")
    let side = columns(quietZone: quietZone) * scale
    var image = PNGWriter(width: side, height: side)
    for y in -quietZone..<size + quietZone {
      var row = BitBuffer(capacity: side / 8 + 1)
      for x in -quietZone..<size + quietZone {
        for _ in 0..<scale { row.append(self[x: x, y: y] ? 0 : 1, width: 1) }
      }
      for _ in 0..<scale { image.append(row.bytes) }
    }
    return image.file
  }
}

/// Writes a grayscale image of one bit per pixel, without compression.
///
/// Source: W3C Portable Network Graphics, with zlib (RFC 1950) and stored blocks (RFC 1951, 3.2.4).
struct PNGWriter {
  private let width: Int
  private let height: Int
  private var scanlines: [UInt8] = []

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    scanlines.reserveCapacity((width / 8 + 2) * height)
  }

  /// Adds the next line of pixels, eight per byte, the leftmost in the highest bit; 1 is white.
  mutating func append(_ row: [UInt8]) {
    let noFilter: UInt8 = 0
    scanlines.append(noFilter)
    scanlines += row
  }

  /// The whole file, after all lines were added.
  var file: [UInt8] {
    let bitDepth: UInt8 = 1
    let header = Self.bytes(width) + Self.bytes(height) + [bitDepth, 0, 0, 0, 0]
    return PNGImage.signature
      + Self.chunk("IHDR", header)
      + Self.chunk("IDAT", Self.zlib(scanlines))
      + Self.chunk("IEND", [])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let checked = Array(name.utf8) + content
    return bytes(content.count) + checked + bytes(Int(Checksum.crc32(checked)))
  }

  private static func zlib(_ content: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var rest = content[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      result += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high]
      result += block
    } while !rest.isEmpty
    return result + bytes(Int(Checksum.adler32(content)))
  }

  /// Four bytes, the most significant first.
  private static func bytes(_ value: Int) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(value >> $0 & 0xFF) }
  }
}
