#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
