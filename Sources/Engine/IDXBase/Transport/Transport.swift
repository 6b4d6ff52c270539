#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sends one HTTP request to the server and returns the response.
///
/// All requests go through this protocol. `HTTPTransport` of IDXNetwork sends them over the
/// network; `SimulatedOrg` of IDXSimulatedOrg responds in memory; ``RetryingTransport`` repeats what
/// failed for a moment. A conforming type must:
/// - return every response, whatever its status;
/// - not follow redirects, and not cache;
/// - store no cookies, because sign-ins share it;
/// - send a request once, unless the server certainly did nothing, or the request is
///   ``TransportRequest/isRepeatable``;
/// - before it sends a request again, take ``TransportRequest/nextAttempt()`` in its place;
/// - throw a ``TransportError`` if no response came, which says whether the request may have arrived;
/// - throw `CancellationError` soon after the task is canceled.
///
/// A transport for tests that always returns the same response:
///
///     struct FixedTransport: Transport {
///       let response: TransportResponse
///       func send(_ request: TransportRequest) async throws -> TransportResponse { response }
///     }
public protocol Transport: Sendable {
  /// Sends the request and returns the response after its whole body has come.
  func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// An HTTP request with its whole body.
public struct TransportRequest: Sendable, Hashable {
  /// The method in capital letters: `POST`.
  public var method: String
  /// The address.
  public var url: URL
  /// The header fields, in their usual spelling: `Content-Type`.
  public var headers: [String: String]
  /// The body; empty if there is none.
  public var body: [UInt8]
  /// Whether the server may receive the request twice without harm; by default if the method is GET.
  public var isRepeatable: Bool
  /// The requests with which it may share a connection; nil, the default, if with none.
  public var connectionGroup: ConnectionGroup?
  /// Makes what each attempt to send the request must have of its own; nil if all attempts are the same.
  package var perAttempt: PerAttempt?

  /// Creates a request; without `isRepeatable`, only one with GET is repeatable.
  public init(
    method: String = "GET", url: URL, headers: [String: String] = [:], body: [UInt8] = [],
    isRepeatable: Bool? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.isRepeatable = isRepeatable ?? (method == "GET")
  }
}

extension TransportRequest {
  /// Makes header fields that are new for each attempt to send a request.
  package struct PerAttempt: Sendable, Hashable {
    let fields: @Sendable (TransportRequest) throws -> [String: String]

    package init(_ fields: @escaping @Sendable (TransportRequest) throws -> [String: String]) {
      self.fields = fields
    }

    // The fields of a request are compared, not how they were made.
    package static func == (left: Self, right: Self) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
  }

  /// The request for one more attempt.
  ///
  /// A transport that sends a request again sends this in place of it, because a request can contain what a server
  /// accepts only once, such as a proof of DPoP (RFC 9449, section 11.1). Throws if the new proof cannot be made.
  public func nextAttempt() throws -> TransportRequest {
    guard let perAttempt else { return self }
    var request = self
    request.headers.merge(try perAttempt.fields(self)) { $1 }
    return request
  }
}

/// The requests of one sign-in, which a transport may send over one connection, one after the other.
///
/// A transport may ignore it. One that reads it must not use a connection for different groups, so that nothing of
/// one person can reach another. `HTTPTransport` of IDXNetwork reads it on Linux; elsewhere, `URLSession` chooses
/// connections itself.
public struct ConnectionGroup: Sendable, Hashable {
  private let id: Secret

  /// Creates the group of one sign-in.
  ///
  /// Groups with the same ID are equal, so it must belong to this sign-in alone, such as its `nonce`.
  public init(_ id: Secret) { self.id = id }
}

/// An HTTP response with its whole body.
public struct TransportResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields, in any spelling; ``header(_:)`` finds them.
  public var headers: [String: String]
  /// The body, as it is in the response; Apple's `URLSession` decodes a compressed one.
  public var body: [UInt8]

  /// Creates a response.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of a header field, whose name is not case-sensitive; nil if there is none.
  public func header(_ name: String) -> String? {
    headers[name] ?? headers.first { $0.key.isSameField(as: name) }?.value
  }
}

extension TransportResponse {
  /// Whether the server says that it has not processed the request: it names the time at which the request may come
  /// again, because there are too many (429) or because it is too busy (503).
  ///
  /// A 503 alone does not say so: a proxy sends it too after the server behind it got the request and failed.
  package var saysUnprocessed: Bool { [429, 503].contains(status) && timeToWait != nil }

  /// How long the server asks to wait, from one second to one day; nil if it does not say.
  ///
  /// `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3). Okta's `X-Rate-Limit-Reset` is a
  /// time, and means a wait only with status 429. Dates and times are compared with the server's own clock.
  package var timeToWait: Duration? {
    let retryAfter = header("Retry-After")
    var seconds = retryAfter.flatMap(Self.number)
    if seconds == nil, let now = header("Date").flatMap(Date.init(httpDate:)) {
      let reset = status == 429 ? header("X-Rate-Limit-Reset").flatMap(Self.number) : nil
      let end =
        retryAfter.flatMap(Self.date)?.timeIntervalSince1970
        // Some servers count milliseconds.
        ?? reset.map { $0 > 100_000_000_000 ? $0 / 1000 : $0 }
      seconds = end.map { $0 - now.timeIntervalSince1970 }
    }
    // The number may be too large for an integer.
    guard let seconds, seconds.isFinite else { return nil }
    return .seconds(Int(min(max(seconds, 1), 86_400)))
  }

  /// The number in a header field; the largest one if the field is there several times, joined by commas.
  private static func number(_ field: String) -> Double? {
    let parts = field.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0.trimmed()) }
    return numbers.count == parts.count ? numbers.max() : nil
  }

  /// The date in a header field; the first one if the field is there several times.
  private static func date(_ field: String) -> Date? {
    let zone = field.firstRange(of: "GMT")
    return Date(httpDate: String(field[..<(zone?.upperBound ?? field.endIndex)].trimmed()))
  }
}

extension String {
  fileprivate func isSameField(as other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { mine, theirs in
        mine == theirs
          || (mine | 0x20 == theirs | 0x20 && (0x61...0x7A).contains(mine | 0x20))
      }
  }
}

extension TransportRequest {
  /// The host, the port and the path, for messages; percent-encoded, so that it contains no control
  /// characters.
  package var place: String {
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.host(percentEncoded: true) ?? "")\(port)\(url.path(percentEncoded: true))"
  }
}

// Bodies and header fields hold passwords, handles and tokens; paths and statuses do not.
extension TransportRequest: Redacted {
  /// The method, the host and the path.
  public var description: String { "\(method) \(url.host ?? "")\(url.path(percentEncoded: true))" }
}

extension TransportResponse: Redacted {
  /// The status and the size of the body.
  public var description: String { "HTTP \(status), \(body.count) bytes" }
}

/// Why no response came to a request.
///
/// It names the host and the path, never a body, a query or a header field.
public struct TransportError: CodedError {
  /// A reason why no response came.
  ///
  /// A transport can add codes of its own; `HTTPTransport` of IDXNetwork does.
  public struct Code: OpenSet {
    /// The name, such as `timed_out`.
    public let rawValue: String
    /// Creates a code, for a transport of your own.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no host with this name.
    public static let unknownHost: Code = "unknown_host"
    /// There was no connection: connection refused, no network, or no way through the proxy.
    ///
    /// Also if a reused connection broke before the request was sent; see
    /// ``TransportError/mayHaveArrived``.
    public static let unreachable: Code = "unreachable"
    /// The response took too long.
    public static let timedOut: Code = "timed_out"
    /// The connection broke after it was established.
    public static let connectionLost: Code = "connection_lost"
    /// TLS failed, or the certificate is not trusted.
    public static let insecure: Code = "insecure"
    /// The address is plain http to another computer, or has a scheme other than http and https.
    public static let schemeRefused: Code = "scheme_refused"
    /// The body is longer than allowed.
    public static let responseTooLarge: Code = "response_too_large"
    /// The response is not HTTP.
    public static let badResponse: Code = "bad_response"
  }

  /// The reason.
  public let code: Code
  /// What was tried and what happened.
  public let message: String
  /// Whether the server may have acted on the request, so that it must not simply be sent again.
  public let mayHaveArrived: Bool
  /// The system's error; nil if the transport itself refused.
  public let underlying: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code, message: String, mayHaveArrived: Bool, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.mayHaveArrived = mayHaveArrived
    self.underlying = underlying
  }
}
