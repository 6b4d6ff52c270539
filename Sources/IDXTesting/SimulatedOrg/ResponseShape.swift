/// Ways in which servers differ from one another, and which clients must bear.
///
/// They change how responses are written, not what they mean.
public struct ResponseShape: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int
  /// A set by its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An option holds its `form` itself, not in a `value` around it.
  public static let optionsAsForms = ResponseShape(rawValue: 1)
  /// A remediation's `relatesTo` is a string, not an array.
  public static let bareReferences = ResponseShape(rawValue: 2)
  /// A field's flags (`required`, `mutable`, `visible`, `secret`) are strings.
  public static let flagsAsStrings = ResponseShape(rawValue: 4)
  /// Unknown members stand everywhere.
  public static let unknownMembers = ResponseShape(rawValue: 8)
}
