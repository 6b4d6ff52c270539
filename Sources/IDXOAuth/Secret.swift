/// A text that must not be shown: a password, a code, a handle, a token, a key.
///
/// Printing, interpolating, dumping or mirroring it shows `‹secret›`; ``revealed`` is the only way
/// to the text. Encoding writes the text in the clear, as one string, because that is what a
/// snapshot needs: protect what you encode.
public struct Secret: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The text itself.
  ///
  /// Keep it out of logs, errors and the screen.
  public let revealed: String

  /// Keeps a text from being shown.
  public init(_ value: String) { revealed = value }

  /// Keeps a literal from being shown; for tests and examples.
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

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `‹secret›`, whatever the text.
  public var description: String { "‹secret›" }
  /// `‹secret›`, whatever the text.
  public var debugDescription: String { description }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
