public import IDXOAuth
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with `URLSession`: https, no redirects, no cache, cookies in memory.
///
/// Make one for each sign-in, as cookies belong to the transport and its copies: what a host sets
/// is sent back to it, nothing is written to disk, and another transport knows nothing of it.
///
///     let transport = URLSessionTransport()
///     let response = try await transport.send(TransportRequest(url: url))
///
/// - Addresses: https alone, and plain http to a loopback address (`localhost`, `127.0.0.0/8`,
///   `[::1]`). Other schemes, other hosts over http and addresses that carry a user's name are
///   refused before anything is sent. FoundationNetworking on Linux takes no IPv6 addresses, only
///   names that stand for one.
/// - Redirects: a 3xx response is returned as it came.
/// - Header fields: those of the request. Where it has none of them, `User-Agent` is filled in,
///   and `Accept-Language: *`, as `URLSession` would otherwise name the languages of this machine.
/// - Content codings: undone by `URLSession`; the limit counts the bytes that come out.
/// - Connections: kept and used again, over http as over https. On Linux a request without a body
///   that may change something gets one of its own.
/// - Repetition: a request that may change something reaches the server whole at most once. Where a
///   connection that was used again breaks before the response, libcurl on Linux sends the head once
///   more over a new one, but has no body left for it. That attempt ends in an error, once the time is
///   up where the server waits for the body, or in a refusal.
/// - Proxies: those of the system. On Linux that is what libcurl reads from the environment
///   (`https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`), for loopback addresses too.
/// - Cancellation: of the task that sends, and at once.
///
/// Throws ``TransportError`` where no response came, and `CancellationError`.
public struct URLSessionTransport: Transport {
  /// How long a request may take and how long a response may be.
  public struct Limits: Sendable, Hashable {
    /// The longest time without a byte from the server, connecting included; 30 seconds by default.
    public var idle: Duration
    /// The longest time for a request and its response; 60 seconds by default.
    public var whole: Duration
    /// The longest body of a response in bytes, content coding undone; 4 MiB by default.
    public var body: Int

    /// Limits of these sizes.
    public init(
      idle: Duration = .seconds(30), whole: Duration = .seconds(60), body: Int = 4 << 20
    ) {
      self.idle = idle
      self.whole = whole
      self.body = body
    }
  }

  private let limits: Limits
  private let userAgent: String
  private let configuration: URLSessionConfiguration
  private let channel: Channel

  /// A transport that has no cookies yet.
  ///
  /// `userAgent` is the `User-Agent` of requests that bring none; nil means
  /// `idx-flow/<version> (<system>)`.
  public init(limits: Limits = Limits(), userAgent: String? = nil) {
    self.limits = limits
    self.userAgent = userAgent ?? "idx-flow/\(Self.version) (\(Self.system))"
    configuration = .ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    channel = Channel(configuration)
  }

  /// Sends the request and waits for the whole response.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    try request.checkDestination()
    try request.checkSyntax()
    let exchange = channel(for: request).exchange(
      urlRequest(request), attempt: request.attempt, limits: limits, isSafe: request.isSafe)
    async let _ = exchange.watch()
    return try await exchange.response()
  }

  /// The connections to send the request over.
  private func channel(for request: TransportRequest) -> Channel {
    #if canImport(FoundationNetworking)
      // Where a connection that was used before breaks, libcurl sends the request again over a new
      // one. FoundationNetworking has no body left then, so that no server takes what comes for a
      // request; one that has no body goes over a connection that nothing else has used.
      request.isSafe || !request.body.isEmpty ? channel : Channel(configuration)
    #else
      channel
    #endif
  }

  private func urlRequest(_ request: TransportRequest) -> URLRequest {
    var made = URLRequest(url: request.url)
    made.httpMethod = request.method
    made.httpBody = request.body.isEmpty ? nil : Data(request.body)
    made.setValue(userAgent, forHTTPHeaderField: "User-Agent")
    made.setValue("*", forHTTPHeaderField: "Accept-Language")
    for (name, value) in request.headers {
      made.setValue(value, forHTTPHeaderField: name)
    }
    // The exchange keeps the time, as FoundationNetworking knows whole seconds only and no limit
    // for the whole: the system's own limit comes later than ours.
    made.timeoutInterval = limits.whole / .seconds(1) + 120
    return made
  }
}

extension URLSessionTransport {
  package static let version = "0.1.0"

  static var system: String {
    #if os(Linux)
      "Linux"
    #elseif os(macOS)
      "macOS"
    #elseif os(iOS)
      "iOS"
    #else
      "other"
    #endif
  }
}
