/// Reads the data codewords of a code: stretches of digits, of capitals, or of bytes.
///
/// Source: ISO/IEC 18004:2015, section 7.4.
struct Segments {
  private static let capitals = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

  private let codewords: [UInt8]
  private let version: QRVersion
  private var position = 0

  init(_ codewords: [UInt8], version: QRVersion) {
    self.codewords = codewords
    self.version = version
  }

  /// All stretches as one text: UTF-8, or Latin-1 where it is not that.
  ///
  /// What a code states about its characters is passed over, since many state it wrongly or not.
  consuming func text() throws(QRCode.Unreadable) -> String {
    var bytes: [UInt8] = []
    while codewords.count * 8 - position >= 4 {
      switch try take(4) {
      case 0b0000: return Self.text(of: bytes)
      case 0b0001: try takeDigits(into: &bytes)
      case 0b0010: try takeCapitals(into: &bytes)
      case 0b0100: try takeBytes(into: &bytes)
      case 0b0111: try passOverCharacterSet()
      default: throw .codeIsOfAnUnknownKind
      }
    }
    return Self.text(of: bytes)
  }

  private static func text(of bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.utf8.elementsEqual(bytes) { return text }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private mutating func takeDigits(into bytes: inout [UInt8]) throws(QRCode.Unreadable) {
    var rest = try take(countWidth(10, 12, 14))
    while rest > 0 {
      let count = min(rest, 3)
      let digits = String(try take(3 * count + 1)).utf8
      guard digits.count <= count else { throw .codeIsDamaged }
      bytes += Array(repeating: UInt8(ascii: "0"), count: count - digits.count) + digits
      rest -= count
    }
  }

  private mutating func takeCapitals(into bytes: inout [UInt8]) throws(QRCode.Unreadable) {
    var rest = try take(countWidth(9, 11, 13))
    let base = Self.capitals.count
    while rest > 0 {
      let isPair = rest > 1
      let value = try take(isPair ? 11 : 6)
      guard value < (isPair ? base * base : base) else { throw .codeIsDamaged }
      if isPair { bytes.append(Self.capitals[value / base]) }
      bytes.append(Self.capitals[value % base])
      rest -= isPair ? 2 : 1
    }
  }

  private mutating func takeBytes(into bytes: inout [UInt8]) throws(QRCode.Unreadable) {
    for _ in 0..<(try take(version.byteCountWidth)) { bytes.append(UInt8(try take(8))) }
  }

  /// The number of a character set has as many bytes more as its first byte has leading ones.
  private mutating func passOverCharacterSet() throws(QRCode.Unreadable) {
    let ones = (~UInt8(try take(8))).leadingZeroBitCount
    guard ones <= 2 else { throw .codeIsDamaged }
    _ = try take(8 * ones)
  }

  /// The bits of a length, which grow with the version.
  private func countWidth(_ small: Int, _ medium: Int, _ large: Int) -> Int {
    version.number < 10 ? small : version.number < 27 ? medium : large
  }

  private mutating func take(_ width: Int) throws(QRCode.Unreadable) -> Int {
    guard width <= codewords.count * 8 - position else { throw .codeIsDamaged }
    var value = 0
    for bit in position..<position + width {
      value = value << 1 | Int(codewords[bit / 8] >> (7 - bit % 8) & 1)
    }
    position += width
    return value
  }
}
