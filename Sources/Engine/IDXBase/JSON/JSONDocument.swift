/// A checked JSON text and the position of every value in it; values are read on demand.
///
/// Each value has a number, in the order in which values begin; 0 is the whole text. The contents of an
/// array or object follow it directly. Callers pass only numbers that a document gave them.
///
/// Responses read every property through it, so its short functions can be inlined into other modules.
/// The compiler inlines functions only of types that are `@usableFromInline`, or public.
@usableFromInline
package struct JSONDocument: Sendable {
  /// The text, UTF-8.
  @usableFromInline
  package let bytes: [UInt8]
  @usableFromInline let nodes: [JSONNode]
  /// The irregular names, sorted by the number of their value.
  let irregularNames: [JSONName]

  /// Checks a text; throws what is wrong with it, and where.
  package init(parsing bytes: [UInt8]) throws(JSONError) {
    self.bytes = bytes
    (nodes, irregularNames) = try JSONReader.nodes(of: bytes)
  }

  /// The number of values in the text.
  package var count: Int { nodes.count }

  // MARK: Kind and position

  /// The place of a value.
  ///
  /// Bounds are checked in debug builds only, because callers pass only numbers that a document gave them.
  @inlinable
  @inline(__always)
  func place(_ node: Int) -> JSONNode { nodes.withUnsafeBufferPointer { $0[node] } }

  /// A byte of a value or a name, its bounds checked like those of ``place(_:)``.
  @inlinable
  @inline(__always)
  func byte(at position: Int) -> UInt8 { bytes.withUnsafeBufferPointer { $0[position] } }

  @inlinable
  @inline(__always)
  func first(_ node: Int) -> UInt8 { byte(at: place(node).start) }

  @inlinable
  @inline(__always)
  package func isObject(_ node: Int) -> Bool { first(node) == UInt8(ascii: "{") }
  @inlinable
  @inline(__always)
  package func isArray(_ node: Int) -> Bool { first(node) == UInt8(ascii: "[") }
  @inlinable
  @inline(__always)
  package func isString(_ node: Int) -> Bool { first(node) == UInt8(ascii: "\"") }
  package func isNull(_ node: Int) -> Bool { first(node) == UInt8(ascii: "n") }

  /// The bytes of a value.
  @inlinable
  package func range(of node: Int) -> Range<Int> { place(node).start..<end(of: node) }

  @usableFromInline
  func end(of node: Int) -> Int {
    guard place(node).isContainer else { return place(node).extent }
    // Only white space is between the last value inside and the closing bracket.
    var closing = children(of: node).last.map(end(of:)) ?? place(node).start + 1
    while bytes[closing] <= 0x20 { closing += 1 }
    return closing + 1
  }

  // MARK: Contents

  /// The values directly inside an array or object; none for anything else.
  @inlinable
  @inline(__always)
  package func children(of node: Int) -> Children {
    Children(nodes: nodes, upcoming: node + 1, end: isContainer(node) ? place(node).extent : 0)
  }

  /// The values directly inside an array; for anything else, the value itself.
  package func elements(of node: Int) -> Children {
    isArray(node) ? children(of: node) : Children(nodes: nodes, upcoming: node, end: node + 1)
  }

  @inlinable
  func isContainer(_ node: Int) -> Bool { place(node).isContainer }

  /// Iterates over the values directly inside another.
  @usableFromInline
  package struct Children: Sequence, IteratorProtocol {
    @usableFromInline let nodes: [JSONNode]
    @usableFromInline var upcoming: Int
    @usableFromInline let end: Int

    @inlinable
    init(nodes: [JSONNode], upcoming: Int, end: Int) {
      self.nodes = nodes
      self.upcoming = upcoming
      self.end = end
    }

    @inlinable
    @inline(__always)
    package mutating func next() -> Int? {
      guard upcoming < end else { return nil }
      let node = upcoming
      upcoming = nodes[node].following(node)
      return node
    }

    fileprivate var last: Int? { reduce(nil) { $1 } }
  }

  /// The number of values directly inside an array or object.
  package func childCount(of node: Int) -> Int {
    children(of: node).reduce(0) { count, _ in count + 1 }
  }

  /// All values inside another, at any depth.
  @inlinable
  package func descendants(of node: Int) -> Range<Int> {
    node + 1..<(isContainer(node) ? place(node).extent : node + 1)
  }

  /// The member of an object with this name, which must be shorter than 62 bytes; the last one if the name
  /// occurs twice.
  ///
  /// Reading spends most of its time in this loop. So it does not check array bounds (all positions in a
  /// document are inside its arrays), and irregular names are left to another function.
  @usableFromInline
  package func member(_ name: StaticString, of node: Int) -> Int? {
    guard isObject(node) else { return nil }
    let end = place(node).extent
    let literal = UnsafeRawBufferPointer(name)
    var names: UInt64 = 0
    let found = nodes.withUnsafeBufferPointer { nodes in
      bytes.withUnsafeBytes { bytes in
        var found: Int?
        var child = node + 1
        while child < end {
          let member = nodes[child]
          names |= member.bits
          if member.hasName(ofLength: literal.count), bytes.has(literal, at: member.nameStart) {
            found = child
          }
          child = member.following(child)
        }
        return found
      }
    }
    return names & JSONNode.irregularBit == 0 ? found : memberOfIrregularNames(name, of: node)
  }

  @inline(never)
  private func memberOfIrregularNames(_ name: StaticString, of node: Int) -> Int? {
    children(of: node).filter { isNamed(name, $0) }.last
  }

  /// Whether a member has this name, which must be shorter than 62 bytes.
  @inlinable
  @inline(__always)
  package func isNamed(_ literal: StaticString, _ node: Int) -> Bool {
    let place = place(node)
    // Most names differ in length, so that their bytes need not be compared.
    guard place.hasName(ofLength: literal.utf8CodeUnitCount) else {
      return place.hasIrregularName && isNamedIrregularly(literal, node)
    }
    return has(literal, at: place.nameStart)
  }

  /// Whether the bytes at a position, which must be inside, are those of a literal.
  @usableFromInline
  func has(_ literal: StaticString, at position: Int) -> Bool {
    bytes.withUnsafeBytes { $0.has(UnsafeRawBufferPointer(literal), at: position) }
  }

  @usableFromInline
  @inline(never)
  func isNamedIrregularly(_ literal: StaticString, _ node: Int) -> Bool {
    let name = irregularName(of: node)
    guard name.isEscaped else {
      return name.length == literal.utf8CodeUnitCount && has(literal, at: Int(name.start))
    }
    // A character takes at most six bytes; unescaping a longer name would be wasted work.
    return name.length <= literal.utf8CodeUnitCount * 6 && text(of: name) == literal.description
  }

  /// The name of a member; empty for array elements and for the whole text.
  package func name(of node: Int) -> String {
    let place = place(node)
    if place.hasIrregularName { return text(of: irregularName(of: node)) }
    let start = place.nameStart
    return text(start..<start + place.nameLength, isEscaped: false)
  }

  private func irregularName(of node: Int) -> JSONName {
    // A binary search, because every name of a text can be irregular.
    var range = irregularNames.indices
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range =
        irregularNames[middle].node <= node ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return irregularNames[range.lowerBound]
  }

  private func text(of name: JSONName) -> String {
    text(Int(name.start)..<Int(name.start + name.length), isEscaped: name.isEscaped)
  }

  // MARK: Values

  /// The unescaped bytes of a string; nil for anything else.
  @inlinable
  package func utf8(_ node: Int) -> ArraySlice<UInt8>? {
    guard isString(node) else { return nil }
    let place = self.place(node)
    let bytes = bytes[place.start + 1..<place.extent - 1]
    return place.isEscaped ? Array(String(unescaping: bytes).utf8)[...] : bytes
  }

  /// The number of bytes between the quotes of a string, escapes as they are written.
  ///
  /// Call it only for strings.
  @inlinable
  package func length(of string: Int) -> Int { place(string).extent - place(string).start - 2 }

  /// Whether a value is this string, written without escapes.
  package func isString(_ node: Int, _ string: String) -> Bool {
    guard isString(node), length(of: node) == string.utf8.count else { return false }
    let start = place(node).start + 1
    let isSame = string.utf8.withContiguousStorageIfAvailable { string in
      bytes.withUnsafeBytes { $0.has(UnsafeRawBufferPointer(string), at: start) }
    }
    return isSame == true
  }

  /// The unescaped characters of a string; nil for anything else.
  @inlinable
  package func string(_ node: Int) -> String? {
    guard isString(node) else { return nil }
    let place = self.place(node)
    return text(place.start + 1..<place.extent - 1, isEscaped: place.isEscaped)
  }

  /// A whole number that fits into an `Int`; nil for anything else.
  @inlinable
  package func integer(_ node: Int) -> Int? {
    let first = first(node)
    guard first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else { return nil }
    return Int(text(range(of: node), isEscaped: false))
  }

  /// A boolean, also if it was written as a string; nil for anything else.
  @inlinable
  package func flag(_ node: Int) -> Bool? {
    switch first(node) {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: string(node).flatMap { Bool($0.lowercased()) }
    }
  }

  /// Any value with all its contents.
  package func value(_ node: Int) -> JSONValue {
    switch first(node) {
    case UInt8(ascii: "{"):
      .object(
        JSONValue.Object(
          children(of: node).map { JSONValue.Object.Member(name(of: $0), value($0)) }))
    case UInt8(ascii: "["): .array(children(of: node).map(value))
    case UInt8(ascii: "\""): .string(string(node) ?? "")
    case UInt8(ascii: "t"): .bool(true)
    case UInt8(ascii: "f"): .bool(false)
    case UInt8(ascii: "n"): .null
    default: .number(JSONValue.Number(literal: text(range(of: node), isEscaped: false)))
    }
  }

  @inlinable
  func text(_ range: Range<Int>, isEscaped: Bool) -> String {
    if isEscaped { return String(unescaping: bytes[range]) }
    return bytes.withUnsafeBufferPointer {
      String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
    }
  }
}

extension UnsafeRawBufferPointer {
  package init(_ literal: StaticString) {
    self.init(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
  }

  /// Whether the bytes at a position, which must be inside, are these.
  ///
  /// Compares eight or four bytes at a time; the last ones can overlap with those before them.
  @inline(__always)
  package func has(_ text: UnsafeRawBufferPointer, at position: Int) -> Bool {
    func isEqual<Word: FixedWidthInteger & BitwiseCopyable>(_: Word.Type, at offset: Int) -> Bool {
      loadUnaligned(fromByteOffset: position &+ offset, as: Word.self)
        == text.loadUnaligned(fromByteOffset: offset, as: Word.self)
    }
    var offset = 0
    guard text.count >= 4 else {
      while offset < text.count, isEqual(UInt8.self, at: offset) { offset &+= 1 }
      return offset == text.count
    }
    guard text.count >= 8 else {
      return isEqual(UInt32.self, at: 0) && isEqual(UInt32.self, at: text.count &- 4)
    }
    while offset < text.count &- 8 {
      guard isEqual(UInt64.self, at: offset) else { return false }
      offset &+= 8
    }
    return isEqual(UInt64.self, at: text.count &- 8)
  }
}

extension String {
  /// Unescapes the contents of a JSON string, which was checked.
  ///
  /// An unpaired surrogate becomes U+FFFD. Of more than 30 combining marks in a row, the rest is left out.
  @usableFromInline
  init(unescaping bytes: ArraySlice<UInt8>) {
    self = ""
    var plain = bytes.startIndex
    while let index = bytes[plain...].firstIndex(of: UInt8(ascii: "\\")),
      index + 1 < bytes.endIndex
    {
      self += String(decoding: bytes[plain..<index], as: UTF8.self)
      plain = index + 2
      switch bytes[index + 1] {
      case UInt8(ascii: "b"): self += "\u{8}"
      case UInt8(ascii: "f"): self += "\u{C}"
      case UInt8(ascii: "n"): self += "\n"
      case UInt8(ascii: "r"): self += "\r"
      case UInt8(ascii: "t"): self += "\t"
      case UInt8(ascii: "u"): self += Self.character(in: bytes, at: &plain)
      case let byte: unicodeScalars.append(UnicodeScalar(byte))
      }
    }
    self += String(decoding: bytes[plain...], as: UTF8.self)
    limitMarks()
  }

  /// Leaves out combining marks that follow too many others.
  private mutating func limitMarks() {
    guard utf8.contains(where: { $0 >= 0xCC }) else { return }
    var marks = 0
    unicodeScalars.removeAll { scalar in
      marks = scalar.isMark ? marks + 1 : 0
      return marks > Unicode.Scalar.mostMarks
    }
  }

  /// Reads the four digits at an index, and the second half of a surrogate pair if one follows.
  private static func character(in bytes: ArraySlice<UInt8>, at index: inout Int) -> String {
    func unit(at index: inout Int) -> UInt16 {
      let digits = bytes[index...].prefix(4)
      index += digits.count
      return UInt16(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
    }
    var units = [unit(at: &index)]
    if UTF16.isLeadSurrogate(units[0]), bytes[index...].starts(with: "\\u".utf8) {
      var ahead = index + 2
      let second = unit(at: &ahead)
      if UTF16.isTrailSurrogate(second) {
        units.append(second)
        index = ahead
      }
    }
    return String(decoding: units, as: UTF16.self)
  }
}
