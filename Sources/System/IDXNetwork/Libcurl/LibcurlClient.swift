#if canImport(Glibc)
  import IDXBase
  import IDXSystem

  /// Sends requests with the system's libcurl; starts a thread with the first one.
  final class LibcurlClient: Sendable {
    private let limits: HTTPTransport.Limits
    private let authorities: CertificateAuthorities?
    private let library: @Sendable () -> Result<Libcurl, Libcurl.Unavailable>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let isLoopbackOnly: Bool
    private let loop = Locked<TransferLoop?>(nil)

    init(
      limits: HTTPTransport.Limits, authorities: CertificateAuthorities?,
      now: @escaping @Sendable () -> ContinuousClock.Instant, isLoopbackOnly: Bool = false,
      library: @escaping @Sendable () -> Result<Libcurl, Libcurl.Unavailable> = { Libcurl.system }
    ) {
      self.limits = limits
      self.authorities = authorities
      self.library = library
      self.now = now
      self.isLoopbackOnly = isLoopbackOnly
    }

    /// Sends a request that was checked; `attempt` describes it for errors.
    func send(
      _ request: TransportRequest, attempt: String, proxy: NetworkEnvironment.Proxy?
    ) async throws -> TransportResponse {
      try request.checkDescriptors()
      let loop = try startedLoop(for: request)
      let pending = PendingResponse()
      return try await pending.value {
        loop.start(
          Transfer.Order(
            request: request, attempt: attempt, proxy: proxy?.address, pending: pending))
      } cancel: {
        loop.stop(pending)
      }
    }

    private func startedLoop(for request: TransportRequest) throws(TransportError) -> TransferLoop {
      let result: Result<TransferLoop, TransportError> = loop.withLock { loop in
        if let loop { return .success(loop) }
        do {
          // The file of the system is looked for once, and not before something is sent.
          let settings = Transfer.Settings(
            limits: limits, authorities: authorities?.file ?? CertificateAuthorities.fileOfSystem,
            isLoopbackOnly: isLoopbackOnly)
          let started = try TransferLoop(library, settings: settings, now: now)
          loop = started
          return .success(started)
        } catch let error as Libcurl.Unavailable {
          return .failure(request.refusal("\(error)"))
        } catch {
          return .failure(
            TransportFailure.other("\(error)").error(
              attempt: request.attempt, mayHaveArrived: false))
        }
      }
      return try result.get()
    }
  }
#endif
