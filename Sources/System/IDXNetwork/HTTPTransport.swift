#if canImport(Glibc)
  import CLibcurl
#endif
import Foundation
public import IDXBase

/// Sends requests over the network: https, no redirects, no cache, no cookies of its own.
///
/// One transport serves any number of sign-ins: each sends its own cookies (``/IDXOAuth/CookieJar``).
///
///     let transport = HTTPTransport()
///     let response = try await transport.send(TransportRequest(url: url))
///
/// On Linux, it uses the system's libcurl, version 7.68 or later, which is opened when the first request is sent. While
/// another one is in the folder of the program, where the loader looks first, nothing is sent.
/// All requests of a transport share one thread there. Elsewhere, and on Linux with musl in place of glibc, it uses
/// `URLSession`.
///
/// - Addresses: https, and plain http to a loopback address (`localhost`, `127.0.0.0/8`, `[::1]`). Other
///   schemes, http to other hosts, and addresses with a username are refused before anything is sent.
/// - Redirects: a 3xx response is returned and not followed.
/// - Header fields: those of the request. If it has none of these, `User-Agent` is added,
///   `Accept-Language: *`, because `URLSession` would send the languages of this computer, and
///   `Accept-Encoding: identity`.
/// - Trailers: left out on Linux.
/// - Content codings: on Linux, a compressed body is refused, because libcurl does not notice if it is cut off. If the
///   request has an `Accept-Encoding` of its own, the body is passed on as it is.
/// - Ends: on Linux, a body without a length that comes over TLS is complete only if the server itself ended the
///   connection (`close_notify`).
/// - Connections: on Linux, the requests of one ``/IDXBase/ConnectionGroup`` use one connection, one after the
///   other, if the server speaks HTTP/2, there is no proxy, and libcurl is 7.88 or later. All other requests have
///   their own connections. The server processes a request at most once: it is sent again only if the server
///   said that it did not process it. Apple's `URLSession` reuses connections as it chooses.
/// - Proxies: those of the system, but never for loopback addresses. On Linux, they are named by the
///   environment (`https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`); see ``NetworkEnvironment/secure()``.
///   Errors name the proxy.
/// - Certificates: those of the authorities of the system, or of ``CertificateAuthorities``. On Linux, TLS 1.2
///   or later. libcurl before 7.87, or before 8.9 with GnuTLS, reads the authorities again for each connection,
///   which takes 20 to 45 ms of processor time.
/// - File descriptors: if the process has almost none left, nothing is sent, and the error says so.
/// - Cancellation: canceling the task ends the request at once. With libcurl before 7.87, the thread of a
///   transport that is released ends only after the lookup of a name that was canceled.
/// - musl: with `URLSession` there, ``CertificateAuthorities`` do not work, a waiting request keeps a processor busy,
///   and a response with trailers ends the process.
///
/// Throws a ``/IDXBase/TransportError`` if no response came, and `CancellationError`.
public struct HTTPTransport: Transport {
  /// How long a request may take, and how long a response may be.
  public struct Limits: Sendable, Hashable {
    /// The longest time for a request and its response, including the time to connect; 30 seconds by
    /// default.
    public var time: Duration
    /// The longest body of a response in bytes; 4 MiB by default.
    public var body: Int

    /// Creates limits.
    public init(time: Duration = .seconds(30), body: Int = 4 << 20) {
      self.time = time
      self.body = body
    }
  }

  private let userAgent: String
  #if canImport(Glibc)
    private let client: LibcurlClient
  #else
    private let client: URLSessionClient
  #endif

  /// Creates a transport.
  ///
  /// `userAgent` is the `User-Agent` of requests that have none; by default
  /// `idx-flow/<version> (<system>)`. `authorities` are trusted in place of those of the system.
  public init(
    limits: Limits = Limits(), userAgent: String? = nil, authorities: CertificateAuthorities? = nil
  ) {
    self.init(limits: limits, userAgent: userAgent, authorities: authorities, now: { .now })
  }

  /// Creates a transport that measures the time limit with a clock, for tests.
  package init(
    limits: Limits = Limits(), userAgent: String? = nil, authorities: CertificateAuthorities? = nil,
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.userAgent = userAgent ?? "idx-flow/\(Product.version) (\(Product.system))"
    client = .init(limits: limits, authorities: authorities, now: now)
  }

  #if canImport(Glibc)
    /// Creates a transport with a libcurl of its own choice, for tests.
    init(limits: Limits = Limits(), library: Result<Libcurl, Libcurl.Unavailable>) {
      userAgent = "idx-flow/\(Product.version)"
      client = LibcurlClient(
        limits: limits, authorities: nil, now: { .now }, library: { library })
    }
  #endif

  /// Sends the request and waits for the whole response.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    let proxy = try request.check()
    let attempt = request.attempt + (proxy.map { " through the proxy \($0)" } ?? "")
    return try await client.send(completed(request), attempt: attempt, proxy: proxy)
  }

  /// The request with the header fields that it does not have.
  private func completed(_ request: TransportRequest) -> TransportRequest {
    var request = request
    let names = Set(request.headers.keys.map { $0.lowercased() })
    let added = ["User-Agent": userAgent, "Accept-Language": "*", "Accept-Encoding": "identity"]
    request.headers.merge(added.filter { !names.contains($0.key.lowercased()) }) { $1 }
    return request
  }
}

extension HTTPTransport {
  /// Stops all requests of the process for good, before it ends.
  ///
  /// On Linux, the end of a process frees what a thread may still need that loads libcurl, or sends a request.
  package static func stopForExit() {
    #if canImport(Glibc)
      IDXUseStop()
    #endif
  }
}
