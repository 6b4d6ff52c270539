/// The modules of a code while it is created: first the fixed patterns, then the data, then a mask.
struct QRMatrix {
  let size: Int
  /// Row by row; true means dark.
  private(set) var modules: [Bool]
  /// The modules that contain no data and are not masked.
  private(set) var isReserved: [Bool]

  /// Draws the patterns and the data, without a mask.
  init(version: QRVersion, codewords: [UInt8]) {
    size = version.size
    modules = Array(repeating: false, count: size * size)
    isReserved = modules

    drawTiming()
    drawFinders()
    drawAlignment(centers: version.alignmentCenters)
    drawFormat(0)
    if version.hasVersionInformation {
      drawVersion(InformationBits.version(version.number))
    }
    place(codewords)
  }

  /// Applies a mask and draws the format information.
  ///
  /// If `mask` is nil, the mask with the lowest penalty is used, the first of several.
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

  /// The three finder patterns with their light separators.
  private mutating func drawFinders() {
    for (centerX, centerY) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      for y in max(0, centerY - 4)...min(size - 1, centerY + 4) {
        for x in max(0, centerX - 4)...min(size - 1, centerX + 4) {
          let ring = max(abs(x - centerX), abs(y - centerY))
          reserve(x: x, y: y, dark: ring != 2 && ring != 4)
        }
      }
    }
  }

  private mutating func drawAlignment(centers: [Int]) {
    guard let first = centers.first, let last = centers.last else { return }
    for centerY in centers {
      for centerX in centers {
        let isInFinder =
          (centerX == first && centerY == first) || (centerX == first && centerY == last)
          || (centerX == last && centerY == first)
        if isInFinder { continue }
        for y in centerY - 2...centerY + 2 {
          for x in centerX - 2...centerX + 2 {
            reserve(x: x, y: y, dark: max(abs(x - centerX), abs(y - centerY)) != 1)
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

  /// The places of the two copies of the format information, the lowest bit first.
  ///
  /// One copy is around the first finder pattern, the other is split between the other two.
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
  /// The modules for data, in the order in which data fills them.
  ///
  /// Data fills columns of two modules from right to left, alternating upwards and downwards. The
  /// timing column is skipped.
  var dataPlaces: [Int] {
    var places: [Int] = []
    var upwards = true
    for pair in 0..<size / 2 {
      let right = pair < size / 2 - 3 ? size - 1 - 2 * pair : size - 2 - 2 * pair
      for step in 0..<size {
        let y = upwards ? size - 1 - step : step
        let place = y * size + right
        if !isReserved[place] { places.append(place) }
        if !isReserved[place - 1] { places.append(place - 1) }
      }
      upwards.toggle()
    }
    return places
  }

  /// Fills the modules for data; those that remain stay light.
  private mutating func place(_ codewords: [UInt8]) {
    let places = dataPlaces
    var bit = 0
    while bit < codewords.count * 8, bit < places.count {
      modules[places[bit]] = (codewords[bit / 8] >> (7 - bit % 8)) & 1 == 1
      bit += 1
    }
  }
}

// MARK: - Penalty

extension QRMatrix {
  /// How difficult the modules are to read, by the four rules of the standard; less is better.
  ///
  /// Source: ISO/IEC 18004:2015, table 11.
  var penalty: Int {
    var result = 0
    for index in 0..<size {
      result += linePenalty(from: index * size, by: 1)
      result += linePenalty(from: index, by: size)
    }
    return result + squarePenalty + balancePenalty
  }

  /// The penalty of one row or column: for runs of five or more equal modules, and for the ratio of a
  /// finder pattern (1:1:3:1:1) with four light modules before or after it.
  private func linePenalty(from start: Int, by step: Int) -> Int {
    var result = 0
    var run = 0
    var previous = false
    var window = 0
    for position in 0..<size {
      let dark = modules[start + position * step]
      run = dark == previous && position > 0 ? run + 1 : 1
      previous = dark
      if run == 5 { result += 3 } else if run > 5 { result += 1 }

      window = (window << 1 | (dark ? 1 : 0)) & 0b111_1111_1111
      if position >= 10, window == 0b101_1101_0000 || window == 0b000_0101_1101 { result += 40 }
    }
    return result
  }

  /// The penalty for each square of two by two equal modules; squares may overlap.
  private var squarePenalty: Int {
    var result = 0
    for y in 1..<size {
      for x in 1..<size {
        let index = y * size + x
        let dark = modules[index]
        if modules[index - 1] == dark, modules[index - size] == dark,
          modules[index - size - 1] == dark
        {
          result += 3
        }
      }
    }
    return result
  }

  /// The penalty for an uneven share of dark modules: 10 for each whole 5 % away from 50 %.
  private var balancePenalty: Int {
    let dark = modules.lazy.filter { $0 }.count
    return abs(dark * 20 - modules.count * 10) / modules.count * 10
  }
}

// MARK: - Masks, format and version

/// A pattern that inverts some modules of the data, so that there are no large areas of one color.
///
/// Source: ISO/IEC 18004:2015, table 10.
enum Mask: Int, CaseIterable {
  case checkerboard
  case rows
  case columns
  case diagonals
  case blocks
  case crosses
  case meshes
  case lattices

  /// Whether the mask inverts the module in column `x` and row `y`.
  func flips(x: Int, y: Int) -> Bool {
    switch self {
    case .checkerboard: (x + y) % 2 == 0
    case .rows: y % 2 == 0
    case .columns: x % 3 == 0
    case .diagonals: (x + y) % 3 == 0
    case .blocks: (x / 3 + y / 2) % 2 == 0
    case .crosses: x * y % 2 + x * y % 3 == 0
    case .meshes: (x * y % 2 + x * y % 3) % 2 == 0
    case .lattices: ((x + y) % 2 + x * y % 3) % 2 == 0
    }
  }
}

/// The format information and the version information of a code, with their BCH codes.
enum InformationBits {
  /// The 15 bits of format information: the error correction and the mask.
  static func format(correction: QRCode.Correction, mask: Mask) -> Int {
    let level =
      switch correction {
      case .low: 0b01
      case .medium: 0b00
      case .quartile: 0b11
      case .high: 0b10
      }
    return coded(level << 3 | mask.rawValue, generator: 0b101_0011_0111, degree: 10)
      ^ 0b101_0100_0001_0010
  }

  /// The 18 bits of version information, for versions from 7.
  static func version(_ number: Int) -> Int {
    coded(number, generator: 0b1_1111_0010_0101, degree: 12)
  }

  /// A value, followed by the remainder of its division by a generator polynomial of a degree.
  private static func coded(_ value: Int, generator: Int, degree: Int) -> Int {
    let shifted = value << degree
    var remainder = shifted
    while remainder >> degree != 0 {
      let excess = Int.bitWidth - remainder.leadingZeroBitCount - 1 - degree
      remainder ^= generator << excess
    }
    return shifted | remainder
  }
}
