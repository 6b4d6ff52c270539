extension JSON {
  /// How many arrays and objects may be nested: 128.
  public static let maximumDepth = 128
  /// How many bytes are read at the most: 4 MiB.
  public static let maximumSize = 4 << 20

  /// Reads one JSON value from UTF-8 bytes; a byte order mark before it is passed over.
  ///
  /// Half of a surrogate pair in an escape becomes U+FFFD. Throws what is wrong and where.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
    self = try JSONReader.read(Array(bytes)) { reader throws(JSONError) in try reader.value() }
  }
}

/// A cursor over the UTF-8 bytes of one JSON text.
///
/// Decoders pull what they want, member by member, and pass over the rest, which is checked all the
/// same. Every read goes through `peek` and the loops beside it, which compare with `count` first:
/// that is what keeps the pointer within its bounds.
struct JSONReader {
  let base: UnsafePointer<UInt8>
  let count: Int
  var index = 0
  private var depth = 0
  /// The bytes themselves, for values that remember where they stood.
  let document: [UInt8]

  /// Reads a whole text: one value, and nothing but white space around it.
  static func read<T>(
    _ document: [UInt8], _ body: (inout JSONReader) throws(JSONError) -> T
  ) throws(JSONError) -> T {
    guard document.count <= JSON.maximumSize else {
      throw JSONError(reason: .tooLarge(document.count), offset: JSON.maximumSize)
    }
    return try fragment(of: document, 0..<document.count) { reader throws(JSONError) in
      try reader.checkUTF8()
      if reader.count >= 3, reader.base[0] == 0xEF, reader.base[1] == 0xBB, reader.base[2] == 0xBF {
        reader.index = 3
      }
      guard reader.peek() != 0 || reader.index < reader.count else {
        throw JSONError(reason: .empty, offset: reader.index)
      }
      let value = try body(&reader)
      _ = reader.peek()
      guard reader.index == reader.count else {
        throw JSONError(reason: .trailingBytes, offset: reader.index)
      }
      return value
    }
  }

  /// Reads a part of a text that was read before.
  static func fragment<T>(
    of document: [UInt8], _ range: Range<Int>,
    _ body: (inout JSONReader) throws(JSONError) -> T
  ) throws(JSONError) -> T {
    let result = document.withUnsafeBufferPointer { buffer -> Result<T, JSONError> in
      guard let base = buffer.baseAddress else {
        return .failure(JSONError(reason: .empty, offset: 0))
      }
      var reader = JSONReader(base: base, range: range, document: document)
      do throws(JSONError) { return .success(try body(&reader)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private init(base: UnsafePointer<UInt8>, range: Range<Int>, document: [UInt8]) {
    self.base = base
    self.count = range.upperBound
    self.index = range.lowerBound
    self.document = document
  }

  // MARK: Structure

  /// The next byte that is not white space, without taking it; 0 at the end.
  @inline(__always)
  mutating func peek() -> UInt8 {
    while index < count {
      let byte = base[index]
      if byte > 0x20 { return byte }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      index += 1
    }
    return 0
  }

  /// A walk over the members of one object.
  struct Members {
    fileprivate var isFirst = true
  }

  /// Enters the object that stands next.
  mutating func enterObject() throws(JSONError) -> Members {
    try enter(UInt8(ascii: "{"))
    return Members()
  }

  /// The name of the next member, its value standing next; nil after the last, the object being left.
  mutating func nextName(_ members: inout Members) throws(JSONError) -> Name? {
    guard try next(isFirst: members.isFirst, closing: UInt8(ascii: "}")) else { return nil }
    members.isFirst = false
    let name = try scanString()
    try take(UInt8(ascii: ":"))
    return name
  }

  /// Calls `body` with each element of the array that stands next; `body` must take the element.
  @inline(__always)
  mutating func forEachElement(
    _ body: (inout JSONReader, Int) throws(JSONError) -> Void
  ) throws(JSONError) {
    try enter(UInt8(ascii: "["))
    var position = 0
    while try next(isFirst: position == 0, closing: UInt8(ascii: "]")) {
      try body(&self, position)
      position += 1
    }
  }

  private mutating func enter(_ opening: UInt8) throws(JSONError) {
    try take(opening)
    depth += 1
    guard depth <= JSON.maximumDepth else {
      throw JSONError(reason: .tooDeep, offset: index - 1)
    }
  }

  private mutating func next(isFirst: Bool, closing: UInt8) throws(JSONError) -> Bool {
    let byte = peek()
    if byte == closing {
      index += 1
      depth -= 1
      return false
    }
    if !isFirst { try take(UInt8(ascii: ",")) }
    return true
  }

  mutating func take(_ byte: UInt8) throws(JSONError) {
    guard peek() == byte, index < count else { throw unexpected() }
    index += 1
  }

  func unexpected() -> JSONError {
    index < count
      ? JSONError(reason: .unexpectedByte(base[index]), offset: index)
      : JSONError(reason: .unexpectedEnd, offset: index)
  }

  // MARK: Values

  /// The value that stands next.
  mutating func value() throws(JSONError) -> JSON {
    switch peek() {
    case UInt8(ascii: "{"):
      var object = JSON.Object()
      var members = try enterObject()
      while let name = try nextName(&members) {
        let name = text(of: name)
        object.members.append(JSON.Object.Member(name, try value()))
      }
      return .object(object)
    case UInt8(ascii: "["):
      var elements: [JSON] = []
      try forEachElement { reader, _ throws(JSONError) in elements.append(try reader.value()) }
      return .array(elements)
    case UInt8(ascii: "\""): return .string(text(of: try scanString()))
    case UInt8(ascii: "t"):
      try literal("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try literal("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try literal("null")
      return .null
    default: return .number(JSON.Number(literal: string(try scanNumber())))
    }
  }

  /// Passes over the value that stands next, checking it.
  mutating func skip() throws(JSONError) {
    switch peek() {
    case UInt8(ascii: "{"):
      var members = try enterObject()
      while try nextName(&members) != nil { try skip() }
    case UInt8(ascii: "["):
      try forEachElement { reader, _ throws(JSONError) in try reader.skip() }
    case UInt8(ascii: "\""): _ = try scanString()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: _ = try scanNumber()
    }
  }

  /// A string, or nil where another kind of value stands, which is passed over.
  mutating func stringOrSkip() throws(JSONError) -> String? {
    guard peek() == UInt8(ascii: "\"") else {
      try skip()
      return nil
    }
    return text(of: try scanString())
  }

  /// A whole number, or nil where another kind of value stands, which is passed over.
  mutating func integerOrSkip() throws(JSONError) -> Int? {
    let byte = peek()
    guard byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) else {
      try skip()
      return nil
    }
    return Int(string(try scanNumber()))
  }

  /// A boolean, also where it was written as a string; nil for anything else, which is passed over.
  mutating func flagOrSkip() throws(JSONError) -> Bool? {
    switch peek() {
    case UInt8(ascii: "t"):
      try literal("true")
      return true
    case UInt8(ascii: "f"):
      try literal("false")
      return false
    default:
      switch try stringOrSkip()?.lowercased() {
      case "true": return true
      case "false": return false
      default: return nil
      }
    }
  }

  // MARK: Positions

  /// Where the value that stands next begins.
  ///
  /// Going back to it with ``rewind(to:)`` undoes reading.
  mutating func mark() -> Mark {
    _ = peek()
    return Mark(index: index, depth: depth)
  }

  /// A position in the text.
  struct Mark {
    let index: Int
    fileprivate let depth: Int
  }

  /// Goes back to a position that was passed.
  mutating func rewind(to mark: Mark) {
    index = mark.index
    depth = mark.depth
  }

  // MARK: Numbers and literals

  private func string(_ range: Range<Int>) -> String {
    String(
      decoding: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count),
      as: UTF8.self)
  }

  private mutating func scanNumber() throws(JSONError) -> Range<Int> {
    let first = peek()
    let start = index
    guard first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else { throw unexpected() }
    if first == UInt8(ascii: "-") { index += 1 }
    if index < count, base[index] == UInt8(ascii: "0") {
      index += 1
    } else {
      try digits(from: start)
    }
    if index < count, base[index] == UInt8(ascii: ".") {
      index += 1
      try digits(from: start)
    }
    if index < count, base[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < count, base[index] == UInt8(ascii: "+") || base[index] == UInt8(ascii: "-") {
        index += 1
      }
      try digits(from: start)
    }
    return start..<index
  }

  private mutating func digits(from start: Int) throws(JSONError) {
    let first = index
    while index < count, (0x30...0x39).contains(base[index]) { index += 1 }
    guard index > first else { throw JSONError(reason: .badNumber, offset: start) }
  }

  private mutating func literal(_ word: StaticString) throws(JSONError) {
    for offset in 0..<word.utf8CodeUnitCount {
      guard index < count, base[index] == word.utf8Start[offset] else { throw unexpected() }
      index += 1
    }
  }
}
