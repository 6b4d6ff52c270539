/// A PNG file taken apart: its header, its colours and its lines of pixels without filters.
///
/// Every kind is read but the interlaced one. Source: W3C Portable Network Graphics.
struct PNGImage {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  let header: PNGHeader
  /// Red, green and blue of each colour in turn; empty where there is no palette.
  private(set) var palette: [UInt8] = []
  /// The opacity of the palette's colours, or the samples that are transparent; mostly empty.
  private(set) var transparency: [UInt8] = []
  /// The lines of pixels.
  private(set) var lines: [UInt8] = []

  init(_ file: [UInt8]) throws(QRCode.Unreadable) {
    guard file.starts(with: Self.signature) else { throw .imageIsNotPNG }
    var rest = file.dropFirst(Self.signature.count)
    let first = try Self.takeChunk(from: &rest)
    guard first.name == "IHDR" else { throw .imageIsDamaged }
    header = try PNGHeader(first.content)

    var packed: [UInt8] = []
    var isAtEnd = false
    while !isAtEnd {
      let (name, content) = try Self.takeChunk(from: &rest)
      switch name {
      case "PLTE": palette = Array(content)
      case "tRNS": transparency = Array(content)
      case "IDAT": packed += content
      case "IEND": isAtEnd = true
      // A name that starts with a capital is of a chunk that an image cannot be read without.
      default: if name.first?.isUppercase != false { throw .imageIsOfAnUnknownKind }
      }
    }
    let content = try Inflate.content(ofZlib: packed, limit: header.contentCount)
    guard content.count == header.contentCount else { throw .imageIsCutShort }
    lines = try PNGFilter.unfiltered(
      content, lineCount: header.lineCount, pixelCount: header.pixelCount)
  }

  /// Takes a chunk off, its checksum checked.
  private static func takeChunk(
    from file: inout ArraySlice<UInt8>
  ) throws(QRCode.Unreadable) -> (name: String, content: ArraySlice<UInt8>) {
    let count = try takeNumber(from: &file)
    guard count <= file.count - 4 else { throw .imageIsCutShort }
    let checked = file.prefix(4 + count)
    file = file.dropFirst(4 + count)
    guard try takeNumber(from: &file) == Int(Checksum.crc32(Array(checked))) else {
      throw .imageIsDamaged
    }
    return (String(decoding: checked.prefix(4), as: UTF8.self), checked.dropFirst(4))
  }

  private static func takeNumber(
    from file: inout ArraySlice<UInt8>
  ) throws(QRCode.Unreadable) -> Int {
    guard file.count >= 4 else { throw .imageIsCutShort }
    defer { file = file.dropFirst(4) }
    return file.prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }
}
