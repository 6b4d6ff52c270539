import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps the open sign-ins of a server, for one process or for several.
///
/// What it keeps contains secrets in the clear. Only the server may read or change it. A conforming type
/// replaces atomically: of two callers with the same expectation, one gets `true`.
///
/// ``MemoryOpenSignInStore`` is a store for one process. The example `WebSignIn` has one for Redis.
public protocol OpenSignInStore: Sendable {
  /// What is stored under an ID; nil if there is nothing, or if it has expired.
  func load(_ id: String) async throws -> Data?

  /// Replaces what is stored under an ID, if it is still what the caller expects; returns whether it was.
  ///
  /// - Parameters:
  ///   - expected: What must be stored now; nil if there must be nothing.
  ///   - data: What is stored from now on; nil to delete it.
  ///   - id: The ID: 43 characters of Base64url (``OpenSignInPage/id``).
  ///   - lifetime: How long it is kept, from now.
  func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) async throws -> Bool
}

/// Keeps the open sign-ins of one process in memory.
///
/// When it is full, those that were not used for the longest time are removed, so that starting sign-ins
/// again and again cannot use up the memory. Limit the requests of one address in front of the server.
public actor MemoryOpenSignInStore: OpenSignInStore {
  private var entries: [String: (data: Data, end: Date)] = [:]
  private let maximumCount: Int
  private let now: @Sendable () -> Date
  /// The number of entries at which those that have expired are removed again.
  private var sweepSize = 64

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - maximumCount: The most sign-ins that it keeps, each of which takes about 5 KiB.
  ///   - now: The current time, which decides what has expired.
  public init(maximumCount: Int = 50_000, now: @escaping @Sendable () -> Date = { Date() }) {
    self.maximumCount = max(1, maximumCount)
    self.now = now
  }

  /// What is stored under an ID; nil if there is nothing, or if it has expired.
  public func load(_ id: String) -> Data? {
    guard let entry = entries[id] else { return nil }
    guard entry.end > now() else {
      entries[id] = nil
      return nil
    }
    return entry.data
  }

  /// Replaces what is stored, if it is still what the caller expects; returns whether it was.
  public func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) -> Bool {
    guard load(id) == expected else { return false }
    entries[id] = data.map { ($0, now().addingTimeInterval(lifetime / .seconds(1))) }
    // A few are always swept, so that a result does not stay until somebody asks for it.
    if entries.count <= 64 || entries.count > min(sweepSize, maximumCount) { sweep() }
    return true
  }

  private func sweep() {
    let now = now()
    entries = entries.filter { $0.value.end > now }
    sweepSize = max(64, entries.count * 2)
    guard entries.count > maximumCount else { return }
    // A tenth at once, so that not each new entry sorts all of them.
    let kept = entries.sorted { $0.value.end > $1.value.end }.prefix(max(1, maximumCount * 9 / 10))
    entries = Dictionary(uniqueKeysWithValues: Array(kept))
  }
}
