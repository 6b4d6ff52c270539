/// Checks the UTF-8 bytes of one JSON text and finds every value in it, in one pass.
///
/// It uses unsafe pointers: every read compares its position with `count` first.
struct JSONReader {
  let base: UnsafePointer<UInt8>
  let count: Int
  /// The last position with eight bytes; negative in a shorter text.
  private let lastWord: Int
  var index = 0
  /// All bytes of the strings so far, combined with OR, which shows whether any of them is not ASCII.
  ///
  /// It can include bytes after a string.
  private var stringBits: UInt64 = 0
  private var depth = 0
  /// The values so far, in memory of our own: an array would check at each value that it has only one owner.
  private var nodes: UnsafeMutablePointer<JSONNode>
  private var nodeCount = 0
  private var capacity: Int
  private var irregularNames: [JSONName] = []

  /// The values of a whole text: one value with only white space around it.
  static func nodes(of bytes: [UInt8]) throws(JSONError) -> ([JSONNode], [JSONName]) {
    guard bytes.count <= JSONValue.maximumSize else {
      throw JSONError(reason: .tooLarge(bytes.count), offset: JSONValue.maximumSize)
    }
    return try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
      guard let base = buffer.baseAddress else { throw JSONError(reason: .empty, offset: 0) }
      var reader = JSONReader(base: base, count: buffer.count)
      defer { reader.nodes.deallocate() }
      try reader.read()
      let nodes = Array(UnsafeBufferPointer(start: reader.nodes, count: reader.nodeCount))
      return (nodes, reader.irregularNames)
    }
  }

  private init(base: UnsafePointer<UInt8>, count: Int) {
    self.base = base
    self.count = count
    lastWord = count - 8
    // With its name and punctuation, a value almost always takes more bytes than this.
    capacity = count / 16 + 8
    nodes = .allocate(capacity: capacity)
  }

  private mutating func read() throws(JSONError) {
    if count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { index = 3 }
    do throws(JSONError) {
      guard peek() != 0 || index < count else { throw JSONError(reason: .empty, offset: index) }
      let first = peek()
      try value(first, JSONNode(start: index))
      _ = peek()
      guard index == count else { throw JSONError(reason: .trailingBytes, offset: index) }
    } catch {
      // If the bytes are not UTF-8, report that instead.
      try checkUTF8()
      throw error
    }
    // Nearly all texts are ASCII. Outside of strings, other bytes are not allowed.
    if stringBits & Self.each(0x80) != 0 { try checkUTF8() }
  }

  @inline(__always)
  private mutating func append(_ node: JSONNode) {
    if nodeCount == capacity { grow() }
    (nodes + nodeCount).initialize(to: node)
    nodeCount &+= 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<JSONNode>.allocate(capacity: 2 * capacity)
    larger.moveInitialize(from: nodes, count: nodeCount)
    nodes.deallocate()
    nodes = larger
    capacity *= 2
  }

  // MARK: Values

  /// Reads the value that begins at the current byte, which is given too.
  private mutating func value(_ first: UInt8, _ begun: JSONNode) throws(JSONError) {
    var node = begun
    switch first {
    case UInt8(ascii: "{"): try object(node)
    case UInt8(ascii: "["): try array(node)
    case UInt8(ascii: "\""):
      let isEscaped = try string()
      node.end(at: index, isEscaped: isEscaped)
      append(node)
    case let byte:
      switch byte {
      case UInt8(ascii: "t"): try literal("true")
      case UInt8(ascii: "f"): try literal("false")
      case UInt8(ascii: "n"): try literal("null")
      default: try number()
      }
      node.end(at: index, isEscaped: false)
      append(node)
    }
  }

  private mutating func object(_ value: JSONNode) throws(JSONError) {
    let node = try open(value)
    if peek() == UInt8(ascii: "}") {
      index += 1
    } else {
      repeat {
        guard peek() == UInt8(ascii: "\"") else { throw unexpected() }
        let start = index &+ 1
        let isEscaped = try string()
        let length = index &- 1 &- start
        guard peek() == UInt8(ascii: ":") else { throw unexpected() }
        index &+= 1
        // Most texts have one space here.
        if index < count, base[index] == 0x20 { index &+= 1 }
        let first = peek()
        if !isEscaped,
          let member = JSONNode(start: index, nameStart: start, nameLength: length)
        {
          try self.value(first, member)
        } else {
          irregularNames.append(
            JSONName(node: nodeCount, start: start, length: length, isEscaped: isEscaped))
          try self.value(first, JSONNode(startWithIrregularName: index))
        }
      } while try readSeparator(orEnd: UInt8(ascii: "}"))
    }
    close(node)
  }

  private mutating func array(_ value: JSONNode) throws(JSONError) {
    let node = try open(value)
    if peek() == UInt8(ascii: "]") {
      index += 1
    } else {
      repeat {
        let first = peek()
        try self.value(first, JSONNode(start: index))
      } while try readSeparator(orEnd: UInt8(ascii: "]"))
    }
    close(node)
  }

  /// Enters the array or object that begins at the current byte.
  @inline(__always)
  private mutating func open(_ value: JSONNode) throws(JSONError) -> Int {
    guard depth < JSONValue.maximumDepth else { throw JSONError(reason: .tooDeep, offset: index) }
    depth += 1
    append(value)
    index += 1
    return nodeCount - 1
  }

  @inline(__always)
  private mutating func close(_ node: Int) {
    depth -= 1
    nodes[node].close(before: nodeCount)
  }

  /// Reads a comma (true) or the closing bracket (false).
  @inline(__always)
  private mutating func readSeparator(orEnd closing: UInt8) throws(JSONError) -> Bool {
    let byte = peek()
    guard byte == closing || byte == UInt8(ascii: ",") else { throw unexpected() }
    index &+= 1
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

  /// Reads a word whose first byte was seen.
  @inline(__always)
  private mutating func literal(_ word: StaticString) throws(JSONError) {
    let length = word.utf8CodeUnitCount
    let rest = length - 4
    let expected = UnsafeRawPointer(word.utf8Start + rest).loadUnaligned(as: UInt32.self)
    guard index + length <= count,
      UnsafeRawPointer(base + index + rest).loadUnaligned(as: UInt32.self) == expected
    else { throw error(in: word) }
    index += length
  }

  /// The error at the first byte that differs from a word.
  private mutating func error(in word: StaticString) -> JSONError {
    var offset = 0
    while index < count, base[index] == word.utf8Start[offset] {
      index += 1
      offset += 1
    }
    return unexpected()
  }
}

// MARK: - White space and strings, eight bytes at a time

extension JSONReader {
  /// Skips white space and returns the next byte without reading past it; 0 at the end.
  @inline(__always)
  mutating func peek() -> UInt8 {
    if index < count, base[index] > 0x20 { return base[index] }
    return skipWhiteSpace()
  }

  private mutating func skipWhiteSpace() -> UInt8 {
    var position = index
    defer { index = position }
    while position < count {
      let byte = base[position]
      // Nearly all white space is a line break and an indentation.
      if byte == 0x0A {
        position = endOfIndentation(from: position &+ 1)
        continue
      }
      guard byte <= 0x20, byte == 0x20 || byte == 0x0D || byte == 0x09 else { return byte }
      position &+= 1
    }
    return 0
  }

  /// The position of the first byte that is not a space, or one of the last seven bytes.
  @inline(__always)
  private func endOfIndentation(from start: Int) -> Int {
    var position = start
    while let word = eightBytes(at: position) {
      let others = word ^ Self.each(0x20)
      guard others == 0 else { return position &+ others.trailingZeroBitCount / 8 }
      position &+= 8
    }
    return position
  }

  /// Reads past the string that begins at the current byte; returns whether it contains escapes.
  @inline(__always)
  mutating func string() throws(JSONError) -> Bool {
    var isEscaped = false
    index &+= 1
    while true {
      index = endOfPlainCharacters(from: index)
      guard index < count else { throw unexpected() }
      switch base[index] {
      case UInt8(ascii: "\""):
        index &+= 1
        return isEscaped
      case UInt8(ascii: "\\"):
        isEscaped = true
        try escape()
      case 0..<0x20: throw JSONError(reason: .controlCharacter, offset: index)
      case let byte:
        stringBits |= UInt64(byte)
        index += 1
      }
    }
  }

  /// The position of the next quote, backslash or control character, or one of the last seven bytes.
  @inline(__always)
  private mutating func endOfPlainCharacters(from start: Int) -> Int {
    var position = start
    while let word = eightBytes(at: position) {
      stringBits |= word
      // With its second bit turned over, the quote (0x22) is 0x20 and the space (0x20) is not, and the
      // control characters stay below.
      let turned = word ^ Self.each(0x02)
      let backslashes = word ^ Self.each(UInt8(ascii: "\\"))
      let found =
        ((turned &- Self.each(0x21)) & ~turned | (backslashes &- Self.each(1)) & ~backslashes)
        & Self.each(0x80)
      guard found == 0 else { return position &+ found.trailingZeroBitCount / 8 }
      position &+= 8
    }
    return position
  }

  private mutating func escape() throws(JSONError) {
    let start = index
    index += 1
    guard index < count else { throw unexpected() }
    let byte = base[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard index < count else { throw unexpected() }
        switch base[index] {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: index += 1
        default: throw JSONError(reason: .badEscape, offset: start)
        }
      }
    default: throw JSONError(reason: .badEscape, offset: start)
    }
  }

  // MARK: Words of eight bytes, the first byte lowest

  /// Eight bytes as a word; nil if fewer are left.
  @inline(__always)
  func eightBytes(at position: Int) -> UInt64? {
    guard position <= lastWord else { return nil }
    let word = UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self)
    return UInt64(littleEndian: word)
  }

  @inline(__always)
  static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}

// MARK: - UTF-8

extension JSONReader {
  /// Checks the whole text once, so that single strings need no check.
  func checkUTF8() throws(JSONError) {
    var position = 0
    var marks = 0
    var endOfMark = 0
    while position < count {
      // Nearly all bytes are ASCII, which is checked 64 bytes at a time.
      position = endOfASCII(from: position)
      guard position < count else { return }
      let lead = base[position]
      let length: Int
      let second: ClosedRange<UInt8>
      switch lead {
      case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: throw JSONError(reason: .notUTF8, offset: position)
      }
      guard position + length <= count, second.contains(base[position + 1]) else {
        throw JSONError(reason: .notUTF8, offset: position)
      }
      for offset in 2..<max(length, 2) where !(0x80...0xBF).contains(base[position + offset]) {
        throw JSONError(reason: .notUTF8, offset: position)
      }
      // The first combining mark is U+0300.
      if lead >= 0xCC, isMark(position, length) {
        marks = endOfMark == position ? marks + 1 : 1
        guard marks <= Unicode.Scalar.mostMarks else {
          throw JSONError(reason: .tooManyMarks, offset: position)
        }
        endOfMark = position + length
      }
      position += length
    }
  }

  /// Whether the bytes of a scalar, which were checked, are a combining mark.
  private func isMark(_ position: Int, _ length: Int) -> Bool {
    let bytes = UnsafeBufferPointer(start: base + position, count: length)
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.first?.isMark ?? false
  }

  /// The position of the first byte that is not ASCII, or the end.
  private func endOfASCII(from start: Int) -> Int {
    var position = start
    let lastBlock = count - 64
    while position <= lastBlock {
      let words = UnsafeRawPointer(base + position).loadUnaligned(as: SIMD8<UInt64>.self)
      let half = words.lowHalf | words.highHalf
      let quarter = half.lowHalf | half.highHalf
      guard (quarter.x | quarter.y) & Self.each(0x80) == 0 else { break }
      position += 64
    }
    while position < count, base[position] < 0x80 { position += 1 }
    return position
  }
}

extension Unicode.Scalar {
  /// How many combining marks may follow each other (Unicode Standard Annex #15, section 13).
  ///
  /// Comparing texts sorts them, which takes time with the square of their number.
  static let mostMarks = 30

  /// Whether it is a combining mark, whose order in a text can change.
  var isMark: Bool { value >= 0x300 && properties.canonicalCombiningClass != .notReordered }
}
