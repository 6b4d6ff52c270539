import IDXBase

/// A form of a page, with its fields in order.
struct HTMLForm: Hashable {
  /// Empty if the form has none.
  var action = ""
  /// Empty if the form has none.
  var method = ""
  var fields: [Field] = []

  struct Field: Hashable {
    let name: String
    let value: String
  }

  /// The value of the first field with a name; nil if there is none.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Finds the forms of a page in one pass, as a browser does: with attributes in any order and in any quotes, and not in
/// comments or scripts.
///
/// Only what a form that posts itself needs is read: `form` and `input`. Source: HTML, section 13.2.5.
struct HTMLForms {
  private let bytes: [UInt8]
  private var index = 0
  private var forms: [HTMLForm] = []
  private var isInForm = false

  /// The forms of a page, in order.
  static func forms(in page: [UInt8]) -> [HTMLForm] {
    var reader = HTMLForms(bytes: page)
    reader.read()
    return reader.forms
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func read() {
    while skip(to: UInt8(ascii: "<")) {
      if take("<!--") {
        skip(past: "-->")
      } else if take("</") {
        let name = name()
        skipTag()
        if name == "form" { isInForm = false }
      } else {
        index += 1
        guard index < bytes.count, bytes[index].isASCIIAlphanumeric else { continue }
        readTag()
      }
    }
  }

  /// Reads a tag after its `<`.
  private mutating func readTag() {
    let name = name()
    guard let attributes = attributes() else { return }
    switch name {
    case "form" where !isInForm:
      isInForm = true
      forms.append(
        HTMLForm(action: attributes["action"] ?? "", method: attributes["method"] ?? ""))
    case "input" where isInForm:
      guard let name = attributes["name"] else { return }
      forms[forms.count - 1].fields.append(
        HTMLForm.Field(name: name, value: attributes["value"] ?? ""))
    case "script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp":
      skipText(of: name)
    default: break
    }
  }

  /// Skips the text of an element that contains no others, to its end tag.
  private mutating func skipText(of element: String) {
    while skip(to: UInt8(ascii: "<")) {
      guard take("</") else {
        index += 1
        continue
      }
      if name() == element {
        skipTag()
        return
      }
    }
  }

  /// The name of a tag or an attribute in lowercase.
  private mutating func name() -> String {
    let start = index
    while index < bytes.count, !Self.isSpace(bytes[index]), !"/>=".utf8.contains(bytes[index]) {
      index += 1
    }
    return String(decoding: bytes[start..<index].map(Self.lowercased), as: UTF8.self)
  }

  private mutating func skipTag() { _ = attributes() }

  /// The attributes of a tag, up to its end; nil if the tag does not end.
  ///
  /// Of equal names the first counts.
  private mutating func attributes() -> [String: String]? {
    var attributes: [String: String] = [:]
    while true {
      while index < bytes.count, Self.isSpace(bytes[index]) || bytes[index] == UInt8(ascii: "/") {
        index += 1
      }
      guard index < bytes.count else { return nil }
      if take(">") { return attributes }
      // A stray `=` begins a name.
      let start = index
      if bytes[index] == UInt8(ascii: "=") { index += 1 }
      _ = name()
      let name = String(decoding: bytes[start..<index].map(Self.lowercased), as: UTF8.self)
      skipSpaces()
      var value = ""
      if take("=") {
        skipSpaces()
        guard let text = attributeValue() else { return nil }
        value = text
      }
      if attributes[name] == nil { attributes[name] = value }
    }
  }

  private mutating func attributeValue() -> String? {
    guard index < bytes.count else { return nil }
    let quote = bytes[index]
    let start: Int
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      index += 1
      start = index
      guard skip(to: quote) else { return nil }
      defer { index += 1 }
      return HTMLText.decoded(bytes[start..<index])
    }
    start = index
    while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: ">") {
      index += 1
    }
    return HTMLText.decoded(bytes[start..<index])
  }

  // MARK: Bytes

  /// Goes to the next such byte; returns whether there is one.
  private mutating func skip(to byte: UInt8) -> Bool {
    while index < bytes.count, bytes[index] != byte { index += 1 }
    return index < bytes.count
  }

  private mutating func skip(past text: String) {
    while index < bytes.count, !take(text) { index += 1 }
  }

  private mutating func skipSpaces() {
    while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[index...].starts(with: text.utf8) else { return false }
    index += text.utf8.count
    return true
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

/// The text of an attribute in HTML, with character references.
enum HTMLText {
  /// The text without references; what is none that is known here stays.
  ///
  /// Numbers count also without a semicolon, as in a browser.
  static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "&"), let (scalar, count) = reference(rest) {
        text += String(Character(scalar)).utf8
        rest = rest.dropFirst(count)
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The character of a reference after its `&`, and the length of the rest; nil if it is none.
  private static func reference(
    _ bytes: ArraySlice<UInt8>
  ) -> (scalar: Unicode.Scalar, count: Int)? {
    let semicolon = UInt8(ascii: ";")
    guard bytes.first == UInt8(ascii: "#") else {
      let name = bytes.prefix(8).prefix { $0.isASCIIAlphanumeric }
      guard bytes.dropFirst(name.count).first == semicolon,
        let scalar = names[String(decoding: name, as: UTF8.self)]
      else { return nil }
      return (scalar, name.count + 1)
    }
    let isHexadecimal = bytes.dropFirst().first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    let start = isHexadecimal ? 2 : 1
    let digits = bytes.dropFirst(start).prefix(10).prefix { byte in
      isHexadecimal
        ? byte.isASCIIAlphanumeric && Character(Unicode.Scalar(byte)).isHexDigit
        : (0x30...0x39).contains(byte)
    }
    let number = UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
    guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.value != 0 else { return nil }
    let count = start + digits.count
    return (scalar, bytes.dropFirst(count).first == semicolon ? count + 1 : count)
  }

  /// The references that escape an address or Base64.
  private static let names: [String: Unicode.Scalar] = [
    "amp": "&", "AMP": "&", "apos": "'", "colon": ":", "commat": "@", "equals": "=", "gt": ">",
    "GT": ">", "lt": "<", "LT": "<", "lowbar": "_", "nbsp": "\u{A0}", "num": "#", "percnt": "%",
    "period": ".", "plus": "+", "quest": "?", "quot": "\"", "QUOT": "\"", "semi": ";", "sol": "/",
    "Tab": "\t", "NewLine": "\n",
  ]
}
