extension PNGImage {
  /// The picture in shades of grey, row by row, on white where it can be seen through.
  func shades() throws(QRCode.Unreadable) -> [UInt8] {
    let table = header.color == .palette ? paletteShades : []
    let clear = clearSamples
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
          guard pixel[0] < table.count else { throw .imageIsDamaged }
          result.append(table[pixel[0]])
        } else if pixel == clear {
          result.append(255)
        } else {
          result.append(shade(of: pixel, scale: scale))
        }
      }
    }
    return result
  }

  private func sample(_ index: Int, ofLine line: Int) -> Int {
    let start = line * header.lineCount
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

  /// The shade of a pixel's samples; the scale brings those of less than eight bits to 255.
  private func shade(of pixel: [Int], scale: Int) -> UInt8 {
    func byte(_ index: Int) -> Int {
      header.depth == 16 ? pixel[index] >> 8 : pixel[index] * scale
    }
    return switch header.color {
    case .grey, .palette: Self.shade(byte(0), byte(0), byte(0), opacity: 255)
    case .greyAndAlpha: Self.shade(byte(0), byte(0), byte(0), opacity: byte(1))
    case .rgb: Self.shade(byte(0), byte(1), byte(2), opacity: 255)
    case .rgbAndAlpha: Self.shade(byte(0), byte(1), byte(2), opacity: byte(3))
    }
  }

  /// How bright a colour looks on white.
  ///
  /// Source: ITU-R BT.601.
  private static func shade(_ red: Int, _ green: Int, _ blue: Int, opacity: Int) -> UInt8 {
    let shade = (299 * red + 587 * green + 114 * blue) / 1000
    return UInt8((shade * opacity + 255 * (255 - opacity)) / 255)
  }

  private var paletteShades: [UInt8] {
    (0..<palette.count / 3).map { index in
      Self.shade(
        Int(palette[3 * index]), Int(palette[3 * index + 1]), Int(palette[3 * index + 2]),
        opacity: index < transparency.count ? Int(transparency[index]) : 255)
    }
  }

  /// The samples of the one colour that is not seen; nil where there is none.
  private var clearSamples: [Int]? {
    guard header.color == .grey || header.color == .rgb,
      transparency.count == 2 * header.sampleCount
    else { return nil }
    return (0..<header.sampleCount).map {
      Int(transparency[2 * $0]) << 8 | Int(transparency[2 * $0 + 1])
    }
  }
}
