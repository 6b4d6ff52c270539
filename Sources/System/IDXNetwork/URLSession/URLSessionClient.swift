#if !canImport(Glibc)
  import Foundation
  import IDXBase

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif
  #if canImport(Security)
    import Security
  #endif

  /// Sends requests with `URLSession`, where there is no libcurl of the system.
  final class URLSessionClient: Sendable {
    private let limits: HTTPTransport.Limits
    private let now: @Sendable () -> ContinuousClock.Instant
    #if canImport(FoundationNetworking)
      private let authorities: CertificateAuthorities?
      private let configuration: URLSessionConfiguration
    #else
      private let session: Session
      /// For loopback addresses.
      private let sessionWithoutProxies: Session
    #endif

    init(
      limits: HTTPTransport.Limits, authorities: CertificateAuthorities?,
      now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
      self.limits = limits
      self.now = now
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      configuration.httpCookieAcceptPolicy = .never
      configuration.httpShouldSetCookies = false
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.urlCredentialStorage = nil
      #if canImport(FoundationNetworking)
        self.authorities = authorities
        self.configuration = configuration
      #else
        // Each session has a copy.
        session = Session(configuration, trusting: authorities)
        configuration.connectionProxyDictionary = [:]
        sessionWithoutProxies = Session(configuration, trusting: authorities)
      #endif
    }

    /// Sends a request that was checked; `attempt` describes it for errors.
    ///
    /// The system itself finds the proxy.
    func send(
      _ request: TransportRequest, attempt: String, proxy: NetworkEnvironment.Proxy?
    ) async throws -> TransportResponse {
      let exchange = try session(for: request).exchange(
        urlRequest(request), attempt: attempt, limits: limits, isRepeatable: request.isRepeatable,
        start: now())
      async let _ = exchange.watchTime(now: now)
      return try await exchange.response()
    }

    private func session(for request: TransportRequest) throws(TransportError) -> Session {
      #if canImport(FoundationNetworking)
        guard authorities.map(\.areOfSystem) ?? true else {
          throw request.refusal(
            "certificate authorities other than those of the system do not work on this platform")
        }
        // libcurl may notice only after it has sent the header fields that the server has closed a reused
        // connection. It then repeats them over a new connection without the body, which it no longer has,
        // and waits until a timeout. It may also take spare bytes after one response for the next.
        try request.checkDescriptors()
        return Session(configuration)
      #else
        return request.isForLoopback ? sessionWithoutProxies : session
      #endif
    }

    private func urlRequest(_ request: TransportRequest) -> URLRequest {
      var result = URLRequest(url: request.url)
      result.httpMethod = request.method
      result.httpBody = request.body.isEmpty ? nil : Data(request.body)
      for (name, value) in request.headers { result.setValue(value, forHTTPHeaderField: name) }
      // The exchange enforces the limit, because FoundationNetworking only supports whole seconds without a
      // byte, and has no limit for the whole request. The system's own timeout must come later.
      result.timeoutInterval = limits.time / .seconds(1) + 120
      return result
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
      _ request: URLRequest, attempt: String, limits: HTTPTransport.Limits,
      isRepeatable: Bool, start: ContinuousClock.Instant
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
        task: task, attempt: attempt, limits: limits, mayBeRepeated: mayBeRepeated, start: start)
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
#endif
