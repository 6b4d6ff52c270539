/// A text that must stay hidden: a password, a code, a handle, a token or a key.
///
/// Printing, interpolating, dumping or mirroring it shows `‹secret›`. ``revealed`` is the only way to
/// the text. Encoding writes the text in the clear, as one string: protect what you encode.
public struct Secret: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The text itself.
  ///
  /// Keep it out of logs, errors and the screen.
  public let revealed: String

  /// Hides a text.
  public init(_ value: String) { revealed = value }

  /// Hides a literal; for tests and examples.
  public init(stringLiteral value: String) { revealed = value }

  /// Reads one string.
  public init(from decoder: any Decoder) throws {
    revealed = try decoder.singleValueContainer().decode(String.self)
  }

  /// Writes the text in the clear, as one string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(revealed)
  }
}

extension Secret: Redacted {
  /// `‹secret›` for any text.
  public var description: String { "‹secret›" }
}

/// A type whose values hold secrets: printing, dumping or mirroring a value shows its description only.
///
/// A conforming type has a `description` without secrets. The mirror has a default implementation.
///
///     struct Login: Redacted {
///       let username: String
///       let password: String
///       var description: String { "login of \(username)" }
///     }
public protocol Redacted: CustomStringConvertible, CustomReflectable {}

extension Redacted {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether two byte sequences are equal, in a time that depends on their lengths only.
package func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count else { return false }
  return left.indices.reduce(0 as UInt8) { $0 | (left[$1] ^ right[$1]) } == 0
}
