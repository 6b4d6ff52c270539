// Source: Apple's documentation of the framework os.

public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  public init(uncheckedState initialState: State)
  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R
  public func withLock<R>(_ body: @Sendable (inout State) throws -> R) rethrows -> R
  where R: Sendable
}

extension OSAllocatedUnfairLock where State: Sendable {
  public init(initialState: State)
}

public struct Logger: @unchecked Sendable {
  public init(subsystem: String, category: String)
  public func error(_ message: OSLogMessage)
}

public struct OSLogPrivacy: Sendable {
  public static var auto: OSLogPrivacy { get }
  public static var `public`: OSLogPrivacy { get }
}

public struct OSLogStringAlignment {
  public static var none: OSLogStringAlignment { get }
}

public struct OSLogInterpolation: StringInterpolationProtocol {
  public init(literalCapacity: Int, interpolationCount: Int)
  public mutating func appendLiteral(_ literal: String)
  public mutating func appendInterpolation(
    _ argumentString: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto)
}

public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
  public init(stringInterpolation: OSLogInterpolation)
  public init(stringLiteral value: String)
}
