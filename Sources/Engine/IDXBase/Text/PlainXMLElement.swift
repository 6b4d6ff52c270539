/// An element of an XML document: its name, its attributes, its text and its child elements.
///
/// It reads what AWS and the org respond with, and nothing that can make a document grow or reach elsewhere: a document
/// type, entities of its own, CDATA, comments and processing instructions are refused. Foundation has no such type on
/// every system without a further library.
package struct PlainXMLElement: Hashable, Sendable {
  /// The name as written, with its prefix.
  package let name: String
  /// The values of the attributes, by their names as written.
  package fileprivate(set) var attributes: [String: String] = [:]
  /// The text directly in the element, without that of its children.
  package fileprivate(set) var text = ""
  package fileprivate(set) var children: [PlainXMLElement] = []

  /// The largest document in bytes that is read by default, and the most elements within one another.
  package static let maximumSize = 64 << 10
  package static let maximumDepth = 16

  /// Reads a document; nil if it is anything else, or too large.
  package init?(parsing bytes: [UInt8], atMost size: Int = maximumSize) {
    guard bytes.count <= size else { return nil }
    var reader = XMLReader(bytes: bytes)
    guard let root = reader.document() else { return nil }
    self = root
  }

  fileprivate init(named name: String) { self.name = name }

  /// The name without its prefix.
  package var localName: Substring {
    name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name[...]
  }

  /// The first child with a name; nil if there is none.
  package subscript(name: String) -> PlainXMLElement? { children.first { $0.name == name } }

  /// The children with a name without its prefix, in order.
  package func children(withLocalName name: String) -> [PlainXMLElement] {
    children.filter { $0.localName == name }
  }
}

private struct XMLReader {
  let bytes: [UInt8]
  var index = 0

  mutating func document() -> PlainXMLElement? {
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

  private mutating func element(depth: Int) -> PlainXMLElement? {
    guard depth <= PlainXMLElement.maximumDepth, take("<"), let name = name() else { return nil }
    var element = PlainXMLElement(named: name)
    guard let isEmpty = endOfTag(&element.attributes) else { return nil }
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
      if bytes[index] == UInt8(ascii: "<") {
        guard let child = self.element(depth: depth + 1) else { return nil }
        element.children.append(child)
      } else if !readCharacter(into: &text) {
        return nil
      }
    }
    return nil
  }

  /// Reads a byte or a reference; returns whether that was possible.
  private mutating func readCharacter(into text: inout [UInt8]) -> Bool {
    guard bytes[index] == UInt8(ascii: "&") else {
      text.append(bytes[index])
      index += 1
      return true
    }
    guard let character = reference() else { return false }
    text += String(character).utf8
    return true
  }

  /// Reads the attributes; returns whether the element ends with its tag, and nil if that cannot be read.
  private mutating func endOfTag(_ attributes: inout [String: String]) -> Bool? {
    while true {
      let hadSpace = skipSpace()
      if take("/>") { return true }
      if take(">") { return false }
      guard hadSpace, let name = name(), attributes[name] == nil, take("="), let value = quoted()
      else { return nil }
      attributes[name] = value
    }
  }

  private mutating func quoted() -> String? {
    guard index < bytes.count else { return nil }
    let quote = bytes[index]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    index += 1
    var text: [UInt8] = []
    while index < bytes.count, bytes[index] != quote {
      guard bytes[index] != UInt8(ascii: "<"), readCharacter(into: &text) else { return nil }
    }
    guard index < bytes.count else { return nil }
    index += 1
    return String(validUTF8: text)
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
