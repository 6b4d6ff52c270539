#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The signing keys of issuers, fetched once and kept for a limited time.
///
/// A key that an issuer no longer publishes is trusted for at most ``lifetime``. Source: OpenID
/// Connect Core, section 10.1.1.
actor KeySetCache {
  /// How long keys are kept, in seconds.
  static let lifetime: TimeInterval = 60 * 60

  private struct Fetch {
    let id: Int
    let task: Task<JSONWebKeySet, any Error>
    let date: Date
    /// The keys once they are there, so that a check of a token need not ask the task for them.
    var keys: JSONWebKeySet?

    var value: JSONWebKeySet {
      get async throws {
        if let keys { return keys }
        return try await task.valueUnlessCancelled
      }
    }
  }

  private let http: IssuerClient
  private let now: @Sendable () -> Date
  private var fetches: [URL: Fetch] = [:]
  private var fetchCount = 0
  /// The number of issuers whose keys are kept.
  var issuerCount: Int { fetches.count }

  init(http: IssuerClient, now: @escaping @Sendable () -> Date) {
    self.http = http
    self.now = now
  }

  /// Starts to fetch the keys of an issuer unless they are in the cache, and returns at once.
  func prefetch(of issuer: URL) {
    if fresh(issuer) == nil { _ = renew(issuer, after: fetches[issuer]) }
  }

  /// The keys of an issuer.
  ///
  /// If the token names a key that is not among them, they are fetched again, once.
  func keys(of issuer: URL, for token: JWT? = nil) async throws -> JSONWebKeySet {
    let known = fresh(issuer)
    if let known {
      let keys = try await known.value
      if token.map(keys.suffice) ?? true { return keys }
    }
    return try await renew(issuer, after: known ?? fetches[issuer]).value
  }

  private func fresh(_ issuer: URL) -> Fetch? {
    guard let fetch = fetches[issuer] else { return nil }
    let age = now().timeIntervalSince(fetch.date)
    return (0..<Self.lifetime).contains(age) ? fetch : nil
  }

  /// Fetches again, unless another caller has started to since.
  private func renew(_ issuer: URL, after old: Fetch?) -> Fetch {
    if let current = fetches[issuer], current.id != old?.id { return current }
    // Callers choose the issuers, so old entries must not accumulate.
    fetches = fetches.filter { fresh($0.key) != nil }
    let http = http
    fetchCount += 1
    let id = fetchCount
    let task = Task {
      do {
        let keys = try await http.keys(of: issuer)
        if fetches[issuer]?.id == id { fetches[issuer]?.keys = keys }
        return keys
      } catch {
        // Whoever waits now gets the error, and the next caller tries again.
        if fetches[issuer]?.id == id { fetches[issuer] = nil }
        throw error
      }
    }
    let fetch = Fetch(id: id, task: task, date: now())
    fetches[issuer] = fetch
    return fetch
  }
}

extension Task where Failure == any Error {
  /// The value of the task; throws `CancellationError` as soon as the waiting task is canceled.
  ///
  /// This task itself continues.
  var valueUnlessCancelled: Success {
    get async throws {
      let (results, continuation) = AsyncStream<Result<Success, Failure>>.makeStream()
      Task<Void, Never> {
        continuation.yield(await result)
        continuation.finish()
      }
      for await result in results { return try result.get() }
      throw Swift.CancellationError()
    }
  }
}
