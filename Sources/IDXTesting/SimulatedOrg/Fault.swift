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
  /// The request is not acted on and answered with status 400 and this error of OAuth, such as
  /// `access_denied`, `unauthorized_client` or `invalid_grant`.
  case refused(String)
  /// The request is not acted on and answered as if the sign-in had taken too long.
  case sessionExpired
  /// The request waits until it is released or its task is cancelled, and is then acted on.
  ///
  /// See ``SimulatedOrg/waitUntilHeld()`` and ``SimulatedOrg/release()``.
  case held
}
