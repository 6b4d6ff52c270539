import IDXBase
public import Foundation
public import IDXOAuth

/// Listens on this machine for a browser that comes back to a redirect URI.
///
/// It takes connections at the loopback address of the URI alone, answers the one GET request that
/// asks for the URI with a query by a page that says to go back to the terminal, and anything else by
/// an error. Connections that send nothing, as browsers open them in advance, hold nobody up.
///
///     let listener = try LoopbackListener(redirectURI)
///     defer { listener.close() }
///     let url = try await listener.next()
///
/// Source: RFC 8252, sections 7.3 and 8.3.
public final class LoopbackListener: RedirectListener {
  private struct State {
    var result: Result<URL, any Error>?
    var waiting: CheckedContinuation<URL, any Error>?
  }

  /// The redirect URI, with the port that was taken where it names port 0.
  public let url: URL

  private let acceptor: LoopbackAcceptor
  private let state = Locked(State())

  /// Begins to listen.
  ///
  /// - Parameter redirectURI: An http address whose host is `127.0.0.1` or another of `127.0.0.0/8`,
  ///   `[::1]` or `localhost`, which stands for both; its port is 80 by default, and 0 stands for any
  ///   that is free.
  /// - Throws: A ``LoopbackListenerError`` where that is no such address or cannot be listened at.
  public init(_ redirectURI: URL) throws {
    let acceptor = try LoopbackAcceptor(redirectURI)
    url = acceptor.url
    self.acceptor = acceptor
    let thread = Thread { [state] in
      let result = Result<URL, any Error> { try acceptor.waitForBrowser() }
      let waiting = state.withLock { state in
        state.result = result
        return state.waiting.take()
      }
      waiting?.resume(with: result)
    }
    thread.name = "idx-flow.loopback"
    thread.start()
  }

  deinit { close() }

  /// Waits for the browser, and returns the whole address that it came back to, fragment excluded.
  ///
  /// One browser is waited for: afterwards nobody listens any more, and the same address is returned
  /// again. Throws `CancellationError` when the task is cancelled or ``close()`` was called; nobody
  /// listens then either.
  public func next() async throws -> URL {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<URL, any Error>? in
          if state.result == nil, state.waiting == nil {
            state.waiting = continuation
            return nil
          }
          return state.result ?? .failure(LoopbackListenerError("Somebody waits already."))
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      close()
    }
  }

  /// Stops to listen; to call it twice does no more.
  public func close() { acceptor.shut() }
}

/// Why nobody can listen for a browser.
public struct LoopbackListenerError: Error, Sendable, CustomStringConvertible {
  /// What was tried and what happened, in a sentence for a person.
  public let description: String

  init(_ description: String) { self.description = description }
}
