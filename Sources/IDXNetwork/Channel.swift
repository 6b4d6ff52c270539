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

  /// A channel whose session has a copy of the configuration, but the same cookies.
  init(_ configuration: URLSessionConfiguration) {
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  /// An exchange that is ready to start.
  func exchange(
    _ request: URLRequest, attempt: String, limits: URLSessionTransport.Limits
  ) -> HTTPExchange {
    let task = session.dataTask(with: request)
    let exchange = HTTPExchange(task: task, attempt: attempt, limits: limits)
    delegate.add(exchange, for: task)
    return exchange
  }
}
