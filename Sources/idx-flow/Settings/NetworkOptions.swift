import IDXFlow
import IDXBase
import IDXNetwork
import IDXOAuth

/// The options of the connection to the server.
enum NetworkOptions {
  static let caFile = OptionSpec(
    "--ca-file", value: "FILE", of: .file,
    "trust the certificate authorities in this PEM file, and no others")
}

extension CommandCall {
  /// The way to the server; trusts the authorities in the file of `--ca-file` or `SSL_CERT_FILE`, and
  /// writes a trace with `--verbose`.
  func transport() throws -> any Transport { RequestTrace.ifAsked(self, try network()) }

  /// The way to the server of a credential, with the header fields that its profile sets for the org.
  func transport(for id: Credential.ID) throws -> any Transport {
    let name = id.label ?? Profile.defaultName
    let profile = try? ProfileFile(environment).profile(named: name)
    return try profile?.transport(over: transport()) ?? transport()
  }

  /// The transport, which repeats requests for the time in `IDX_FLOW_RETRY_TIME`, and by default notes why.
  ///
  /// Each cause is passed on once: at a server that drops connections, it is the same at every step.
  func retrying(
    _ transport: any Transport, limit: Duration = .seconds(10),
    onRetry: (@Sendable (RetryingTransport.Retry) -> Void)? = nil
  ) throws -> RetryingTransport {
    let streams = streams
    let report = onRetry ?? { streams.note(text: streams.words.sentence(about: $0).sanitized) }
    let reported = Locked<Set<String>>([])
    return RetryingTransport(
      transport, limit: try retryTime(usually: limit),
      onRetry: { retry in
        if reported.withLock({ $0.insert(retry.cause).inserted }) { report(retry) }
      })
  }

  /// For how long requests are repeated: `IDX_FLOW_RETRY_TIME`.
  func retryTime(usually usual: Duration = .seconds(10)) throws -> Duration {
    try seconds("IDX_FLOW_RETRY_TIME", atLeast: 0) ?? usual
  }

  /// A variable with a number of seconds; nil if it is not set.
  private func seconds(_ name: String, atLeast minimum: Double) throws -> Duration? {
    guard let text = environment[name], !text.isEmpty else { return nil }
    guard let seconds = Double(text), seconds >= minimum, seconds <= 3600 else {
      throw CommandFailure(
        .usage, "\(name) must be a number of seconds, at most 3600, not \(text.sanitized).")
    }
    return .seconds(seconds)
  }

  /// The way to programs on this computer, with the same authorities and the same trace.
  func loopbackTransport() throws -> any Transport {
    RequestTrace.ifAsked(self, LoopbackTransport(authorities: try authorities()))
  }

  private func network() throws -> HTTPTransport {
    var limits = HTTPTransport.Limits()
    limits.time = try seconds("IDX_FLOW_TIMEOUT", atLeast: 0.001) ?? limits.time
    return HTTPTransport(limits: limits, authorities: try authorities())
  }

  /// The authorities in the file of `--ca-file` or `SSL_CERT_FILE`; nil for those of the system.
  private func authorities() throws -> CertificateAuthorities? {
    guard let (source, file) = value(of: NetworkOptions.caFile, or: "SSL_CERT_FILE") else {
      return nil
    }
    func failure(_ reason: String) -> CommandFailure {
      CommandFailure(.usage, "The file of \(source) cannot be used. \(reason)")
    }
    // It is read several times, also by libcurl.
    guard !InputFile(path: file).isSpecial else {
      throw failure("\(file.sanitized) is a pipe, a device or a folder.")
    }
    // Whoever can change the file can read what is sent.
    do { _ = try InputFile(path: file).readTrusted() } catch {
      throw failure("\(file.sanitized) \(error)")
    }
    do { return try CertificateAuthorities(file: file) } catch {
      throw failure("\(error)".sanitized)
    }
  }
}
