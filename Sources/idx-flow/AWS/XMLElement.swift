import IDXBase

/// An element of a short XML document: its name, its text and its child elements.
///
/// It reads what AWS responds with, and nothing that can make a document grow or reach elsewhere: a document type,
/// entities of its own, CDATA, comments and processing instructions are refused. Attributes are skipped. No XML
/// library is used, because a program for a computer without Swift would need it too.
struct XMLElement: Hashable, Sendable {
  let name: String
  /// The text directly in the element, without that of its children.
  fileprivate(set) var text = ""
  fileprivate(set) var children: [XMLElement] = []

  /// The largest document in bytes, and the most elements within one another.
  static let maximumSize = 64 << 10
  static let maximumDepth = 16

  /// Reads a document; nil if it is anything else, or too large.
  init?(parsing bytes: [UInt8]) {
    guard bytes.count <= Self.maximumSize else { return nil }
    var reader = XMLReader(bytes: bytes)
    guard let root = reader.document() else { return nil }
    self = root
  }

  fileprivate init(named name: String) { self.name = name }

  /// The first child with a name; nil if there is none.
  subscript(name: String) -> XMLElement? { children.first { $0.name == name } }
}

private struct XMLReader {
  let bytes: [UInt8]
  var index = 0

  mutating func document() -> XMLElement? {
    _ = take("\u{FEFF}")
    skipSpace()
    if take("<?xml") {
      while index < bytes.count, bytes[index] != UInt8(ascii: ">") { index += 1 }
      guard index < bytes.count, bytes[index - 1] == UInt8(ascii: "?") else { return nil }
      index += 1
      skipSpace()
    }
    guard let root = element(depth: 1) else { return nil }
    skipSpace()
    return index == bytes.count ? root : nil
  }

  private mutating func element(depth: Int) -> XMLElement? {
    guard depth <= XMLElement.maximumDepth, take("<"), let name = name() else { return nil }
    var element = XMLElement(named: name)
    guard let isEmpty = endOfTag() else { return nil }
    if isEmpty { return element }
    var text: [UInt8] = []
    while index < bytes.count {
      if take("</") {
        guard self.name() == name else { return nil }
        skipSpace()
        guard take(">"), let text = String(validUTF8: text) else { return nil }
        element.text = text
        return element
      }
      switch bytes[index] {
      case UInt8(ascii: "<"):
        guard let child = self.element(depth: depth + 1) else { return nil }
        element.children.append(child)
      case UInt8(ascii: "&"):
        guard let character = reference() else { return nil }
        text += Array(String(character).utf8)
      default:
        text.append(bytes[index])
        index += 1
      }
    }
    return nil
  }

  /// Skips the attributes; returns whether the element ends with its tag, and nil if that cannot be read.
  private mutating func endOfTag() -> Bool? {
    while true {
      let hadSpace = skipSpace()
      if take("/>") { return true }
      if take(">") { return false }
      guard hadSpace, name() != nil, take("="), index < bytes.count else { return nil }
      let quote = bytes[index]
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
      index += 1
      while index < bytes.count, bytes[index] != quote {
        guard bytes[index] != UInt8(ascii: "<") else { return nil }
        index += 1
      }
      guard index < bytes.count else { return nil }
      index += 1
    }
  }

  private mutating func name() -> String? {
    let start = index
    while index < bytes.count, Self.isNameByte(bytes[index]) { index += 1 }
    guard start < index, !(0x2D...0x39).contains(bytes[start]) else { return nil }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// The character of `&lt;` or `&#60;`, for example.
  private mutating func reference() -> Unicode.Scalar? {
    let start = index + 1
    guard let end = bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: bytes[start..<end], as: UTF8.self)
    index = end + 1
    let named: [String: Unicode.Scalar] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]
    if let scalar = named[name] { return scalar }
    guard name.hasPrefix("#") else { return nil }
    let isHexadecimal = name.hasPrefix("#x")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    guard digits.first?.isHexDigit == true else { return nil }
    return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let start = index
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    return index > start
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[index...].starts(with: text.utf8) else { return false }
    index += text.utf8.count
    return true
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "_-.:".utf8.contains(byte)
  }
}
