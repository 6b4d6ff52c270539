#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error with a code for programs and a message for people.
///
/// Codes are lowercase words joined by underscores: `rate_limited`. The message says what happened and
/// what to do about it, and contains no secret.
///
///     struct SyncError: CodedError {
///       struct Code: OpenSet {
///         let rawValue: String
///         init(rawValue: String) { self.rawValue = rawValue }
///         static let offline: Self = "offline"
///       }
///       let code: Code
///       let message: String
///     }
public protocol CodedError: LocalizedError, CustomStringConvertible {
  /// The codes; a later version of a module may add some.
  associatedtype Code: OpenSet

  /// The reason, for decisions in code.
  var code: Code { get }
  /// What happened and what to do about it, in sentences for a person.
  var message: String { get }
}

extension CodedError {
  /// The message.
  public var description: String { message }
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
