import Foundation
import IDXBase
public import IDXOAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(Security)
  import Security
#endif

/// Sends requests with `URLSession`: https, no redirects, no cache, no cookies of its own.
///
/// One transport serves any number of sign-ins: each sends its own cookies (``/IDXOAuth/CookieJar``).
///
///     let transport = URLSessionTransport()
///     let response = try await transport.send(TransportRequest(url: url))
///
/// - Addresses: https, and plain http to a loopback address (`localhost`, `127.0.0.0/8`, `[::1]`). Other
///   schemes, http to other hosts, and addresses with a username are refused before anything is sent.
///   On Linux, FoundationNetworking does not support IPv6 addresses, only names.
/// - Redirects: a 3xx response is returned and not followed.
/// - Header fields: those of the request. If it has none of these, `User-Agent` is added, and
///   `Accept-Language: *`, because `URLSession` would send the languages of this computer.
/// - Content codings: decoded by `URLSession`; the limit counts the decoded bytes.
/// - Connections: on Linux, each request has its own, so that the server receives it at most once, and
///   no byte of another response can be part of its response. Elsewhere, connections are reused.
/// - Proxies: those of the system, but never for loopback addresses. On Linux, libcurl reads them from
///   the environment (`https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`); see
///   ``NetworkEnvironment/secure()``. Errors name the proxy.
/// - Certificates: those of the authorities of the system, or of ``CertificateAuthorities``. With these,
///   Linux sends https requests with the program `curl`, because FoundationNetworking cannot use them.
/// - Processor time: while a request waits for its response, FoundationNetworking on Linux looks at the
///   connection again and again, and uses most of one core. A server whose sign-ins wait long for slow
///   responses can pass another ``/IDXOAuth/Transport``, built on a library of its own.
/// - File descriptors: if the process has almost none left, nothing is sent, and the error says so.
/// - Cancellation: canceling the task ends the request at once.
///
/// Throws a ``/IDXOAuth/TransportError`` if no response came, and `CancellationError`.
public struct URLSessionTransport: Transport {
  /// How long a request may take, and how long a response may be.
  public struct Limits: Sendable, Hashable {
    /// The longest time for a request and its response, including the time to connect; 30 seconds by
    /// default.
    public var time: Duration
    /// The longest body of a response in bytes, after content decoding; 4 MiB by default.
    public var body: Int

    /// Creates limits.
    public init(time: Duration = .seconds(30), body: Int = 4 << 20) {
      self.time = time
      self.body = body
    }
  }

  private let limits: Limits
  private let userAgent: String
  private let authorities: CertificateAuthorities?
  private let sleep: @Sendable (ContinuousClock.Instant) async throws -> Void
  #if canImport(FoundationNetworking)
    private let configuration: URLSessionConfiguration
  #else
    private let session: Session
    /// For loopback addresses.
    private let sessionWithoutProxies: Session
  #endif

  /// Creates a transport.
  ///
  /// `userAgent` is the `User-Agent` of requests that have none; by default
  /// `idx-flow/<version> (<system>)`. `authorities` are trusted in place of those of the system.
  public init(
    limits: Limits = Limits(), userAgent: String? = nil, authorities: CertificateAuthorities? = nil
  ) {
    self.init(
      limits: limits, userAgent: userAgent, authorities: authorities,
      sleep: { try await Task.sleep(until: $0, clock: .continuous) })
  }

  /// Creates a transport that waits for the time limit with `sleep`, for tests.
  package init(
    limits: Limits = Limits(), userAgent: String? = nil, authorities: CertificateAuthorities? = nil,
    sleep: @escaping @Sendable (ContinuousClock.Instant) async throws -> Void
  ) {
    self.limits = limits
    self.sleep = sleep
    self.authorities = authorities
    self.userAgent = userAgent ?? "idx-flow/\(Self.version) (\(Self.system))"
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    #if canImport(FoundationNetworking)
      self.configuration = configuration
    #else
      // Each session has a copy.
      session = Session(configuration, trusting: authorities)
      configuration.connectionProxyDictionary = [:]
      sessionWithoutProxies = Session(configuration, trusting: authorities)
    #endif
  }

  /// Sends the request and waits for the whole response.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    try request.checkDestination()
    try request.checkSyntax()
    let proxy = try request.checkEnvironment(.process)
    let attempt = request.attempt + (proxy.map { " through the proxy \($0)" } ?? "")
    #if canImport(FoundationNetworking)
      if let authorities, !authorities.areOfSystem, request.url.scheme?.lowercased() == "https" {
        return try await CurlProgram(authorities: authorities, limits: limits).send(
          completed(request), attempt: attempt)
      }
    #endif
    let exchange = try session(for: request).exchange(
      urlRequest(request), attempt: attempt, limits: limits, isRepeatable: request.isRepeatable)
    async let _ = exchange.watchTime(sleep: sleep)
    return try await exchange.response()
  }

  private func session(for request: TransportRequest) throws(TransportError) -> Session {
    #if canImport(FoundationNetworking)
      // libcurl may notice only after it has sent the header fields that the server has closed a reused
      // connection. It then repeats them over a new connection without the body, which it no longer has,
      // and waits until a timeout. It may also take spare bytes after one response for the next.
      try request.checkDescriptors()
      return Session(configuration)
    #else
      return request.isForLoopback ? sessionWithoutProxies : session
    #endif
  }

  /// The header fields of a request that does not have them.
  private var addedHeaders: [String: String] {
    ["User-Agent": userAgent, "Accept-Language": "*"]
  }

  /// The request with the header fields that it does not have.
  private func completed(_ request: TransportRequest) -> TransportRequest {
    var request = request
    let names = Set(request.headers.keys.map { $0.lowercased() })
    request.headers.merge(addedHeaders.filter { !names.contains($0.key.lowercased()) }) { $1 }
    return request
  }

  private func urlRequest(_ request: TransportRequest) -> URLRequest {
    var result = URLRequest(url: request.url)
    result.httpMethod = request.method
    result.httpBody = request.body.isEmpty ? nil : Data(request.body)
    // The names are not case-sensitive, so those of the request come last.
    for (name, value) in addedHeaders { result.setValue(value, forHTTPHeaderField: name) }
    for (name, value) in request.headers { result.setValue(value, forHTTPHeaderField: name) }
    // The exchange enforces the limit, because FoundationNetworking only supports whole seconds without a
    // byte, and has no limit for the whole request. The system's own timeout must come later.
    result.timeoutInterval = limits.time / .seconds(1) + 120
    return result
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

/// A `URLSession` and its delegate.
///
/// Requests can finish after the last reference to it is gone. A `URLSession` keeps its delegate alive
/// until it is invalidated; the delegate references neither the `URLSession` nor this object.
private final class Session: Sendable {
  private let session: URLSession
  private let delegate: SessionDelegate
  #if !canImport(FoundationNetworking)
    private let hasBeenUsed = Locked(false)
  #endif

  /// Creates a session with a copy of the configuration.
  init(
    _ configuration: URLSessionConfiguration, trusting authorities: CertificateAuthorities? = nil
  ) {
    delegate = SessionDelegate(trusting: authorities)
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  /// Creates an exchange that is ready to start.
  func exchange(
    _ request: URLRequest, attempt: String, limits: URLSessionTransport.Limits,
    isRepeatable: Bool
  ) -> HTTPExchange {
    let task = session.dataTask(with: request)
    #if canImport(FoundationNetworking)
      let mayBeRepeated = false
    #else
      // The system may lose a request with a reused connection and send it again over a new one. So a
      // refused connection does not prove that the request never arrived.
      let mayBeRepeated =
        !isRepeatable
        && hasBeenUsed.withLock { used in
          defer { used = true }
          return used
        }
    #endif
    let exchange = HTTPExchange(
      task: task, attempt: attempt, limits: limits, mayBeRepeated: mayBeRepeated)
    delegate.add(exchange, for: task)
    return exchange
  }
}

/// Passes the events of a session's tasks to their exchanges.
private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Locked<[Int: HTTPExchange]>([:])
  private let authorities: CertificateAuthorities?

  init(trusting authorities: CertificateAuthorities?) { self.authorities = authorities }

  /// Passes the events of a task to an exchange, until the task is complete.
  func add(_ exchange: HTTPExchange, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(of: dataTask)?.receive(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // Only a complete response with status 401 leads here. Every disposition without a credential
      // loses the response or leaves the task waiting, so the response is taken now.
      exchange(of: task)?.complete(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      guard let authorities, let trust = challenge.protectionSpace.serverTrust else {
        return completionHandler(.performDefaultHandling, nil)
      }
      // Sets the authorities in place of those of the system; then the system checks the certificate, the
      // name of the host and the time as usual.
      let anchors = authorities.certificates.compactMap {
        SecCertificateCreateWithData(nil, $0 as CFData)
      }
      let isTrusted =
        SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess
        && SecTrustEvaluateWithError(trust, nil)
      if isTrusted {
        completionHandler(.useCredential, URLCredential(trust: trust))
      } else {
        exchange(of: task)?.complete(URLError(.serverCertificateUntrusted))
        completionHandler(.cancelAuthenticationChallenge, nil)
      }
    #endif
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
  }

  private func exchange(of task: URLSessionTask) -> HTTPExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }
}
