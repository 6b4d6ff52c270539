/// Something that goes wrong with one request to a ``SimulatedOrg``.
public enum Fault: Sendable, Hashable {
  /// Nothing is reached; the request is not acted on.
  case unreachable
  /// The request is acted on, and the connection breaks before the response is there.
  case responseLost
  /// The request is not acted on and answered with status 500 and no JSON.
  case serverError
  /// The request is not acted on and answered with status 429 and the headers that say when the
  /// limit is lifted: after so many whole seconds.
  case rateLimited(seconds: Int)
  /// The request waits until it is released or its task is cancelled, and is then acted on.
  ///
  /// See ``SimulatedOrg/waitUntilHeld()`` and ``SimulatedOrg/release()``.
  case held
}

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
