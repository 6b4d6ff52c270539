/// Passes a challenge of Okta FastPass to Okta Verify on the person's device.
///
/// A conforming type must pass nothing before the person has agreed, read nothing of what Okta Verify responds except
/// the status, and throw `CancellationError` soon after its task is canceled.
///
///     struct NoOktaVerify: FastPassProvider {
///       func pass(_ challenge: LoopbackChallenge) async throws -> FastPassResult { .unreachable }
///     }
public protocol FastPassProvider: Sendable {
  /// Passes a challenge on, and waits until Okta Verify has answered the server itself.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with one sentence for the person if that cannot be tried.
  func pass(_ challenge: LoopbackChallenge) async throws -> FastPassResult
}

/// What came of a challenge that was passed to Okta Verify; a later version may add a case.
public enum FastPassResult: Sendable, Hashable {
  /// Okta Verify has taken it, so the server has news.
  case delivered
  /// Okta Verify is not there, or does not know the person.
  case unreachable
  /// Okta Verify refused it with this HTTP status, or stopped without one.
  case refused(status: Int?)
}
