/// A JSON value, kept as it was written: numbers keep their digits, objects their order.
///
/// It stands for what has no type of its own: the value of a field, and members of a response that
/// this package does not know. Source: RFC 8259.
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

  /// A number by the characters that write it, so that copying it changes nothing.
  public struct Number: Sendable, Hashable {
    /// The characters, in JSON's grammar: `-12.50e3`.
    public let literal: String

    /// A whole number.
    public init(_ value: Int) { literal = String(value) }

    /// Takes characters that the parser has found to be a number.
    init(literal: String) { self.literal = literal }

    /// The number as an `Int`; nil where it has a fraction, an exponent or too many digits.
    public var integer: Int? { Int(literal) }
    /// The nearest `Double`.
    public var double: Double? { Double(literal) }
  }

  /// The members of an object, in order.
  ///
  /// A name may stand twice; the last one counts.
  public struct Object: Sendable, Hashable {
    /// One name and its value.
    public struct Member: Sendable, Hashable {
      /// The name, unescaped.
      public let name: String
      /// The value.
      public let value: JSONValue

      /// A member of an object.
      public init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
      }
    }

    /// All members, in order.
    public var members: [Member]

    /// An object of these members.
    public init(_ members: [Member] = []) { self.members = members }

    /// The value of a name, or nil where it does not occur.
    ///
    /// Setting replaces what counts, or adds; nil removes all members of the name.
    public subscript(name: String) -> JSONValue? {
      get { members.last { $0.name == name }?.value }
      set {
        let position = members.lastIndex { $0.name == name }
        switch (position, newValue) {
        case (let position?, let value?): members[position] = Member(name, value)
        case (_?, nil): members.removeAll { $0.name == name }
        case (nil, let value?): members.append(Member(name, value))
        case (nil, nil): break
        }
      }
    }
  }
}

// MARK: - Reading a value

extension JSONValue {
  /// The string, where this is one.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The boolean, where this is one.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number as an `Int`, where this is a whole one.
  public var integer: Int? {
    if case .number(let value) = self { value.integer } else { nil }
  }

  /// The elements, where this is an array.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, where this is an object.
  public var object: Object? {
    if case .object(let object) = self { object } else { nil }
  }

  /// A member of an object; nil where this is no object or has no such member.
  public subscript(name: String) -> JSONValue? { object?[name] }

  /// An element of an array; nil where this is no array or has no such element.
  public subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

// MARK: - Writing a value in code

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
