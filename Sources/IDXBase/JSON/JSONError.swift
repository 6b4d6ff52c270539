/// Why bytes cannot be read as JSON, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
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
    /// Arrays and objects are nested more than ``JSONValue/maximumDepth`` levels.
    case tooDeep
    /// There are more than ``JSONValue/maximumSize`` bytes.
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
    case .tooLarge(let size):
      "It is \(size) bytes long; at most \(JSONValue.maximumSize) are read."
    }
  }

  private static func name(of byte: UInt8) -> String {
    (0x21..<0x7F).contains(byte)
      ? "the character “\(Character(UnicodeScalar(byte)))”" : "byte 0x\(String(byte, radix: 16))"
  }
}
