/// Checks the UTF-8 bytes of one JSON text and finds every value in it, in one pass.
///
/// With its extensions it is all that works on unsafe pointers: every read compares with `count`
/// first, which is what keeps it within the bytes.
struct JSONReader {
  let base: UnsafePointer<UInt8>
  let count: Int
  var index = 0
  private var depth = 0
  private var nodes: [JSONNode] = []

  /// The values of a whole text, which is one value with nothing but white space around it.
  static func nodes(of bytes: [UInt8]) throws(JSONError) -> [JSONNode] {
    guard bytes.count <= JSONValue.maximumSize else {
      throw JSONError(reason: .tooLarge(bytes.count), offset: JSONValue.maximumSize)
    }
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<[JSONNode], JSONError> in
      guard let base = buffer.baseAddress else {
        return .failure(JSONError(reason: .empty, offset: 0))
      }
      var reader = JSONReader(base: base, count: buffer.count)
      do throws(JSONError) { return .success(try reader.read()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private init(base: UnsafePointer<UInt8>, count: Int) {
    self.base = base
    self.count = count
  }

  private mutating func read() throws(JSONError) -> [JSONNode] {
    try checkUTF8()
    // With its name and what is around it a value takes more bytes than this nearly always.
    nodes.reserveCapacity(count / 16 + 8)
    if count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { index = 3 }
    guard peek() != 0 || index < count else { throw JSONError(reason: .empty, offset: index) }
    try value(named: .none)
    _ = peek()
    guard index == count else { throw JSONError(reason: .trailingBytes, offset: index) }
    // Responses are kept for a while: no more than is needed.
    return nodes.withUnsafeBufferPointer { Array($0) }
  }

  // MARK: Values

  private mutating func value(named name: JSONNode.Name) throws(JSONError) {
    switch peek() {
    case UInt8(ascii: "{"): try object(named: name)
    case UInt8(ascii: "["): try array(named: name)
    case UInt8(ascii: "\""):
      let start = index
      let isEscaped = try string()
      nodes.append(JSONNode(name: name, start: start, end: index, isEscaped: isEscaped))
    case let byte:
      let start = index
      switch byte {
      case UInt8(ascii: "t"): try literal("true")
      case UInt8(ascii: "f"): try literal("false")
      case UInt8(ascii: "n"): try literal("null")
      default: try number()
      }
      nodes.append(JSONNode(name: name, start: start, end: index, isEscaped: false))
    }
  }

  private mutating func object(named name: JSONNode.Name) throws(JSONError) {
    let node = try open(named: name)
    if peek() == UInt8(ascii: "}") {
      index += 1
    } else {
      repeat {
        guard peek() == UInt8(ascii: "\"") else { throw unexpected() }
        let start = index + 1
        let isEscaped = try string()
        let name = JSONNode.Name(start: start, length: index - 1 - start, isEscaped: isEscaped)
        guard peek() == UInt8(ascii: ":") else { throw unexpected() }
        index += 1
        try value(named: name)
      } while try goesOn(unless: UInt8(ascii: "}"))
    }
    close(node)
  }

  private mutating func array(named name: JSONNode.Name) throws(JSONError) {
    let node = try open(named: name)
    if peek() == UInt8(ascii: "]") {
      index += 1
    } else {
      repeat { try value(named: .none) } while try goesOn(unless: UInt8(ascii: "]"))
    }
    close(node)
  }

  /// Enters the array or object whose first byte stands next.
  private mutating func open(named name: JSONNode.Name) throws(JSONError) -> Int {
    guard depth < JSONValue.maximumDepth else { throw JSONError(reason: .tooDeep, offset: index) }
    depth += 1
    nodes.append(JSONNode(name: name, start: index))
    index += 1
    return nodes.count - 1
  }

  private mutating func close(_ node: Int) {
    depth -= 1
    nodes[node].close(before: nodes.count)
  }

  /// Whether a comma stands next; if not, what closes the array or object must.
  private mutating func goesOn(unless closing: UInt8) throws(JSONError) -> Bool {
    let byte = peek()
    guard byte == closing || byte == UInt8(ascii: ",") else { throw unexpected() }
    index += 1
    return byte != closing
  }

  func unexpected() -> JSONError {
    index < count
      ? JSONError(reason: .unexpectedByte(base[index]), offset: index)
      : JSONError(reason: .unexpectedEnd, offset: index)
  }

  // MARK: Numbers and literals

  private mutating func number() throws(JSONError) {
    let start = index
    let first = peek()
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
