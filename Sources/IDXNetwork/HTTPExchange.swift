import IDXOAuth
import IDXBase
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request under way: gathers the response, keeps the limits, and ends once.
final class HTTPExchange: Sendable {
  private struct State {
    var head: (status: Int, headers: [String: String])?
    var body: [UInt8] = []
    var lastSign = ContinuousClock.now
    var waiter: CheckedContinuation<TransportResponse, any Error>?
    var outcome: Result<TransportResponse, any Error>?
  }

  private let task: URLSessionDataTask
  private let attempt: String
  private let limits: URLSessionTransport.Limits
  /// Whether an error may be that of a second attempt, which tells nothing of the first.
  private let mayBeRepeated: Bool
  private let start = ContinuousClock.now
  private let state = Locked(State())

  init(
    task: URLSessionDataTask, attempt: String, limits: URLSessionTransport.Limits,
    mayBeRepeated: Bool = false
  ) {
    self.task = task
    self.attempt = attempt
    self.limits = limits
    self.mayBeRepeated = mayBeRepeated
  }

  /// Sends the request and waits for what it comes to.
  func response() async throws -> TransportResponse {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiter = continuation }
          return state.outcome
        }
        if let outcome {
          continuation.resume(with: outcome)
        } else {
          task.resume()
        }
      }
    } onCancel: {
      abandon(CancellationError())
    }
  }

  /// Ends the exchange when its time is up; returns then, or when the task is cancelled.
  func watch() async {
    // From when the request was made: the system may come to this late.
    let end = start + limits.whole
    while true {
      let quiet = state.withLock { $0.lastSign } + limits.idle
      if ContinuousClock.now >= min(quiet, end) {
        return abandon(failure(quiet < end ? .silent(limits.idle) : .unfinished(limits.whole)))
      }
      do {
        try await Task.sleep(until: min(quiet, end), clock: .continuous)
      } catch {
        return
      }
    }
  }

  /// Takes the head of a response, which takes the place of one before: of a 1xx, or of a proxy.
  func received(_ response: URLResponse) {
    guard let response = response as? HTTPURLResponse else {
      return abandon(failure(.notHTTP))
    }
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in response.allHeaderFields {
      headers[name] = value
    }
    state.withLock { state in
      state.head = (response.statusCode, headers)
      state.body = []
      state.lastSign = .now
    }
    if response.expectedContentLength > Int64(clamping: limits.body) {
      abandon(failure(.tooLarge(limits.body)))
    }
  }

  /// Takes a piece of the body.
  func received(_ data: Data) {
    let fits = state.withLock { state in
      guard state.outcome == nil else { return true }
      state.lastSign = .now
      guard data.count <= limits.body - state.body.count else { return false }
      state.body.append(contentsOf: data)
      return true
    }
    if !fits {
      abandon(failure(.tooLarge(limits.body)))
    }
  }

  /// Ends the exchange: with the response where there is no error.
  func completed(_ error: (any Error)?) {
    let (head, body) = state.withLock { ($0.head, $0.body) }
    if let error {
      end(.failure(failure(Failure(error, answered: head != nil), error)))
    } else if let head {
      end(.success(TransportResponse(status: head.status, headers: head.headers, body: body)))
    } else {
      end(.failure(failure(.notHTTP)))
    }
  }

  /// Ends the exchange without waiting for the system, which is told to stop.
  private func abandon(_ error: any Error) {
    end(.failure(error))
    // FoundationNetworking waits here for the queue that all its sessions work on, and libcurl may
    // keep that busy while data comes fast; the caller has its answer by now and need not wait.
    DispatchQueue.global().async { [task] in task.cancel() }
  }

  private func end(_ outcome: Result<TransportResponse, any Error>) {
    let waiter: CheckedContinuation<TransportResponse, any Error>? = state.withLock { state in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      state.body = []
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: outcome)
  }

  private func failure(_ failure: Failure, _ cause: (any Error)? = nil) -> TransportError {
    failure.error(attempt: attempt, mayBeRepeated: mayBeRepeated, cause: cause)
  }
}
