/// A set of names that may grow: known names are static members, and unknown names are kept.
///
///     struct Color: OpenSet {
///       let rawValue: String
///       init(rawValue: String) { self.rawValue = rawValue }
///       static let red: Self = "red"
///     }
public protocol OpenSet: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral,
  CustomStringConvertible
where RawValue == String {
  /// Creates the value with this name.
  init(rawValue: String)
}

extension OpenSet {
  /// Creates the value with this name.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
  /// The name.
  public var description: String { rawValue }
}
