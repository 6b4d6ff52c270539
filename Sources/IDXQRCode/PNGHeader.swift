/// What the first chunk of a PNG file tells: the size, and how pixels are written.
///
/// Source: W3C Portable Network Graphics, section 11.2.2 (IHDR).
struct PNGHeader {
  enum Color: UInt8 {
    case grey = 0
    case rgb = 2
    case palette = 3
    case greyAndAlpha = 4
    case rgbAndAlpha = 6
  }

  /// The most pixels of a side: the largest code with eleven to a module, and 32 MiB at the most.
  static let largestSide = 2048

  let width: Int
  let height: Int
  let color: Color
  /// The bits of a sample: 1, 2, 4, 8 or 16.
  let depth: Int

  init(_ content: ArraySlice<UInt8>) throws(QRCode.Unreadable) {
    let bytes = Array(content)
    guard bytes.count == 13 else { throw .imageIsDamaged }
    width = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
    height = bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
    depth = Int(bytes[8])
    guard width > 0, height > 0 else { throw .imageIsDamaged }
    guard width <= Self.largestSide, height <= Self.largestSide else { throw .imageIsTooLarge }
    guard let color = Color(rawValue: bytes[9]) else { throw .imageIsDamaged }
    self.color = color
    let depths =
      switch color {
      case .grey: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .rgb, .greyAndAlpha, .rgbAndAlpha: [8, 16]
      }
    guard depths.contains(depth) else { throw .imageIsDamaged }
    guard bytes[10...] == [0, 0, 0] else { throw .imageIsOfAnUnknownKind }
  }

  /// The samples of a pixel.
  var sampleCount: Int {
    switch color {
    case .grey, .palette: 1
    case .greyAndAlpha: 2
    case .rgb: 3
    case .rgbAndAlpha: 4
    }
  }

  /// The bytes from a pixel to the next, for the filters: at least one.
  var pixelCount: Int { max(1, sampleCount * depth / 8) }

  /// The bytes of a line, without that of the filter.
  var lineCount: Int { (width * sampleCount * depth + 7) / 8 }

  /// The bytes of all lines with their filters.
  var contentCount: Int { (lineCount + 1) * height }
}
