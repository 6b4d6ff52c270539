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
