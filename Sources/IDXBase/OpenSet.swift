#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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

/// An error with a code for programs and a message for people.
///
/// Codes are lowercase words joined by underscores: `rate_limited`. The message says what happened and
/// what to do about it, and contains no secret.
public protocol CodedError: LocalizedError, CustomStringConvertible {
  /// The codes, which may grow.
  associatedtype Code: OpenSet

  /// What went wrong.
  var code: Code { get }
  /// What happened and what to do about it.
  var message: String { get }
}

extension CodedError {
  /// The message.
  public var description: String { message }
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
