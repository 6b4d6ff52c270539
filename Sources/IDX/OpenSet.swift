/// A set of names that the server may extend any day: known ones are static members, others survive.
public protocol OpenSet: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral,
  CustomStringConvertible
where RawValue == String {
  /// The value of a name on the wire.
  init(rawValue: String)
}

extension OpenSet {
  /// The value of a name on the wire, written in code.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
  /// The name on the wire.
  public var description: String { rawValue }
}
