/// Something that goes wrong with one request to a ``SimulatedOrg``.
///
/// The org processes the request only with ``responseLost`` and ``held``.
public enum Fault: Sendable, Hashable {
  /// The connection fails before the request arrives.
  case unreachable
  /// The org processes the request, but the connection fails before the response arrives.
  case responseLost
  /// The org responds with status 500 and no JSON.
  case serverError
  /// The org responds with status 429 and header fields with the number of seconds until the limit ends.
  case rateLimited(seconds: Int)
  /// The org responds with status 400 and this OAuth error, such as `access_denied`, `unauthorized_client` or
  /// `invalid_grant`.
  case refused(String)
  /// The org responds as if the sign-in had expired.
  case sessionExpired
  /// The org responds with this status and an HTML page, like a firewall in front of it that takes the client for a bot;
  /// the status is often 403 or 406.
  case webPage(status: Int)
  /// The org responds with this status and no body, as it does to cookies of another sign-in (403).
  case noBody(status: Int)
  /// The org responds with status 401 and a response of Identity Engine that has only the text of a message, without a
  /// key.
  case textOnly
  /// The request waits until it is released, and then the org processes it; or until its task is canceled.
  ///
  /// See ``SimulatedOrg/waitUntilHeld()`` and ``SimulatedOrg/release()``.
  case held
}

/// Holds requests until they are released, and lets tests wait for a held request.
actor RequestGate {
  private var lastID = 0
  private var held: [Int: AsyncStream<Never>.Continuation] = [:]
  private var watchers: [AsyncStream<Never>.Continuation] = []

  /// Waits for ``release()``; throws if the task is canceled.
  func hold() async throws {
    lastID += 1
    let id = lastID
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    held[id] = continuation
    defer { held[id] = nil }
    for watcher in watchers { watcher.finish() }
    for await _ in stream {}
    try Task.checkCancellation()
  }

  func waitUntilHeld() async {
    guard held.isEmpty else { return }
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    watchers.append(continuation)
    for await _ in stream {}
  }

  func release() {
    for continuation in held.values { continuation.finish() }
    held = [:]
  }
}
