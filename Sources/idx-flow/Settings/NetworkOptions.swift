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

  private func network() throws -> URLSessionTransport {
    let variable = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    guard let file = options.values["--ca-file"] ?? variable else { return URLSessionTransport() }
    let source = options.values["--ca-file"] == nil ? "SSL_CERT_FILE" : "--ca-file"
    // It is read several times, also by curl.
    guard !InputFile(path: file).isSpecial else {
      throw CommandFailure(
        .usage,
        "The file of \(source) cannot be used. \(file) is a pipe, a device or a folder.".sanitized)
    }
    // Whoever can change the file can read what is sent.
    do { _ = try InputFile(path: file).readTrusted() } catch {
      throw CommandFailure(
        .usage, "The file of \(source) cannot be used. \(file) \(error)".sanitized)
    }
    do {
      return URLSessionTransport(authorities: try CertificateAuthorities(file: file))
    } catch {
      throw CommandFailure(.usage, "The file of \(source) cannot be used. \(error)".sanitized)
    }
  }
}

extension SetupProblem {
  /// The remedy, with the options of this program.
  var remedyWithOptions: String {
    guard kind == .untrustedCertificate else { return remedy }
    return "\(remedy) To trust a file, use --ca-file FILE or SSL_CERT_FILE=FILE."
  }

  /// The remedy for every command but doctor, which can find out more about some problems.
  var remedyWithDoctor: String {
    switch kind {
    case .proxyFailed, .unknownHost, .wrongClock, .wrongAuthorizationServer:
      "\(remedy) To find out more, run idx-flow doctor with the same options."
    default: remedyWithOptions
    }
  }
}
