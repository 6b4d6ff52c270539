import IDXBase
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A `URLSession` with its delegate, ended when nobody holds the channel any more.
///
/// What is under way then comes to its end first. A session holds its delegate until it is ended;
/// the delegate holds neither the session nor the channel.
final class Channel: Sendable {
  private let session: URLSession
  private let delegate = SessionDelegate()
  private let hasBeenUsed = Locked(false)

  /// A channel whose session has a copy of the configuration, but the same cookies.
  init(_ configuration: URLSessionConfiguration) {
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  /// An exchange that is ready to start.
  func exchange(
    _ request: URLRequest, attempt: String, limits: URLSessionTransport.Limits, isSafe: Bool
  ) -> HTTPExchange {
    let task = session.dataTask(with: request)
    let isFirst = hasBeenUsed.withLock { used in
      defer { used = true }
      return !used
    }
    // It may go over a connection of an earlier one, be lost with it, and only then over a new one:
    // that nobody is there any more does not mean that it never arrived.
    let exchange = HTTPExchange(
      task: task, attempt: attempt, limits: limits, mayBeRepeated: !isFirst && !isSafe)
    delegate.add(exchange, for: task)
    return exchange
  }
}
