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

  /// The transport, which repeats requests for the time in `IDX_FLOW_RETRY_TIME`, and by default notes why.
  func retrying(
    _ transport: any Transport, limit: Duration = .seconds(10),
    onRetry: (@Sendable (RetryingTransport.Retry) -> Void)? = nil
  ) throws -> RetryingTransport {
    let streams = streams
    return RetryingTransport(
      transport, limit: try seconds("IDX_FLOW_RETRY_TIME", atLeast: 0) ?? limit,
      onRetry: onRetry ?? { streams.note(text: "\($0)".sanitized) })
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

  private func network() throws -> HTTPTransport {
    var limits = HTTPTransport.Limits()
    limits.time = try seconds("IDX_FLOW_TIMEOUT", atLeast: 0.001) ?? limits.time
    let variable = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    guard let file = options.values["--ca-file"] ?? variable else {
      return HTTPTransport(limits: limits)
    }
    let source = options.values["--ca-file"] == nil ? "SSL_CERT_FILE" : "--ca-file"
    // It is read several times, also by libcurl.
    guard !InputFile(path: file).isSpecial else {
      throw CommandFailure(
        .usage,
        "The file of \(source) cannot be used. \(file.sanitized) is a pipe, a device or a folder.")
    }
    // Whoever can change the file can read what is sent.
    do { _ = try InputFile(path: file).readTrusted() } catch {
      throw CommandFailure(
        .usage, "The file of \(source) cannot be used. \(file.sanitized) \(error)")
    }
    do {
      return HTTPTransport(
        limits: limits, authorities: try CertificateAuthorities(file: file))
    } catch {
      throw CommandFailure(.usage, "The file of \(source) cannot be used. \("\(error)".sanitized)")
    }
  }
}

extension SetupProblem {
  /// The remedy, with the options of this program.
  var remedyWithOptions: Sentence {
    guard kind == .untrustedCertificate else { return remedySentence }
    return """
      \(remedySentence) With --ca-file FILE or SSL_CERT_FILE=FILE, the authorities in FILE are trusted, and no others.
      """
  }

  /// The remedy for every command but doctor, which can find out more about some problems.
  var remedyWithDoctor: Sentence {
    switch kind {
    case .proxyFailed, .unknownHost, .wrongClock, .wrongAuthorizationServer:
      // A command at the end of the remedy can be copied.
      "\(remedySentence)\nTo find out more, run idx-flow doctor with the same options."
    default: remedyWithOptions
    }
  }
}
