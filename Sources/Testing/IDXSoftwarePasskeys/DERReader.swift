/// Reads elements of DER one after the other, as far as certificates use them.
///
/// It never copies or nests: the content of an element is a slice, for which the caller creates another
/// reader. Indefinite lengths, lengths that could be shorter, and tags of more than one byte are refused.
/// Source: ITU-T X.690, sections 8.1 and 10.1.
struct DERReader {
  /// The first byte of an element: its class, whether it contains elements, and its number.
  struct Tag: RawRepresentable, Hashable {
    let rawValue: UInt8

    static let boolean = Tag(rawValue: 0x01)
    static let integer = Tag(rawValue: 0x02)
    static let bitString = Tag(rawValue: 0x03)
    static let octetString = Tag(rawValue: 0x04)
    static let objectIdentifier = Tag(rawValue: 0x06)
    static let utf8String = Tag(rawValue: 0x0c)
    static let printableString = Tag(rawValue: 0x13)
    static let sequence = Tag(rawValue: 0x30)
    static let set = Tag(rawValue: 0x31)
    /// `[number]` in a definition that contains other elements.
    static func context(_ number: UInt8) -> Tag { Tag(rawValue: 0xa0 | number) }
  }

  /// The bytes are not DER, or not the expected elements.
  struct InvalidDER: Error, Hashable {}

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads the next element, whatever it is.
  mutating func next() throws(InvalidDER) -> (tag: Tag, content: ArraySlice<UInt8>) {
    guard let tag = rest.popFirst(), tag & 0x1f != 0x1f else { throw InvalidDER() }
    let count = try length()
    guard count <= rest.count else { throw InvalidDER() }
    defer { rest = rest.dropFirst(count) }
    return (Tag(rawValue: tag), rest.prefix(count))
  }

  /// Reads the content of the next element, which must have this tag.
  mutating func content(of tag: Tag) throws(InvalidDER) -> ArraySlice<UInt8> {
    let element = try next()
    guard element.tag == tag else { throw InvalidDER() }
    return element.content
  }

  /// Reads the next element if it has this tag.
  mutating func contentIfPresent(of tag: Tag) throws(InvalidDER) -> ArraySlice<UInt8>? {
    rest.first == tag.rawValue ? try content(of: tag) : nil
  }

  /// A reader of the elements in the next element, which must have this tag.
  mutating func elements(of tag: Tag) throws(InvalidDER) -> DERReader {
    DERReader(try content(of: tag))
  }

  /// A reader of the elements in the next element, if it has this tag.
  mutating func elementsIfPresent(of tag: Tag) throws(InvalidDER) -> DERReader? {
    rest.first == tag.rawValue ? try elements(of: tag) : nil
  }

  /// Reads elements with these tags, and ignores their content.
  mutating func skip(_ tags: [Tag]) throws(InvalidDER) {
    for tag in tags { _ = try content(of: tag) }
  }

  /// Reads a truth value that is false if it is missing.
  mutating func flag() throws(InvalidDER) -> Bool {
    guard let content = try contentIfPresent(of: .boolean) else { return false }
    guard content.count == 1, let value = content.first, value == 0 || value == 0xff else {
      throw InvalidDER()
    }
    return value == 0xff
  }

  /// Throws if there are more elements.
  func end() throws(InvalidDER) {
    guard isAtEnd else { throw InvalidDER() }
  }

  private mutating func length() throws(InvalidDER) -> Int {
    guard let first = rest.popFirst() else { throw InvalidDER() }
    guard first >= 0x80 else { return Int(first) }
    // Three bytes are enough for 16 megabytes; 0x80 alone means an indefinite length.
    let digits = rest.prefix(Int(first & 0x7f))
    guard (0x81...0x83).contains(first), digits.count == Int(first & 0x7f), digits.first != 0 else {
      throw InvalidDER()
    }
    rest = rest.dropFirst(digits.count)
    let count = digits.reduce(0) { $0 << 8 | Int($1) }
    guard count >= 0x80 else { throw InvalidDER() }
    return count
  }
}
