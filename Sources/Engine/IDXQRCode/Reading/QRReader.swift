import IDXBase

extension QRCode {
  /// Reads the text of a code from a PNG file.
  ///
  /// The image must come from a program: the code is upright, dark on light, and the only dark thing in
  /// the image. It may have any version and any scale. Interlaced files, and images with a side of more
  /// than 2048 pixels, are refused.
  package static func read(png file: [UInt8]) throws(ReadError) -> String {
    let image = try PNGImage(file)
    let grayValues = try image.grayValues()
    guard
      let bitmap = Bitmap(
        width: image.header.width, height: image.header.height, grayValues: grayValues)
    else { throw .noCode }
    let (version, modules) = try QRLocator.modules(in: bitmap)
    return try QRReader(version: version, modules: modules).text()
  }

  /// Why no text could be read from an image.
  ///
  /// It quotes nothing of the content.
  package struct ReadError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    static let notPNG = Self(description: "The image is not a PNG.")
    static let truncatedImage = Self(description: "The image is incomplete.")
    static let damagedImage = Self(description: "The image is damaged.")
    static let tooLarge = Self(description: "The image is too large.")
    static let unsupportedImage = Self(
      description: "The image is a PNG of a kind that is not supported, such as interlaced.")
    static let noCode = Self(description: "The image contains no QR code.")
    static let damagedCode = Self(description: "Too much of the QR code is damaged.")
    static let unsupportedCode = Self(
      description: "The QR code contains something other than text, or only a part of a text.")
  }
}

/// Reads the text of a code from its modules.
struct QRReader {
  private let version: QRVersion
  /// Row by row, as many as the version has; true means dark.
  private let modules: [Bool]

  init(version: QRVersion, modules: [Bool]) {
    self.version = version
    self.modules = modules
  }

  func text() throws(QRCode.ReadError) -> String {
    let (correction, mask) = try format()
    let layout = version.blocks(at: correction)
    let code = ReedSolomon(correctionCount: layout.correctionPerBlock)
    var data: [UInt8] = []
    for (count, block) in zip(layout.dataCounts, layout.blocks(of: codewords(under: mask))) {
      guard let corrected = code.corrected(block) else { throw .damagedCode }
      data += corrected.prefix(count)
    }
    return try SegmentDecoder(data, version: version).text()
  }

  /// The format information; one of its two copies may have up to three wrong bits.
  private func format() throws(QRCode.ReadError) -> (QRCode.Correction, Mask) {
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
    throw .damagedCode
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

/// Decodes the data codewords of a code: segments of digits, alphanumeric characters or bytes.
///
/// Source: ISO/IEC 18004:2015, section 7.4.
struct SegmentDecoder {
  private static let alphanumerics = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

  private let codewords: [UInt8]
  private let version: QRVersion
  private var position = 0

  init(_ codewords: [UInt8], version: QRVersion) {
    self.codewords = codewords
    self.version = version
  }

  /// The text of all segments: UTF-8, or Latin-1 if it is not valid UTF-8.
  ///
  /// A declared character set is ignored, because many codes declare a wrong one or none.
  consuming func text() throws(QRCode.ReadError) -> String {
    var bytes: [UInt8] = []
    while codewords.count * 8 - position >= 4 {
      switch try take(4) {
      case 0b0000: return Self.text(of: bytes)
      case 0b0001: try takeDigits(into: &bytes)
      case 0b0010: try takeAlphanumerics(into: &bytes)
      case 0b0100: try takeBytes(into: &bytes)
      case 0b0111: try skipCharacterSet()
      default: throw .unsupportedCode
      }
    }
    return Self.text(of: bytes)
  }

  private static func text(of bytes: [UInt8]) -> String {
    String(validUTF8: bytes)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private mutating func takeDigits(into bytes: inout [UInt8]) throws(QRCode.ReadError) {
    var rest = try take(countWidth(10, 12, 14))
    while rest > 0 {
      let count = min(rest, 3)
      let digits = String(try take(3 * count + 1)).utf8
      guard digits.count <= count else { throw .damagedCode }
      bytes += Array(repeating: UInt8(ascii: "0"), count: count - digits.count) + digits
      rest -= count
    }
  }

  private mutating func takeAlphanumerics(into bytes: inout [UInt8]) throws(QRCode.ReadError) {
    var rest = try take(countWidth(9, 11, 13))
    let base = Self.alphanumerics.count
    while rest > 0 {
      let isPair = rest > 1
      let value = try take(isPair ? 11 : 6)
      guard value < (isPair ? base * base : base) else { throw .damagedCode }
      if isPair { bytes.append(Self.alphanumerics[value / base]) }
      bytes.append(Self.alphanumerics[value % base])
      rest -= isPair ? 2 : 1
    }
  }

  private mutating func takeBytes(into bytes: inout [UInt8]) throws(QRCode.ReadError) {
    for _ in 0..<(try take(version.byteCountWidth)) { bytes.append(UInt8(try take(8))) }
  }

  /// Skips the number of a character set, which has one more byte for each leading 1 of its first byte.
  private mutating func skipCharacterSet() throws(QRCode.ReadError) {
    let ones = (~UInt8(try take(8))).leadingZeroBitCount
    guard ones <= 2 else { throw .damagedCode }
    _ = try take(8 * ones)
  }

  /// The width of a length in bits, which depends on the version.
  private func countWidth(_ small: Int, _ medium: Int, _ large: Int) -> Int {
    version.number < 10 ? small : version.number < 27 ? medium : large
  }

  private mutating func take(_ width: Int) throws(QRCode.ReadError) -> Int {
    guard width <= codewords.count * 8 - position else { throw .damagedCode }
    var value = 0
    for bit in position..<position + width {
      value = value << 1 | Int(codewords[bit / 8] >> (7 - bit % 8) & 1)
    }
    position += width
    return value
  }
}
