/// Sends a request again if the network or the server fails for a moment.
///
///     let transport = RetryingTransport(HTTPTransport())
///
/// It repeats:
/// - any request that certainly did not arrive, because there was no connection, or, once, because the host was not
///   found; or that the server says it has not processed (status 429 and 503, each with a time to wait), after that time;
/// - a ``TransportRequest/isRepeatable`` request also if its connection was lost, the server failed (status 500, 502,
///   503 and 504), or it has a rate limit of unknown length (status 429).
///
/// The pauses start at 0.5 seconds and double, or are longer if the server asks for that. If the next
/// attempt would start more than `limit` after the first, by default 10 seconds, the transport returns the
/// last response or throws the last error.
public struct RetryingTransport: Transport {
  /// What is about to be repeated.
  public struct Retry: Sendable, CustomStringConvertible {
    /// What happened, in one sentence; it names the host and the path.
    public let reason: String
    /// The time until the next attempt.
    public let pause: Duration
    /// The status of the response, and the host and the path; nil if there was no response.
    package var response: (status: Int, place: String)?
    /// The code of the failure or the status of the response, whatever was requested.
    package let cause: String

    /// The reason, and that the request is sent again, for a person.
    public var description: String { "\(reason) Trying again." }
  }

  private let transport: any Transport
  private let limit: Duration
  private let clock: any Clock<Duration>
  private let onRetry: @Sendable (Retry) -> Void

  /// Creates a transport that repeats the requests of another one.
  ///
  /// - Parameters:
  ///   - transport: Sends each attempt.
  ///   - limit: The longest time from the first attempt to the start of the last; 10 seconds by default.
  ///   - clock: Measures the time and waits.
  ///   - onRetry: Called before each pause, for a front-end that says why it takes longer.
  public init(
    _ transport: any Transport, limit: Duration = .seconds(10),
    clock: any Clock<Duration> = ContinuousClock(),
    onRetry: @escaping @Sendable (Retry) -> Void = { _ in }
  ) {
    self.transport = transport
    self.limit = limit
    self.clock = clock
    self.onRetry = onRetry
  }

  /// Sends the request until it succeeds, repeating does not help, or the time is over.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await send(request, with: clock)
  }

  private func send<C: Clock<Duration>>(
    _ request: TransportRequest, with clock: C
  ) async throws -> TransportResponse {
    let start = clock.now
    var request = request
    var attempt = 0
    while true {
      let result: Result<TransportResponse, TransportError>
      do { result = .success(try await transport.send(request)) } catch let error as TransportError
      { result = .failure(error) }
      let ordinary: Duration = .milliseconds(500 << attempt)
      guard let retry = Self.retry(of: request, after: result, atLeast: ordinary),
        start.duration(to: clock.now) + retry.pause <= limit
      else { return try result.get() }
      // Most names that are not found do not exist, so one more look is enough, and nobody has to know of it.
      let isUnknownHost = retry.cause == TransportError.Code.unknownHost.rawValue
      if isUnknownHost, attempt > 0 { return try result.get() }
      if !isUnknownHost { onRetry(retry) }
      try await clock.sleep(until: clock.now.advanced(by: retry.pause), tolerance: nil)
      attempt += 1
      request = try request.nextAttempt()
    }
  }

  /// Whether the server can have processed the request, so that a second one could do harm.
  private static func mayBeProcessed(
    _ result: Result<TransportResponse, TransportError>
  ) -> Bool {
    switch result {
    case .failure(let error): error.mayHaveArrived
    case .success(let response): !response.saysUnprocessed
    }
  }

  /// The next attempt; nil if it could do harm, or would not help.
  private static func retry(
    of request: TransportRequest, after result: Result<TransportResponse, TransportError>,
    atLeast pause: Duration
  ) -> Retry? {
    guard request.isRepeatable || !mayBeProcessed(result) else { return nil }
    switch result {
    case .failure(let error):
      let codes: Set<TransportError.Code> = [
        .unreachable, .unknownHost, .connectionLost, .timedOut,
      ]
      guard codes.contains(error.code) else { return nil }
      return Retry(reason: error.message, pause: pause, cause: error.code.rawValue)
    case .success(let response):
      guard [429, 500, 502, 503, 504].contains(response.status) else { return nil }
      return Retry(
        reason: "The server responded with HTTP status \(response.status) at \(request.place).",
        pause: max(pause, response.timeToWait ?? .zero), response: (response.status, request.place),
        cause: String(response.status))
    }
  }
}

extension RetryingTransport: Redacted {
  /// The type, without what an app's own transport holds.
  public var description: String { "retrying transport" }
}
