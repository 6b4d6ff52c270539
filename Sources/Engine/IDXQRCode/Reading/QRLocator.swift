/// Locates a code in an image.
///
/// The code must be upright and the only dark thing in the image. So it extends from the first dark
/// column to the last, and from the first dark row to the last. Its version is the one whose finder and
/// timing patterns match best.
struct QRLocator {
  private let bitmap: Bitmap
  private let columns: Range<Double>
  private let rows: Range<Double>

  /// The version and the modules of the code, row by row; true means dark.
  static func modules(
    in bitmap: Bitmap
  ) throws(QRCode.ReadError) -> (version: QRVersion, modules: [Bool]) {
    guard let (locator, version) = QRLocator(bitmap)?.bestMatch else {
      throw .noCode
    }
    let side = 0..<version.size
    let modules = side.flatMap { y in side.map { x in locator.isDark(x: x, y: y, of: version) } }
    return (version, modules)
  }

  private init?(_ bitmap: Bitmap) {
    var darkestInColumn = Array(repeating: UInt8.max, count: bitmap.width)
    var darkestInRow = Array(repeating: UInt8.max, count: bitmap.height)
    var index = 0
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width {
        let value = bitmap.grayValues[index]
        if value < darkestInColumn[x] { darkestInColumn[x] = value }
        if value < darkestInRow[y] { darkestInRow[y] = value }
        index += 1
      }
    }
    guard let columns = Self.span(of: darkestInColumn, threshold: bitmap.threshold),
      let rows = Self.span(of: darkestInRow, threshold: bitmap.threshold)
    else { return nil }
    self.init(bitmap: bitmap, columns: columns, rows: rows)
  }

  private init(bitmap: Bitmap, columns: Range<Double>, rows: Range<Double>) {
    self.bitmap = bitmap
    self.columns = columns
    self.rows = rows
  }

  /// The range from the first dark value to the last.
  ///
  /// In a scaled image, the edges may lie inside a pixel.
  private static func span(of values: [UInt8], threshold: Double) -> Range<Double>? {
    guard let first = values.firstIndex(where: { Double($0) < threshold }),
      let last = values.lastIndex(where: { Double($0) < threshold })
    else { return nil }
    // The position of the edge between the middle of the light pixel (0) and of the dark pixel (1).
    func edge(light: UInt8, dark: UInt8) -> Double {
      (Double(light) - threshold) / (Double(light) - Double(dark))
    }
    let before = first > 0 ? edge(light: values[first - 1], dark: values[first]) - 0.5 : 0
    let after =
      last + 1 < values.count ? edge(light: values[last + 1], dark: values[last]) - 0.5 : 0
    return Double(first) + before..<Double(last + 1) - after
  }

  /// The version and the position that match best; nil if none matches.
  private var bestMatch: (locator: QRLocator, version: QRVersion)? {
    let side = min(columns.length, rows.length)
    guard max(columns.length, rows.length) < side * 1.1 else { return nil }
    var best: (locator: QRLocator, version: QRVersion)?
    var lowest = 0.2
    for locator in [self] + shifted where lowest > 0 {
      for version in QRVersion.numbers.lazy.map(QRVersion.init)
      where Double(version.size) < side + 1 {
        let errorRate = locator.errorRate(of: version)
        if errorRate < lowest { (best, lowest) = ((locator, version), errorRate) }
      }
    }
    return best
  }

  /// The same position, shifted by half a pixel in each direction.
  ///
  /// Programs that scale an image without smoothing start in the middle of a pixel or at its edge.
  private var shifted: [QRLocator] {
    let distances = [-0.5, 0, 0.5]
    return distances.flatMap { x in
      distances.map { y in
        QRLocator(bitmap: bitmap, columns: columns.shifted(by: x), rows: rows.shifted(by: y))
      }
    }
  }

  /// The share of wrong modules in the finder and timing patterns, 0 to 1.
  private func errorRate(of version: QRVersion) -> Double {
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

  /// The pixel in the middle of a module, if the range is divided into `size` modules.
  fileprivate func pixel(ofModule module: Int, size: Int) -> Int {
    Int((lowerBound + (Double(module) + 0.5) * length / Double(size)).rounded(.down))
  }
}

/// A grayscale image and the threshold below which a pixel is dark.
struct Bitmap {
  let width: Int
  let height: Int
  /// Row by row, from 0 for black to 255 for white.
  let grayValues: [UInt8]
  /// Halfway between the darkest and the lightest pixel, because not all codes are black on white.
  let threshold: Double

  /// Creates a bitmap; nil if all pixels have similar values.
  init?(width: Int, height: Int, grayValues: [UInt8]) {
    guard width > 0, height > 0, grayValues.count == width * height,
      let darkest = grayValues.min(), let lightest = grayValues.max(), lightest - darkest >= 32
    else { return nil }
    self.width = width
    self.height = height
    self.grayValues = grayValues
    threshold = (Double(darkest) + Double(lightest)) / 2
  }

  /// Whether a pixel is dark; false outside the image.
  subscript(x x: Int, y y: Int) -> Bool {
    guard x >= 0, x < width, y >= 0, y < height else { return false }
    return Double(grayValues[y * width + x]) < threshold
  }
}
