/// The modules of a code while it is drawn: the fixed patterns first, then data, then a mask.
struct QRMatrix {
  let size: Int
  /// Row by row, true for dark.
  private(set) var modules: [Bool]
  /// The modules that carry no data and that no mask touches.
  private(set) var isReserved: [Bool]

  /// Draws all that does not depend on a mask.
  init(version: QRVersion, codewords: [UInt8]) {
    size = version.size
    modules = Array(repeating: false, count: size * size)
    isReserved = modules

    drawTiming()
    drawFinders()
    drawAlignment(centres: version.alignmentCentres)
    drawFormat(0)
    if version.hasVersionInformation {
      drawVersion(InformationBits.version(version.number))
    }
    place(codewords)
  }

  /// The matrix under a mask and with the format that names it: the mask given, or else the one
  /// with the lowest penalty, the first of several.
  func masked(by mask: Mask?, correction: QRCode.Correction) -> (matrix: QRMatrix, mask: Mask) {
    if let mask { return (applying(mask, correction: correction), mask) }
    var best = (matrix: applying(.checkerboard, correction: correction), mask: Mask.checkerboard)
    var lowest = best.matrix.penalty
    for mask in Mask.allCases.dropFirst() {
      let candidate = applying(mask, correction: correction)
      let penalty = candidate.penalty
      if penalty < lowest {
        best = (candidate, mask)
        lowest = penalty
      }
    }
    return best
  }

  private func applying(_ mask: Mask, correction: QRCode.Correction) -> QRMatrix {
    var result = self
    for y in 0..<size {
      for x in 0..<size where mask.flips(x: x, y: y) && !isReserved[y * size + x] {
        result.modules[y * size + x].toggle()
      }
    }
    result.drawFormat(InformationBits.format(correction: correction, mask: mask))
    return result
  }
}

// MARK: - Fixed patterns

extension QRMatrix {
  private mutating func reserve(x: Int, y: Int, dark: Bool) {
    modules[y * size + x] = dark
    isReserved[y * size + x] = true
  }

  private mutating func drawTiming() {
    for position in 0..<size {
      reserve(x: position, y: 6, dark: position % 2 == 0)
      reserve(x: 6, y: position, dark: position % 2 == 0)
    }
  }

  /// The three finders with the light border that parts them from the data.
  private mutating func drawFinders() {
    for (centreX, centreY) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      for y in max(0, centreY - 4)...min(size - 1, centreY + 4) {
        for x in max(0, centreX - 4)...min(size - 1, centreX + 4) {
          let ring = max(abs(x - centreX), abs(y - centreY))
          reserve(x: x, y: y, dark: ring != 2 && ring != 4)
        }
      }
    }
  }

  private mutating func drawAlignment(centres: [Int]) {
    guard let first = centres.first, let last = centres.last else { return }
    for centreY in centres {
      for centreX in centres {
        let isInFinder =
          (centreX == first && centreY == first) || (centreX == first && centreY == last)
          || (centreX == last && centreY == first)
        if isInFinder { continue }
        for y in centreY - 2...centreY + 2 {
          for x in centreX - 2...centreX + 2 {
            reserve(x: x, y: y, dark: max(abs(x - centreX), abs(y - centreY)) != 1)
          }
        }
      }
    }
  }

  private mutating func drawFormat(_ format: Int) {
    for places in Self.formatPlaces(size: size) {
      for (bit, place) in places.enumerated() {
        reserve(x: place.x, y: place.y, dark: (format >> bit) & 1 == 1)
      }
    }
    reserve(x: 8, y: size - 8, dark: true)
  }

  /// Where the format's bits are, the lowest first: it stands twice, round the first finder, and
  /// split between the other two.
  static func formatPlaces(size: Int) -> [[(x: Int, y: Int)]] {
    let whole = (0..<15).map { bit in
      switch bit {
      case 0...5: (x: 8, y: bit)
      case 6, 7: (x: 8, y: bit + 1)
      case 8: (x: 7, y: 8)
      default: (x: 14 - bit, y: 8)
      }
    }
    let split = (0..<15).map { bit in
      bit < 8 ? (x: size - 1 - bit, y: 8) : (x: 8, y: size - 15 + bit)
    }
    return [whole, split]
  }

  private mutating func drawVersion(_ version: Int) {
    for bit in 0..<18 {
      let dark = (version >> bit) & 1 == 1
      let near = bit / 3
      let far = size - 11 + bit % 3
      reserve(x: far, y: near, dark: dark)
      reserve(x: near, y: far, dark: dark)
    }
  }
}

// MARK: - Data

extension QRMatrix {
  /// The modules that are free for data, in the order in which it fills them: in columns two modules
  /// wide, from the right, upwards and downwards in turn.
  ///
  /// The timing column is no part of any pair.
  var dataPlaces: [Int] {
    var places: [Int] = []
    var upwards = true
    for pair in 0..<size / 2 {
      let right = pair < size / 2 - 3 ? size - 1 - 2 * pair : size - 2 - 2 * pair
      for step in 0..<size {
        let y = upwards ? size - 1 - step : step
        for x in [right, right - 1] where !isReserved[y * size + x] { places.append(y * size + x) }
      }
      upwards.toggle()
    }
    return places
  }

  /// Fills the free modules; what is left over stays light.
  private mutating func place(_ codewords: [UInt8]) {
    for (bit, place) in zip(0..<codewords.count * 8, dataPlaces) {
      modules[place] = (codewords[bit / 8] >> (7 - bit % 8)) & 1 == 1
    }
  }
}
