extension QRCode {
  /// Reads the text of a code from a PNG file.
  ///
  /// It is for codes that a program drew: upright, dark on light, of any version, scaled or not,
  /// with nothing dark beside them. Interlaced files and sides of more than 2048 pixels are refused.
  package static func read(png file: [UInt8]) throws(Unreadable) -> String {
    let image = try PNGImage(file)
    let shades = try image.shades()
    guard
      let bitmap = Bitmap(width: image.header.width, height: image.header.height, shades: shades)
    else { throw .nothingFound }
    let (version, modules) = try QRFinder.modules(in: bitmap)
    return try QRReader(version: version, modules: modules).text()
  }
}

/// Reads what the modules of a code say.
struct QRReader {
  private let version: QRVersion
  /// Row by row, true for dark, as many as the version has.
  private let modules: [Bool]

  init(version: QRVersion, modules: [Bool]) {
    self.version = version
    self.modules = modules
  }

  func text() throws(QRCode.Unreadable) -> String {
    let (correction, mask) = try format()
    let layout = version.blocks(at: correction)
    let code = ReedSolomon(correctionCount: layout.correctionPerBlock)
    var data: [UInt8] = []
    for (count, block) in zip(layout.dataCounts, layout.blocks(of: codewords(under: mask))) {
      guard let corrected = code.corrected(block) else { throw .codeIsDamaged }
      data += corrected.prefix(count)
    }
    return try Segments(data, version: version).text()
  }

  /// The format that is nearest to one of its two copies: three bits of one may be wrong.
  private func format() throws(QRCode.Unreadable) -> (QRCode.Correction, Mask) {
    let copies = QRMatrix.formatPlaces(size: version.size).map { places in
      places.enumerated().reduce(0) { value, place in
        let isDark = modules[place.element.y * version.size + place.element.x]
        return value | (isDark ? 1 << place.offset : 0)
      }
    }
    for distance in 0...3 {
      for correction in QRCode.Correction.allCases {
        for mask in Mask.allCases {
          let format = InformationBits.format(correction: correction, mask: mask)
          if copies.contains(where: { ($0 ^ format).nonzeroBitCount == distance }) {
            return (correction, mask)
          }
        }
      }
    }
    throw .codeIsDamaged
  }

  private func codewords(under mask: Mask) -> [UInt8] {
    let size = version.size
    let places = QRMatrix(version: version, codewords: []).dataPlaces
    var bits = BitBuffer(capacity: version.codewordCount)
    for place in places.prefix(version.codewordCount * 8) {
      let isDark = modules[place] != mask.flips(x: place % size, y: place / size)
      bits.append(isDark ? 1 : 0, width: 1)
    }
    return bits.bytes
  }
}
