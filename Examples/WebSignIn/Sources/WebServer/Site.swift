import Synchronization

/// What all connections share: the handler, and the requests in progress.
final class Site: Sendable {
  private struct State {
    /// The requests that have arrived, and whose responses have not yet been sent.
    var exchanges: [ObjectIdentifier: Exchange] = [:]
    var isStopping = false
    /// Called when no request is in progress.
    var onIdle: (@Sendable () -> Void)?
  }

  let bodySize: Int
  private let handler: HTTPServer.Handler
  private let state = Mutex(State())

  init(bodySize: Int, handler: @escaping HTTPServer.Handler) {
    self.bodySize = bodySize
    self.handler = handler
  }

  /// Whether no new requests are answered.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Suspends the connection of a request, and answers it; returns false if the server stops.
  func answer(
    _ exchange: Exchange, suspend: () -> Void, resume: @escaping @Sendable () -> Void
  ) -> Bool {
    let (request, handler) = (exchange.request, handler)
    let isTaken = state.withLock { state in
      guard !state.isStopping else { return false }
      state.exchanges[ObjectIdentifier(exchange)] = exchange
      return true
    }
    return isTaken
      && exchange.suspend(suspend, resume: resume) {
        Task { exchange.finish(await handler(request)) }
      }
  }

  /// Forgets a request: its response has been sent, or its connection is lost.
  func end(_ exchange: Exchange) {
    let onIdle = state.withLock { state -> (@Sendable () -> Void)? in
      state.exchanges[ObjectIdentifier(exchange)] = nil
      return state.exchanges.isEmpty ? state.onIdle : nil
    }
    onIdle?()
  }

  /// Takes no more requests, and waits for those in progress, at most as long as `limit` needs to return.
  ///
  /// After that no connection is suspended, which the daemon needs in order to stop.
  func finish(within limit: @escaping @Sendable () async -> Void) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let isIdle = state.withLock { state in
      state.isStopping = true
      state.onIdle = { end.finish() }
      return state.exchanges.isEmpty
    }
    guard !isIdle else { return }
    let timer = Task {
      await limit()
      end.finish()
    }
    for await _ in ends {}
    timer.cancel()
    let rest = state.withLock { $0.exchanges.values.map { $0 } }
    for exchange in rest { exchange.abandon() }
  }
}

/// One request and its response.
///
/// libmicrohttpd calls it from its own thread, and the handler finishes it from another.
final class Exchange: Sendable {
  private struct State {
    var request: HTTPRequest
    var isBegun = false
    var response: HTTPResponse?
    /// The task that answers, and what resumes the connection; nil unless the connection is suspended.
    var answering: (task: Task<Void, Never>, resume: @Sendable () -> Void)?
    var isAbandoned = false
  }

  private let state: Mutex<State>

  init(target: String) { state = Mutex(State(request: HTTPRequest(target: target))) }

  var request: HTTPRequest { state.withLock { $0.request } }
  var response: HTTPResponse? { state.withLock { $0.response } }
  /// Whether the head has been taken.
  var isBegun: Bool { state.withLock { $0.isBegun } }

  func begin(_ head: RequestHead) {
    state.withLock { state in
      state.isBegun = true
      state.request.method = head.method
      state.request.headers = head.headers
    }
  }

  /// Takes a part of the body; returns false if the body is too long.
  func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
    state.withLock { state in
      guard state.request.body.count + bytes.count <= limit else { return false }
      state.request.body += bytes
      return true
    }
  }

  /// Suspends the connection until the task has finished; returns false if the request was abandoned.
  func suspend(
    _ suspend: () -> Void, resume: @escaping @Sendable () -> Void,
    until task: () -> Task<Void, Never>
  ) -> Bool {
    state.withLock { state in
      guard !state.isAbandoned else { return false }
      suspend()
      state.answering = (task(), resume)
      return true
    }
  }

  /// Takes the response and resumes the connection; does nothing if the request was abandoned.
  func finish(_ response: HTTPResponse) {
    state.withLock { state in
      guard let answering = state.answering else { return }
      state.response = response
      state.answering = nil
      answering.resume()
    }
  }

  /// Resumes the connection without waiting for the response.
  func abandon() {
    state.withLock { state in
      state.isAbandoned = true
      guard let answering = state.answering else { return }
      answering.task.cancel()
      state.response = HTTPResponse(status: 503)
      state.answering = nil
      answering.resume()
    }
  }
}
