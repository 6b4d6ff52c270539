#if canImport(Glibc)
  import CLibcurl

  /// The HTTP/2 connections of one sign-in, which its requests use one after the other.
  ///
  /// Nothing is shared with other sign-ins. Only connections of HTTP/2 are kept: over HTTP/1.1, bytes that come
  /// after a response would be taken for the next one, and nobody can tell whether the server processed a
  /// request when a connection ends.
  final class ConnectionPool {
    /// How long a connection may be idle before it is used again, in seconds: servers close idle ones.
    static let longestIdleSeconds = 3

    let share: Libcurl.Share
    private let library: Libcurl
    /// The number of requests that may use it now.
    private(set) var users = 0
    /// When the last request ended.
    private(set) var lastUse: ContinuousClock.Instant

    /// Creates a pool; nil if there is no memory for it.
    init?(_ library: Libcurl, now: ContinuousClock.Instant) {
      guard let share = library.shareInit() else { return nil }
      guard library.share(IDX_CURL_LOCK_DATA_CONNECT, by: share) == 0 else {
        _ = library.shareCleanup(share)
        return nil
      }
      self.share = share
      self.library = library
      lastUse = now
    }

    /// Closes the connections.
    deinit { _ = library.shareCleanup(share) }

    func enter() { users += 1 }

    func leave(at now: ContinuousClock.Instant) {
      users -= 1
      lastUse = now
    }

    /// When its connections are too old to be used again; nil while a request uses it.
    var end: ContinuousClock.Instant? {
      // libcurl counts whole seconds.
      users == 0 ? lastUse + .seconds(Self.longestIdleSeconds + 1) : nil
    }
  }
#endif
