/// The parts of a PNG file: the header, the colors and the lines of pixels without filters.
///
/// Every kind of PNG is supported except interlaced ones. Source: W3C Portable Network Graphics.
struct PNGImage {
  /// The first bytes of every PNG file.
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  let header: PNGHeader
  /// Red, green and blue of each color; empty if there is no palette.
  private(set) var palette: [UInt8] = []
  /// The opacity of the palette's colors, or the samples of the transparent color; empty if missing.
  private(set) var transparency: [UInt8] = []
  /// The lines of pixels.
  private(set) var lines: [UInt8] = []

  init(_ file: [UInt8]) throws(QRCode.ReadError) {
    guard file.starts(with: Self.signature) else { throw .notPNG }
    var rest = file.dropFirst(Self.signature.count)
    let first = try Self.takeChunk(from: &rest)
    guard first.name == "IHDR" else { throw .damagedImage }
    header = try PNGHeader(first.content)

    var compressed: [UInt8] = []
    var isAtEnd = false
    while !isAtEnd {
      let (name, content) = try Self.takeChunk(from: &rest)
      switch name {
      case "PLTE": palette = Array(content)
      case "tRNS": transparency = Array(content)
      case "IDAT": compressed += content
      case "IEND": isAtEnd = true
      // The name of a chunk that is required to read the image starts with a capital letter.
      default: if name.first?.isUppercase != false { throw .unsupportedImage }
      }
    }
    let content = try Inflate.content(ofZlib: compressed, limit: header.contentSize)
    guard content.count == header.contentSize else { throw .truncatedImage }
    lines = try PNGFilter.unfiltered(
      content, bytesPerLine: header.bytesPerLine, bytesPerPixel: header.bytesPerPixel)
  }

  /// Removes the next chunk and checks its checksum.
  private static func takeChunk(
    from file: inout ArraySlice<UInt8>
  ) throws(QRCode.ReadError) -> (name: String, content: ArraySlice<UInt8>) {
    let count = try takeNumber(from: &file)
    guard count <= file.count - 4 else { throw .truncatedImage }
    let checked = file.prefix(4 + count)
    file = file.dropFirst(4 + count)
    guard try takeNumber(from: &file) == Int(Checksum.crc32(Array(checked))) else {
      throw .damagedImage
    }
    return (String(decoding: checked.prefix(4), as: UTF8.self), checked.dropFirst(4))
  }

  private static func takeNumber(
    from file: inout ArraySlice<UInt8>
  ) throws(QRCode.ReadError) -> Int {
    guard file.count >= 4 else { throw .truncatedImage }
    defer { file = file.dropFirst(4) }
    return file.prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }
}

// MARK: - Grayscale

extension PNGImage {
  /// The image in grayscale, row by row, on a white background.
  func grayValues() throws(QRCode.ReadError) -> [UInt8] {
    let table = header.color == .palette ? paletteGrayValues : []
    let transparent = transparentSamples
    let scale = header.depth < 8 ? 255 / (1 << header.depth - 1) : 1
    var result: [UInt8] = []
    result.reserveCapacity(header.width * header.height)
    var pixel = Array(repeating: 0, count: header.sampleCount)
    for line in 0..<header.height {
      for x in 0..<header.width {
        for sample in pixel.indices {
          pixel[sample] = self.sample(x * header.sampleCount + sample, ofLine: line)
        }
        if header.color == .palette {
          guard pixel[0] < table.count else { throw .damagedImage }
          result.append(table[pixel[0]])
        } else if pixel == transparent {
          result.append(255)
        } else {
          result.append(grayValue(of: pixel, scale: scale))
        }
      }
    }
    return result
  }

  private func sample(_ index: Int, ofLine line: Int) -> Int {
    let start = line * header.bytesPerLine
    switch header.depth {
    case 16:
      let high = start + 2 * index
      return Int(lines[high]) << 8 | Int(lines[high + 1])
    case 8: return Int(lines[start + index])
    default:
      let bit = index * header.depth
      let byte = Int(lines[start + bit / 8])
      return byte >> (8 - header.depth - bit % 8) & (1 << header.depth - 1)
    }
  }

  /// The gray value of a pixel; `scale` extends samples of less than eight bits to 0...255.
  private func grayValue(of pixel: [Int], scale: Int) -> UInt8 {
    func byte(_ index: Int) -> Int {
      header.depth == 16 ? pixel[index] >> 8 : pixel[index] * scale
    }
    return switch header.color {
    case .gray, .palette: Self.grayValue(byte(0), byte(0), byte(0), opacity: 255)
    case .grayAndAlpha: Self.grayValue(byte(0), byte(0), byte(0), opacity: byte(1))
    case .rgb: Self.grayValue(byte(0), byte(1), byte(2), opacity: 255)
    case .rgbAndAlpha: Self.grayValue(byte(0), byte(1), byte(2), opacity: byte(3))
    }
  }

  /// The brightness of a color on a white background.
  ///
  /// Source: ITU-R BT.601.
  private static func grayValue(_ red: Int, _ green: Int, _ blue: Int, opacity: Int) -> UInt8 {
    let value = (299 * red + 587 * green + 114 * blue) / 1000
    return UInt8((value * opacity + 255 * (255 - opacity)) / 255)
  }

  private var paletteGrayValues: [UInt8] {
    (0..<palette.count / 3).map { index in
      Self.grayValue(
        Int(palette[3 * index]), Int(palette[3 * index + 1]), Int(palette[3 * index + 2]),
        opacity: index < transparency.count ? Int(transparency[index]) : 255)
    }
  }

  /// The samples of the transparent color; nil if there is none.
  private var transparentSamples: [Int]? {
    guard header.color == .gray || header.color == .rgb,
      transparency.count == 2 * header.sampleCount
    else { return nil }
    return (0..<header.sampleCount).map { (sample: Int) -> Int in
      let (high, low) = (transparency[2 * sample], transparency[2 * sample + 1])
      return Int(high) << 8 | Int(low)
    }
  }
}

/// The first chunk of a PNG file: the size of the image and the format of its pixels.
///
/// Source: W3C Portable Network Graphics, section 11.2.2 (IHDR).
struct PNGHeader {
  enum Color: UInt8 {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAndAlpha = 4
    case rgbAndAlpha = 6
  }

  /// The largest supported width and height in pixels.
  ///
  /// The largest code fits with eleven pixels per module, and an image needs at most 32 MiB.
  static let largestSide = 2048

  let width: Int
  let height: Int
  let color: Color
  /// The number of bits per sample: 1, 2, 4, 8 or 16.
  let depth: Int

  init(_ content: ArraySlice<UInt8>) throws(QRCode.ReadError) {
    let bytes = Array(content)
    guard bytes.count == 13 else { throw .damagedImage }
    width = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
    height = bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
    depth = Int(bytes[8])
    guard width > 0, height > 0 else { throw .damagedImage }
    guard width <= Self.largestSide, height <= Self.largestSide else { throw .tooLarge }
    guard let color = Color(rawValue: bytes[9]) else { throw .damagedImage }
    self.color = color
    let depths =
      switch color {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .rgb, .grayAndAlpha, .rgbAndAlpha: [8, 16]
      }
    guard depths.contains(depth) else { throw .damagedImage }
    guard bytes[10...] == [0, 0, 0] else { throw .unsupportedImage }
  }

  /// The number of samples per pixel.
  var sampleCount: Int {
    switch color {
    case .gray, .palette: 1
    case .grayAndAlpha: 2
    case .rgb: 3
    case .rgbAndAlpha: 4
    }
  }

  /// The number of bytes per pixel for the filters, at least 1.
  var bytesPerPixel: Int { max(1, sampleCount * depth / 8) }

  /// The number of bytes per line, without the byte of the filter.
  var bytesPerLine: Int { (width * sampleCount * depth + 7) / 8 }

  /// The size of all lines with their filters, in bytes.
  var contentSize: Int { (bytesPerLine + 1) * height }
}

/// How a line of a PNG file predicts a byte; the file contains the difference from the prediction.
///
/// Source: W3C Portable Network Graphics, section 9.
enum PNGFilter: UInt8 {
  case none
  case sub
  case up
  case average
  case paeth

  /// The lines without their filters; in `content`, each line starts with the number of its filter.
  static func unfiltered(
    _ content: [UInt8], bytesPerLine: Int, bytesPerPixel: Int
  ) throws(QRCode.ReadError) -> [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(content.count)
    for start in stride(from: 0, to: content.count, by: bytesPerLine + 1) {
      guard let filter = PNGFilter(rawValue: content[start]) else { throw .damagedImage }
      let hasLineAbove = start > 0
      for position in 0..<bytesPerLine {
        let hasPixelBefore = position >= bytesPerPixel
        let index = lines.count
        let left = hasPixelBefore ? lines[index - bytesPerPixel] : 0
        let above = hasLineAbove ? lines[index - bytesPerLine] : 0
        let upperLeft =
          hasPixelBefore && hasLineAbove ? lines[index - bytesPerLine - bytesPerPixel] : 0
        lines.append(
          content[start + 1 + position]
            &+ filter.prediction(left: left, above: above, upperLeft: upperLeft))
      }
    }
    return lines
  }

  private func prediction(left: UInt8, above: UInt8, upperLeft: UInt8) -> UInt8 {
    switch self {
    case .none: return 0
    case .sub: return left
    case .up: return above
    case .average: return UInt8((Int(left) + Int(above)) / 2)
    case .paeth:
      let estimate = Int(left) + Int(above) - Int(upperLeft)
      let fromLeft = abs(estimate - Int(left))
      let fromAbove = abs(estimate - Int(above))
      let fromUpperLeft = abs(estimate - Int(upperLeft))
      if fromLeft <= fromAbove, fromLeft <= fromUpperLeft { return left }
      return fromAbove <= fromUpperLeft ? above : upperLeft
    }
  }
}
