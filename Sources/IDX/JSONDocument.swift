/// A JSON text that was checked, and where every value in it stands; values are read when asked for.
///
/// Values are known by their numbers, in the order in which they begin; 0 is the whole. What is inside
/// an array or object follows it. No number and no position comes from outside.
struct JSONDocument: Sendable {
  /// The text, UTF-8.
  let bytes: [UInt8]
  private let nodes: [JSONNode]

  /// Reads a text; throws what is wrong with it, and where.
  init(parsing bytes: [UInt8]) throws(JSONError) {
    self.bytes = bytes
    nodes = try JSONReader.nodes(of: bytes)
  }

  // MARK: Kinds and places

  private func first(_ node: Int) -> UInt8 { bytes[nodes[node].start] }

  func isObject(_ node: Int) -> Bool { first(node) == UInt8(ascii: "{") }
  func isArray(_ node: Int) -> Bool { first(node) == UInt8(ascii: "[") }
  func isString(_ node: Int) -> Bool { first(node) == UInt8(ascii: "\"") }

  /// The bytes of a value.
  func range(of node: Int) -> Range<Int> { nodes[node].start..<end(of: node) }

  private func end(of node: Int) -> Int {
    guard nodes[node].isContainer else { return nodes[node].extent }
    // What closes it follows the last value inside, behind white space alone.
    var closing = children(of: node).last.map(end(of:)) ?? nodes[node].start + 1
    while bytes[closing] <= 0x20 { closing += 1 }
    return closing + 1
  }

  // MARK: What is inside

  /// The values directly inside an array or object; none in anything else.
  func children(of node: Int) -> Children {
    Children(nodes: nodes, upcoming: node + 1, end: isContainer(node) ? nodes[node].extent : 0)
  }

  private func isContainer(_ node: Int) -> Bool { nodes[node].isContainer }

  /// A walk over the values directly inside another.
  struct Children: Sequence, IteratorProtocol {
    fileprivate let nodes: [JSONNode]
    fileprivate var upcoming: Int
    fileprivate let end: Int

    mutating func next() -> Int? {
      guard upcoming < end else { return nil }
      let node = upcoming
      upcoming = nodes[node].isContainer ? nodes[node].extent : node + 1
      return node
    }

    /// The last of them; nil where there is none.
    var last: Int? { reduce(nil) { $1 } }
  }

  /// All values inside another, however deep.
  func descendants(of node: Int) -> Range<Int> {
    node + 1..<(isContainer(node) ? nodes[node].extent : node + 1)
  }

  /// The member of an object by its name; nil where there is none.
  ///
  /// Where a name stands twice, the last one counts.
  func member(_ name: StaticString, of node: Int) -> Int? {
    guard isObject(node) else { return nil }
    var found: Int?
    var child = node + 1
    let end = nodes[node].extent
    while child < end {
      if isNamed(name, child) { found = child }
      child = nodes[child].isContainer ? nodes[child].extent : child + 1
    }
    return found
  }

  /// Whether a member has this name, which is shorter than 511 bytes.
  @inline(__always)
  func isNamed(_ literal: StaticString, _ node: Int) -> Bool {
    let name = nodes[node].name
    // Most names differ in length, and bytes need not be looked at.
    guard name.isPlain(ofLength: literal.utf8CodeUnitCount) else {
      // A character takes at most six bytes: undoing the escapes of a long name would be in vain.
      return name.isEscaped && name.length <= literal.utf8CodeUnitCount * 6
        && self.name(of: node) == literal.description
    }
    return literal.withUTF8Buffer { literal in
      for offset in literal.indices where bytes[name.start + offset] != literal[offset] {
        return false
      }
      return true
    }
  }

  /// The name of a member; empty for what is none.
  func name(of node: Int) -> String {
    let name = nodes[node].name
    guard name.start > 0 else { return "" }
    var end = name.start
    while bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return text(name.start..<end, isEscaped: name.isEscaped)
  }

  // MARK: Values

  /// The bytes of a string as they are meant; nil for anything else.
  func utf8(_ node: Int) -> ArraySlice<UInt8>? {
    guard isString(node) else { return nil }
    let place = nodes[node]
    let bytes = bytes[place.start + 1..<place.extent - 1]
    return place.isEscaped ? Array(EscapedText(bytes: bytes).unescaped.utf8)[...] : bytes
  }

  /// The characters of a string; nil for anything else.
  func string(_ node: Int) -> String? {
    guard isString(node) else { return nil }
    let place = nodes[node]
    return text(place.start + 1..<place.extent - 1, isEscaped: place.isEscaped)
  }

  /// The number, where it is a whole one that fits; nil for anything else.
  func integer(_ node: Int) -> Int? {
    let first = first(node)
    guard first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else { return nil }
    return Int(text(range(of: node), isEscaped: false))
  }

  /// The boolean, also where it was written as a string; nil for anything else.
  func flag(_ node: Int) -> Bool? {
    switch first(node) {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: string(node).flatMap { Bool($0.lowercased()) }
    }
  }

  /// Any value, with all that is inside it.
  func json(_ node: Int) -> JSONValue {
    switch first(node) {
    case UInt8(ascii: "{"):
      .object(
        JSONValue.Object(children(of: node).map { JSONValue.Object.Member(name(of: $0), json($0)) })
      )
    case UInt8(ascii: "["): .array(children(of: node).map(json))
    case UInt8(ascii: "\""): .string(string(node) ?? "")
    case UInt8(ascii: "t"): .bool(true)
    case UInt8(ascii: "f"): .bool(false)
    case UInt8(ascii: "n"): .null
    default: .number(JSONValue.Number(literal: text(range(of: node), isEscaped: false)))
    }
  }

  private func text(_ range: Range<Int>, isEscaped: Bool) -> String {
    isEscaped
      ? EscapedText(bytes: bytes[range]).unescaped
      : String(decoding: bytes[range], as: UTF8.self)
  }
}

extension JSONValue {
  /// How many arrays and objects may be nested: 128.
  public static let maximumDepth = 128
  /// How many bytes are read at the most: 4 MiB.
  public static let maximumSize = 4 << 20

  /// Reads one JSON value from UTF-8 bytes; a byte order mark before it is passed over.
  ///
  /// Half of a surrogate pair in an escape becomes U+FFFD. Throws what is wrong and where.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
    self = try JSONDocument(parsing: Array(bytes)).json(0)
  }
}
