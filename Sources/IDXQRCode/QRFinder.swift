/// Finds a code in a picture: one that is upright, and the only dark thing there.
///
/// Such a code reaches from the first dark column to the last, and from the first dark row to the
/// last, so that only its version is left to find: that whose finders and timing fit best.
struct QRFinder {
  private let bitmap: Bitmap
  private let columns: Range<Double>
  private let rows: Range<Double>

  /// The version and the modules of the code, row by row, true for dark.
  static func modules(
    in bitmap: Bitmap
  ) throws(QRCode.Unreadable) -> (version: QRVersion, modules: [Bool]) {
    guard let found = QRFinder(bitmap), let (finder, version) = found.best else {
      throw .nothingFound
    }
    let side = 0..<version.size
    let modules = side.flatMap { y in side.map { x in finder.isDark(x: x, y: y, of: version) } }
    return (version, modules)
  }

  private init?(_ bitmap: Bitmap) {
    var darkestOfColumns = Array(repeating: UInt8.max, count: bitmap.width)
    var darkestOfRows = Array(repeating: UInt8.max, count: bitmap.height)
    var index = 0
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width {
        let shade = bitmap.shades[index]
        if shade < darkestOfColumns[x] { darkestOfColumns[x] = shade }
        if shade < darkestOfRows[y] { darkestOfRows[y] = shade }
        index += 1
      }
    }
    guard let columns = Self.span(of: darkestOfColumns, threshold: bitmap.threshold),
      let rows = Self.span(of: darkestOfRows, threshold: bitmap.threshold)
    else { return nil }
    self.init(bitmap: bitmap, columns: columns, rows: rows)
  }

  private init(bitmap: Bitmap, columns: Range<Double>, rows: Range<Double>) {
    self.bitmap = bitmap
    self.columns = columns
    self.rows = rows
  }

  /// From where to where shades are dark; a picture that was scaled has edges inside a pixel.
  private static func span(of shades: [UInt8], threshold: Double) -> Range<Double>? {
    guard let first = shades.firstIndex(where: { Double($0) < threshold }),
      let last = shades.lastIndex(where: { Double($0) < threshold })
    else { return nil }
    // Between the middles of the last light pixel and the first dark one.
    func part(light: UInt8, dark: UInt8) -> Double {
      (Double(light) - threshold) / (Double(light) - Double(dark))
    }
    let before = first > 0 ? part(light: shades[first - 1], dark: shades[first]) - 0.5 : 0
    let after =
      last + 1 < shades.count ? part(light: shades[last + 1], dark: shades[last]) - 0.5 : 0
    return Double(first) + before..<Double(last + 1) - after
  }

  /// The version that fits best, and how it lies; nil where none does.
  private var best: (finder: QRFinder, version: QRVersion)? {
    let side = min(columns.length, rows.length)
    guard max(columns.length, rows.length) < side * 1.1 else { return nil }
    var best: (finder: QRFinder, version: QRVersion)?
    var least = 0.2
    for finder in [self] + shifted where least > 0 {
      for version in QRVersion.numbers.lazy.map(QRVersion.init)
      where Double(version.size) < side + 1 {
        let misfit = finder.misfit(of: version)
        if misfit < least { (best, least) = ((finder, version), misfit) }
      }
    }
    return best
  }

  /// The same half a pixel off each way, since programs that scale a picture without softening it
  /// start either in the middle of a pixel or at its edge.
  private var shifted: [QRFinder] {
    let ways = [-0.5, 0, 0.5]
    return ways.flatMap { x in
      ways.map { y in
        QRFinder(bitmap: bitmap, columns: columns.shifted(by: x), rows: rows.shifted(by: y))
      }
    }
  }

  /// The share of the modules of finders and timing that are not as they should be.
  private func misfit(of version: QRVersion) -> Double {
    let size = version.size
    var wrong = 0
    for y in 0..<7 {
      for x in 0..<7 {
        let isLight = max(abs(x - 3), abs(y - 3)) == 2
        for (left, top) in [(0, 0), (size - 7, 0), (0, size - 7)]
        where isDark(x: left + x, y: top + y, of: version) == isLight { wrong += 1 }
      }
    }
    for position in 8..<size - 8 {
      let isLight = position % 2 == 1
      if isDark(x: position, y: 6, of: version) == isLight { wrong += 1 }
      if isDark(x: 6, y: position, of: version) == isLight { wrong += 1 }
    }
    return Double(wrong) / Double(3 * 7 * 7 + 2 * (size - 16))
  }

  private func isDark(x: Int, y: Int, of version: QRVersion) -> Bool {
    bitmap[
      x: columns.pixel(ofModule: x, size: version.size),
      y: rows.pixel(ofModule: y, size: version.size)]
  }
}

extension Range<Double> {
  fileprivate var length: Double { upperBound - lowerBound }

  fileprivate func shifted(by distance: Double) -> Self {
    lowerBound + distance..<upperBound + distance
  }

  /// The pixel in the middle of a module, of as many as the range is divided into.
  fileprivate func pixel(ofModule module: Int, size: Int) -> Int {
    Int((lowerBound + (Double(module) + 0.5) * length / Double(size)).rounded(.down))
  }
}
