/// A JSON value that keeps what was written: the digits of numbers and the order of object members.
///
/// Values without a type of their own are JSON values: the value of a field, the body of a request, and
/// members of a response that have no property. Source: RFC 8259.
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, as the characters that were written.
  case number(Number)
  /// A string, unescaped.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, its members in the order in which they were written.
  case object(Object)

  /// A number as the characters that were written, so that copying does not change it.
  public struct Number: Sendable, Hashable {
    /// The characters, in JSON's grammar: `-12.50e3`.
    public let literal: String

    /// A whole number.
    public init(_ value: Int) { literal = String(value) }

    /// Takes characters that the parser has accepted as a number.
    init(literal: String) { self.literal = literal }

    /// The number as an `Int`; nil if it has a fraction, an exponent or too many digits.
    public var integer: Int? { Int(literal) }
    /// The nearest `Double`; infinite if the number is too large.
    public var double: Double? { Double(literal) }
  }

  /// The members of an object, in order.
  ///
  /// If a name occurs twice, the last member counts.
  public struct Object: Sendable, Hashable {
    /// One name and its value.
    public struct Member: Sendable, Hashable {
      /// The name, unescaped.
      public let name: String
      /// The value.
      public let value: JSONValue

      /// Creates a member.
      @inlinable
      public init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
      }
    }

    /// All members, in order.
    public var members: [Member]

    /// Creates an object with these members.
    @inlinable
    public init(_ members: [Member] = []) { self.members = members }

    /// The value of a name.
    ///
    /// Setting a value replaces the last member of that name, or adds one. Setting nil removes all
    /// members of that name.
    @inlinable
    public subscript(name: String) -> JSONValue? {
      get { members.last { $0.name == name }?.value }
      set {
        guard let newValue else { return members.removeAll { $0.name == name } }
        if let position = members.lastIndex(where: { $0.name == name }) {
          members[position] = Member(name, newValue)
        } else {
          members.append(Member(name, newValue))
        }
      }
    }
  }
}

// MARK: - Reading a value

extension JSONValue {
  /// The string, if this is one.
  @inlinable
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The boolean, if this is one.
  @inlinable
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number as an `Int`, if this is a whole number that fits into one.
  public var integer: Int? {
    if case .number(let value) = self { value.integer } else { nil }
  }

  /// The number as the nearest `Double`, if this is a number.
  public var double: Double? {
    if case .number(let value) = self { value.double } else { nil }
  }

  /// The elements, if this is an array.
  @inlinable
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, if this is an object.
  @inlinable
  public var object: Object? {
    if case .object(let object) = self { object } else { nil }
  }

  /// A member of an object; nil if this is not an object or has no such member.
  @inlinable
  public subscript(name: String) -> JSONValue? { object?[name] }

  /// An element of an array; nil if this is not an array or has no such element.
  public subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  /// A text, number or boolean as the characters that a person would type; nil for anything else.
  @inlinable
  package var plainText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.literal
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// The object with one more member, or with the member replaced; unchanged if the value is nil or the
  /// condition is false.
  ///
  /// The condition is an argument because `nil` in an expression of this type means `null`.
  package func adding(
    _ name: String, _ value: JSONValue?, if condition: Bool = true
  ) -> JSONValue {
    guard condition, let value else { return self }
    var object = object ?? JSONValue.Object()
    object[name] = value
    return .object(object)
  }
}

extension JSONValue {
  /// A duration in whole milliseconds, at most 2^53: readers of JSON may know larger numbers only roughly (RFC 8259,
  /// section 6).
  package static func milliseconds(_ duration: Duration) -> JSONValue {
    .number(Number(Int(min(max(duration / .milliseconds(1), 0), 0x1p53))))
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .number(Number(value)) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object, its members in the order written.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Object(elements.map { Object.Member($0.0, $0.1) }))
  }
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
}

// MARK: - Parsing and writing

extension JSONValue {
  /// The deepest nesting of arrays and objects that is read: 128.
  package static let maximumDepth = 128
  /// The largest text that is read, in bytes: 4 MiB.
  package static let maximumSize = 4 << 20

  /// Reads one JSON value from UTF-8 bytes; a byte order mark at the start is skipped.
  ///
  /// An escape for an unpaired surrogate becomes U+FFFD. Throws a ``JSONError``.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
    self = try JSONDocument(parsing: Array(bytes)).value(0)
  }

  /// The value as UTF-8 JSON without white space, members in order.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    // Most requests fit into this capacity, so that the bytes are allocated once.
    bytes.reserveCapacity(480)
    bytes.write(self)
    return bytes
  }

  /// The value as JSON text without white space.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Why bytes cannot be read as JSON, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A reason why bytes cannot be read.
  public enum Reason: Sendable, Hashable {
    /// There are no bytes, or only white space.
    case empty
    /// The text ended inside a value.
    case unexpectedEnd
    /// A byte that is not allowed at its position.
    case unexpectedByte(UInt8)
    /// Something follows the value.
    case trailingBytes
    /// The bytes are not UTF-8 (RFC 8259, section 8.1).
    case notUTF8
    /// A string contains a control character without an escape.
    case controlCharacter
    /// A backslash does not begin a valid escape.
    case badEscape
    /// A number that does not follow JSON's grammar.
    case badNumber
    /// Arrays and objects are nested more than 128 levels.
    case tooDeep
    /// More than 30 combining marks follow each other (Unicode Standard Annex #15, section 13).
    case tooManyMarks
    /// There are more than 4 MiB; the number is how many.
    case tooLarge(Int)
  }

  /// What is wrong.
  public let reason: Reason
  /// The position of the byte at which the problem was found, from 0.
  public let offset: Int

  /// One sentence for a person.
  public var description: String {
    switch reason {
    case .empty: "It is empty."
    case .unexpectedEnd: "It is not JSON: it ends in the middle of a value, after \(offset) bytes."
    case .unexpectedByte(let byte):
      "It is not JSON: \(Self.name(of: byte)) at byte \(offset) is not allowed there."
    case .trailingBytes: "It is not JSON: something follows the value, at byte \(offset)."
    case .notUTF8: "It is not JSON: the bytes at \(offset) are not UTF-8."
    case .controlCharacter:
      "It is not JSON: a string contains a control character without an escape, at byte \(offset)."
    case .badEscape:
      "It is not JSON: the backslash at byte \(offset) does not begin a valid escape."
    case .badNumber: "It is not JSON: the number at byte \(offset) is not valid."
    case .tooDeep:
      "It is nested more than \(JSONValue.maximumDepth) levels deep, at byte \(offset)."
    case .tooManyMarks:
      "A text in it has more than 30 combining marks in a row, at byte \(offset)."
    case .tooLarge(let size):
      "It is \(size) bytes long; at most \(JSONValue.maximumSize) are read."
    }
  }

  private static func name(of byte: UInt8) -> String {
    (0x21..<0x7F).contains(byte)
      ? "the character “\(Character(UnicodeScalar(byte)))”" : "byte 0x\(String(byte, radix: 16))"
  }
}

// MARK: - UTF-8 JSON

extension [UInt8] {
  /// Appends a value without white space.
  package mutating func write(_ value: JSONValue) {
    switch value {
    case .null: append(contentsOf: "null".utf8)
    case .bool(let value): append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let number): append(contentsOf: number.literal.utf8)
    case .string(let string): write(string)
    case .array(let elements):
      append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { append(UInt8(ascii: ",")) }
        write(element)
      }
      append(UInt8(ascii: "]"))
    case .object(let object):
      append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { append(UInt8(ascii: ",")) }
        write(member.name)
        append(UInt8(ascii: ":"))
        write(member.value)
      }
      append(UInt8(ascii: "}"))
    }
  }

  /// Appends a string with its quotes.
  package mutating func write(_ string: String) {
    append(UInt8(ascii: "\""))
    // Most strings need no escapes.
    let isWritten = string.utf8.withContiguousStorageIfAvailable { text in
      guard Self.isPlain(UnsafeRawBufferPointer(text)) else { return false }
      append(contentsOf: text)
      return true
    }
    if isWritten != true { writeEscaping(string) }
    append(UInt8(ascii: "\""))
  }

  /// Whether no byte needs an escape.
  private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      // As in the reader; DEL and bytes that are not ASCII are found too.
      let turned = word ^ JSONReader.each(0x02)
      let backslashes = word ^ JSONReader.each(UInt8(ascii: "\\"))
      let found =
        (turned &- JSONReader.each(0x21)) | (backslashes &- JSONReader.each(1)) | word
        | (word &+ JSONReader.each(1))
      guard found & JSONReader.each(0x80) == 0 else { return false }
      position += 8
    }
    while position < text.count {
      let byte = text[position]
      guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\")
      else { return false }
      position += 1
    }
    return true
  }

  private mutating func writeEscaping(_ string: String) {
    var previous: UInt8 = 0
    for byte in string.utf8 {
      defer { previous = byte }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0x0A: append(contentsOf: "\\n".utf8)
      case 0x0D: append(contentsOf: "\\r".utf8)
      case 0x09: append(contentsOf: "\\t".utf8)
      case 0x00..<0x20, 0x7F: escape(byte)
      // The control characters U+0080 to U+009F affect terminals too; in UTF-8 they follow 0xC2.
      case 0x80..<0xA0 where previous == 0xC2:
        removeLast()
        escape(byte)
      default: append(byte)
      }
    }
  }

  private mutating func escape(_ code: UInt8) {
    let digits = Array("0123456789abcdef".utf8)
    append(contentsOf: "\\u00".utf8)
    append(digits[Int(code >> 4)])
    append(digits[Int(code & 15)])
  }
}
