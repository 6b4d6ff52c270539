#if !canImport(Glibc)
  import Foundation
  import IDXBase

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// One request and its response: collects the response, enforces the limits, and finishes once.
  final class HTTPExchange: Sendable {
    private struct State {
      var head: (status: Int, headers: [String: String])?
      var body: [UInt8] = []
    }

    private let task: URLSessionDataTask
    private let attempt: String
    private let limits: HTTPTransport.Limits
    /// Whether the system may send the request twice, so that an error says nothing about the first attempt.
    private let mayBeRepeated: Bool
    private let start: ContinuousClock.Instant
    private let pending = PendingResponse()
    private let state = Locked(State())

    init(
      task: URLSessionDataTask, attempt: String, limits: HTTPTransport.Limits,
      mayBeRepeated: Bool, start: ContinuousClock.Instant
    ) {
      self.task = task
      self.attempt = attempt
      self.limits = limits
      self.mayBeRepeated = mayBeRepeated
      self.start = start
    }

    /// Sends the request and waits for the response.
    func response() async throws -> TransportResponse {
      try await pending.value {
        task.resume()
      } cancel: {
        self.stop()
      }
    }

    /// Enforces the time limit; returns after it has ended the exchange, or when the task is canceled.
    func watchTime(now: @Sendable () -> ContinuousClock.Instant) async {
      // Counted from the creation of the exchange, because this may be called late.
      let end = start + limits.time
      var time = now()
      while time < end {
        guard (try? await Task.sleep(for: time.duration(to: end))) != nil else { return }
        time = now()
      }
      abort(error(.timeLimit(limits.time, answered: state.withLock { $0.head != nil })))
    }

    /// Receives the status and the header fields, which replace those of a 1xx response or of a proxy.
    func receive(_ response: URLResponse) {
      guard let response = response as? HTTPURLResponse else {
        return abort(error(.notHTTP))
      }
      var headers: [String: String] = [:]
      for case (let name as String, let value as String) in response.allHeaderFields {
        headers[name] = value
      }
      state.withLock { state in
        state.head = (response.statusCode, headers)
        state.body = []
      }
      if response.expectedContentLength > Int64(clamping: limits.body) {
        abort(error(.responseTooLarge(limits.body)))
      }
    }

    /// Receives a part of the body.
    func receive(_ data: Data) {
      guard !pending.isFinished else { return }
      let fits = state.withLock { state in
        guard data.count <= limits.body - state.body.count else { return false }
        state.body.append(contentsOf: data)
        return true
      }
      if !fits {
        abort(error(.responseTooLarge(limits.body)))
      }
    }

    /// Finishes the exchange with the response, or with an error of the system.
    func complete(_ systemError: (any Error)?) {
      let (head, body) = state.withLock { ($0.head, $0.body) }
      if let systemError {
        let failure = TransportFailure(systemError, answered: head != nil)
        // The system's own timeout comes later than the limit.
        let limit = TransportFailure.timeLimit(limits.time, answered: head != nil)
        finish(.failure(error(failure == .timedOut ? limit : failure, systemError)))
      } else if let head {
        finish(.success(TransportResponse(status: head.status, headers: head.headers, body: body)))
      } else {
        finish(.failure(error(.notHTTP)))
      }
    }

    /// Finishes the exchange with an error and stops the system's task.
    private func abort(_ error: any Error) {
      finish(.failure(error))
      stop()
    }

    /// Stops the system's task, without waiting for it.
    private func stop() {
      // FoundationNetworking waits here for a queue that all its sessions share, and libcurl can keep that
      // queue busy while data comes fast. The caller has its result already and need not wait. The queue has a
      // higher class than usual, because busy tasks of the process would keep the connection open for longer.
      DispatchQueue.global(qos: .userInitiated).async { [task] in task.cancel() }
    }

    private func finish(_ result: Result<TransportResponse, any Error>) {
      pending.finish(result)
      state.withLock { $0.body = [] }
    }

    private func error(_ failure: TransportFailure, _ cause: (any Error)? = nil) -> TransportError {
      failure.error(attempt: attempt, mayBeRepeated: mayBeRepeated, cause: cause)
    }
  }
#endif
