/// What a line of a PNG file foretells of a byte, so that only the difference is written.
///
/// Source: W3C Portable Network Graphics, section 9.
enum PNGFilter: UInt8 {
  case none
  case left
  case above
  case average
  case nearest

  /// The lines without their filters, each of which starts with the number of its own.
  static func unfiltered(
    _ content: [UInt8], lineCount: Int, pixelCount: Int
  ) throws(QRCode.Unreadable) -> [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(content.count)
    for start in stride(from: 0, to: content.count, by: lineCount + 1) {
      guard let filter = PNGFilter(rawValue: content[start]) else { throw .imageIsDamaged }
      let hasLineAbove = start > 0
      for position in 0..<lineCount {
        let hasPixelBefore = position >= pixelCount
        let index = lines.count
        let left = hasPixelBefore ? lines[index - pixelCount] : 0
        let above = hasLineAbove ? lines[index - lineCount] : 0
        let corner = hasPixelBefore && hasLineAbove ? lines[index - lineCount - pixelCount] : 0
        lines.append(
          content[start + 1 + position]
            &+ filter.foretold(left: left, above: above, corner: corner))
      }
    }
    return lines
  }

  private func foretold(left: UInt8, above: UInt8, corner: UInt8) -> UInt8 {
    switch self {
    case .none: return 0
    case .left: return left
    case .above: return above
    case .average: return UInt8((Int(left) + Int(above)) / 2)
    case .nearest:
      let estimate = Int(left) + Int(above) - Int(corner)
      let fromLeft = abs(estimate - Int(left))
      let fromAbove = abs(estimate - Int(above))
      let fromCorner = abs(estimate - Int(corner))
      if fromLeft <= fromAbove, fromLeft <= fromCorner { return left }
      return fromAbove <= fromCorner ? above : corner
    }
  }
}
